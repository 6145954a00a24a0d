#pragma once
// Events of a piece of a trace's text, in a form that costs nothing to take over: fixed-size
// records in the order of their events, and the texts and tracks that they refer to, each once.
// Offsets count from the beginning of the piece.

#include "importers/common/JsonScanner.h"
#include "importers/trace/TraceOutput.h"

namespace trainscope::importers::kineto {

// One element of traceEvents as views into the trace's text, and the parser that fills it. Format:
// Chrome's Trace Event Format as libkineto writes it (ph, cat, name, pid, tid, ts, dur, id, args).

struct EventField {
    JsonToken key;
    JsonToken value;
};

struct TraceEvent {
    JsonToken ph;
    JsonToken cat;
    JsonToken name;
    JsonToken pid;
    JsonToken tid;
    JsonToken ts; // µs
    JsonToken dur; // µs
    JsonToken id; // a flow's
    std::vector<EventField> args;
    std::vector<JsonToken> ignored; // values of other members
    bool wasRepaired = false; // something in it was passed over

    void clear();
    // The last argument of that name (JSON readers keep the last of duplicate keys), or nullptr.
    [[nodiscard]] const JsonToken* arg(std::string_view key) const;
};

// At the opening brace; leaves the position behind the closing one. Text in the place of a key
// is passed over up to the end of its line. Broken leaves the position where it happened.
Scan parseEvent(JsonScanner& scanner, TraceEvent& event);

enum class RecordKind : std::uint8_t {
    Span,
    Flow, // an arrow begins or ends here
    EdgeBegin, // in a graph of kernels, on the track of what is waited for
    EdgeEnd,
    Other, // an event that is looked at whole
    Unusable, // left out
};

enum class EventProblem : std::uint8_t {
    None,
    NoPhase,
    NoTime,
    AtZero, // all others are far from it
    BeyondTime,
    NoDuration, // this and what follows: kept with duration 0
    NegativeDuration,
};

struct EventRecord {
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};

    std::int64_t start = 0; // ns, as the trace counts them
    std::int64_t duration = 0; // ns
    std::int64_t correlation = 0; // an arrow's id, an operator's record function
    // AutogradLink of an operator, and of an arrow from a forward to a backward one, as a
    // correlation.
    std::int64_t autograd = 0;
    std::int64_t external = 0; // the "External id", for events without correlation too
    std::uint64_t place = 0; // placeOf() the event where arrows matter
    std::uint32_t name = kNone; // among the texts; Other: among the others
    std::uint32_t detail = kNone; // among the texts
    std::uint32_t track = kNone; // among the tracks
    std::uint32_t end = 0; // the end of the event
    RecordKind kind = RecordKind::Span;
    SpanKind spanKind = SpanKind::Other;
    EventProblem problem = EventProblem::None;
    bool mayWaitForArrow = false;
};

class EventBatch {
public:
    std::vector<EventRecord> records;
    std::vector<TrackLabel> tracks;
    std::vector<TraceEvent> others; // views into the piece
    std::vector<std::pair<std::string, std::int64_t>> categories; // events of each
    std::array<std::int64_t, 129> phases{}; // events by ph; the last: what is no ASCII letter
    std::int64_t events = 0;
    std::size_t end = 0; // up to where the piece has been understood

    void clear() {
        records.clear();
        tracks.clear();
        others.clear();
        categories.clear();
        phases.fill(0);
        events = 0;
        end = 0;
        m_texts.clear();
        m_bytes.clear();
    }
    void addText(std::string_view text) {
        m_texts.emplace_back(m_bytes.size(), text.size());
        m_bytes.append(text);
    }
    [[nodiscard]] std::string_view text(std::uint32_t index) const {
        return std::string_view(m_bytes).substr(m_texts[index].first, m_texts[index].second);
    }
    [[nodiscard]] std::size_t textCount() const { return m_texts.size(); }

private:
    std::vector<std::pair<std::size_t, std::size_t>> m_texts;
    std::string m_bytes;
};

} // namespace trainscope::importers::kineto
