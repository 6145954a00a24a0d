#pragma once
// Parses the events that stand one behind the other in a piece of a trace's text.
//
// Writers of traces repeat themselves: the events of one category have the same keys, blanks and
// order, and only their values differ. Such event templates are learnt from events that were
// parsed; a further event of a template is read by comparing what is between the values and
// scanning only these, with the same result as parseEvent(). Templates change the cost of reading,
// never what is read: a real trace becomes records 1.5 to 3.7 times as fast with them as without.

#include "importers/common/JsonScanner.h"
#include "importers/common/Source.h"
#include "importers/kineto/EventBatch.h"
#include "importers/kineto/RecordMaker.h"

namespace trainscope::importers::kineto {

// The event's keys, ph and cat are views into the template; its values into the text last read.
struct EventTemplate {
    struct Step {
        std::size_t begin = 0; // the text's before a value, in the sample
        std::size_t size = 0;
        JsonToken* value = nullptr; // in the event; nullptr for the text behind the last value
    };

    std::string sample; // and padding
    std::vector<Step> steps;
    TraceEvent event;
    EventPlan plan;
    std::array<EventTemplate*, 3> next{}; // those that followed it, the likeliest first
};

class EventTemplates {
public:
    // At the opening brace of an event. The template it was read by, or nullptr and the position
    // stays.
    const EventTemplate* read(JsonScanner& scanner);
    // `event` was parsed from `text`, without repair.
    void learn(std::string_view text, const TraceEvent& event, const EventPlan& plan);
    void forget();

private:
    void follow(EventTemplate& found);
    [[nodiscard]] bool mayLearn() const;

    std::unordered_map<std::string, std::unique_ptr<EventTemplate>>
        m_templates; // by what does not vary
    EventTemplate* m_last = nullptr;
    std::array<EventTemplate*, 3> m_first{}; // those to try when nothing was read yet
    std::uint64_t m_reads = 0;
    std::vector<JsonToken*> m_values;
    std::string m_key;
};

// Knowledge of one piece makes the next faster; the result depends on the text alone.
class BatchParser {
public:
    // Reads [begin + from, end), which is followed by JsonScanner::kPadding zero bytes, up to the
    // first that is not a sound and complete event or the comma behind one: batch.end says where.
    // A batch is limited, so that may also be an event like the others.
    void parse(const char* begin, std::size_t from, const char* end, EventBatch& batch);
    // A batch of that one event, which ends at `end`.
    void take(const TraceEvent& event, std::size_t end, EventBatch& batch);

private:
    bool parseOne(JsonScanner& scanner, const char* begin);

    EventTemplates m_templates;
    RecordMaker m_maker;
    TraceEvent m_event;
    EventPlan m_plan;
    unsigned m_generation = 0; // the plans' in the templates
};

// Stretches of a trace's text: where events begin in them, where reading can go on behind text that
// is not valid JSON, and the reader that cuts a stream between two events, as far as that can be
// seen without parsing. A cut elsewhere costs time only.

struct ResyncPoint {
    enum class Kind {
        None, // not in this text; position: from where to look when more has been read
        Event, // the opening brace of an event
        Member, // the opening quote of a known member of the top-level object
    };
    Kind kind = Kind::None;
    const char* position = nullptr;
};

// Looks in [from, end), which lies in a text that begins at `begin` and is followed by a zero byte.
// An event is an object whose first key is one of the event format's, and that is no member's
// value.
ResyncPoint findResync(const char* from, const char* end, const char* begin, bool isLastText);

// The opening brace of the last event of [begin, end) behind another event, as far as that can be
// seen; nullptr: none. A zero byte follows the text.
const char* lastEventStart(const char* begin, const char* end);

struct TracePiece {
    std::string text; // `size` bytes of text, JsonScanner::kPadding zero bytes, and room
    std::size_t size = 0;
    std::int64_t lines = 0; // newlines
    bool isParsed = false; // as events from its beginning, into the batch
    EventBatch batch;
    BatchParser parser;

    // Touches nothing but this piece.
    void parse();
};

std::int64_t countLines(const char* begin, const char* end);

class PieceReader {
public:
    PieceReader(ByteStream& stream, std::size_t pieceSize)
        : m_stream(stream)
        , m_pieceSize(pieceSize) { }

    // False at the end. Fails when not even the first byte can be read; a stream that breaks later
    // ends there.
    Result<bool> read(TracePiece& piece);
    [[nodiscard]] std::uint64_t bytes() const { return m_bytes; }
    // Reason that the stream broke; empty: it did not.
    [[nodiscard]] const std::string& problem() const { return m_problem; }

private:
    Status fill(TracePiece& piece);

    ByteStream& m_stream;
    std::size_t m_pieceSize;
    std::string m_rest; // behind the last cut
    std::uint64_t m_bytes = 0;
    bool m_isAtEnd = false;
    std::string m_problem;
};

} // namespace trainscope::importers::kineto
