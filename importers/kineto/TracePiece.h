#pragma once
// A stretch of a trace's text, and the reader that cuts a stream into such stretches where one
// event ends and the next begins, as far as that can be seen without parsing. A cut elsewhere costs
// time only.

#include "importers/common/Source.h"
#include "importers/kineto/BatchParser.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace trainscope::importers::kineto {

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
    // Why the stream broke; empty: it did not.
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
