#pragma once
// Stretches of a trace's text: where events begin in them, where reading can go on behind text that
// is not valid JSON, and the reader that cuts a stream between two events, as far as that can be
// seen without parsing. A cut elsewhere costs time only.

#include "importers/common/Source.h"
#include "importers/kineto/BatchParser.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace trainscope::importers::kineto {

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
