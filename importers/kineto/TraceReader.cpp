#include "importers/kineto/TraceReader.h"

#include "core/model/Try.h"
#include "core/parallel/OrderedJobs.h"

#include <optional>
#include <utility>

namespace trainscope::importers::kineto {

TraceReader::TraceReader(ByteStream& stream, std::uint64_t bytesTotal, std::string_view phase,
    WorkerPool* pool, std::size_t pieceSize)
    : m_stream(stream)
    , m_bytesTotal(bytesTotal)
    , m_phase(phase)
    , m_pool(pool)
    , m_pieces(stream, pieceSize) { }

TraceReader::Piece TraceReader::emptyPiece() {
    if (m_emptyPieces.empty())
        return std::make_shared<TracePiece>();
    auto piece = std::move(m_emptyPieces.back());
    m_emptyPieces.pop_back();
    return piece;
}

void TraceReader::take(Piece&& piece, TraceVisitor& visitor) {
    m_text.feed(*piece, visitor);
    m_emptyPieces.push_back(std::move(piece));
}

Result<ReadResult> TraceReader::run(TraceVisitor& visitor, const Progress& progress) {
    RETURN_IF_ERROR(readAll(visitor, progress));
    m_text.finish(m_pieces.problem(), visitor);
    if (!m_text.status().hasValue())
        return m_text.status().error();
    return ReadResult{m_pieces.bytes(), m_text.isTruncated()};
}

Status TraceReader::readAll(TraceVisitor& visitor, const Progress& progress) {
    std::optional<OrderedJobs<Piece>> jobs;
    if (m_pool != nullptr)
        jobs.emplace(*m_pool, 0, [&](Piece&& piece) { take(std::move(piece), visitor); });
    while (!m_text.isDone()) {
        if (progress && !progress({m_phase, m_stream.bytesConsumed(), m_bytesTotal}))
            return cancelled();
        Piece piece = emptyPiece();
        ASSIGN_OR_RETURN(const auto isThere, m_pieces.read(*piece));
        if (!isThere)
            break;
        if (!jobs) {
            take(std::move(piece), visitor);
            continue;
        }
        jobs->submit([piece] {
            piece->parse();
            return piece;
        });
    }
    if (jobs && !m_text.isDone())
        jobs->finish();
    return m_text.status();
}

} // namespace trainscope::importers::kineto
