#include "core/store/SpanWriter.h"

#include "core/store/TrackWriter.h"

#include <algorithm>
#include <memory>

namespace trainscope::store {
namespace {

constexpr std::size_t kSpansInMemory = std::size_t{1} << 20U; // 56 MiB of rows

} // namespace

SpanWriter::SpanWriter(Database& database)
    : m_database(database)
    , m_rows(database.shownPath(), kSpansInMemory) { }

void SpanWriter::open(TrackId track) {
    m_tracks.insert(track);
}

Status SpanWriter::add(TrackId track, std::span<const Span> spans) {
    if (!m_tracks.contains(track))
        return Error{
            ErrorCode::Internal, "Spans were handed to a track that this import did not open.", {}};
    for (const Span& span : spans) {
        Status status = m_rows.add({track.value, span.start.ns,
            std::max<std::int64_t>(span.duration.ns, 0), span.name.value, span.correlation,
            span.detail.value, static_cast<std::int64_t>(span.kind)});
        if (!status.hasValue())
            return status;
    }
    return {};
}

Status SpanWriter::finish(const Progress& progress) {
    const std::uint64_t total = m_rows.size();
    std::uint64_t done = 0;
    std::unique_ptr<TrackWriter> writer;
    std::int64_t current = 0;
    Status status = m_rows.drain([&](const SpanRow& row) -> Status {
        if (row.track != current) {
            if (writer) {
                if (Status finished = writer->finish(); !finished.hasValue())
                    return finished;
            }
            writer = std::make_unique<TrackWriter>(m_database, TrackId{row.track});
            current = row.track;
        }
        if (++done % 65536 == 0 && progress
            && !progress({"Sorting kernels", done * sizeof(SpanRow), total * sizeof(SpanRow)}))
            return cancelled();
        return writer->add({{row.start}, {row.duration}, {row.name},
            static_cast<SpanKind>(row.kind), row.correlation, {row.detail}, 0});
    });
    if (status.hasValue() && writer)
        status = writer->finish();
    return status;
}

} // namespace trainscope::store
