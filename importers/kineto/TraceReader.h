#pragma once
// Reads a Kineto trace as a stream. Memory is a few pieces of text, whatever the size of the file;
// a stream that ends early is reported, not failed.
//
// Pieces are parsed ahead, on a pool, as if each began with an event. If the reading, which is
// sequential, arrives at a piece in such a state, the work is done already; everything else, text
// that is broken above all, it reads itself. The visitor's events depend on the text alone.

#include "core/model/Import.h"
#include "core/parallel/WorkerPool.h"
#include "importers/common/Importer.h"
#include "importers/common/Source.h"
#include "importers/kineto/TraceSyntax.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace trainscope::importers::kineto {

struct ReadResult {
    std::uint64_t bytes = 0; // uncompressed
    bool isTruncated = false;
};

// Gives the events of a trace that is no text of Chrome's to the visitor, behind its base time.
using ReadEvents
    = std::function<Result<ReadResult>(TraceVisitor& visitor, const Progress& progress)>;
// Such a trace as a Kineto trace is imported.
Result<ImportReport> importEvents(const SourceTree& tree, const ImportUnit& unit, Sink& sink,
    const Progress& progress, const ReadEvents& read);

class TraceReader {
public:
    static constexpr std::size_t kPiece = std::size_t{1} << 20;
    static constexpr std::size_t kSmallPiece = std::size_t{64} << 10;

    // `bytesTotal`: size on disk, for progress. `pool`: for parsing ahead; nullptr: nothing is read
    // ahead.
    TraceReader(ByteStream& stream, std::uint64_t bytesTotal, std::string_view phase,
        WorkerPool* pool, std::size_t pieceSize = kPiece);
    TraceReader(const TraceReader&) = delete;
    TraceReader& operator=(const TraceReader&) = delete;

    Result<ReadResult> run(TraceVisitor& visitor, const Progress& progress);

private:
    using Piece = std::shared_ptr<TracePiece>;

    Status readAll(TraceVisitor& visitor, const Progress& progress);
    void take(Piece&& piece, TraceVisitor& visitor);
    Piece emptyPiece();

    ByteStream& m_stream;
    std::uint64_t m_bytesTotal;
    std::string m_phase;
    WorkerPool* m_pool;
    PieceReader m_pieces;
    TraceSyntax m_text;
    std::vector<Piece> m_emptyPieces;
};

} // namespace trainscope::importers::kineto
