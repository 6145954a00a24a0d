#include "core/store/spans/SpanWriter.h"

#include "core/store/spans/TrackCutter.h"
#include "core/store/spans/TrackTables.h"

#include <map>
#include <optional>

namespace trainscope::store {
namespace {

// Takes sorted spans track by track, has them encoded, and writes what comes back.
class TrackLine {
public:
    TrackLine(Database& database, std::uint64_t total, const Progress& progress)
        : m_database(database)
        , m_progress(progress)
        , m_total(total)
        , m_jobs(WorkerPool::shared(), 0, [this](EncodedBlock&& block) { write(std::move(block)); })
        , m_submit([this](SpanBlock&& block) { return submit(std::move(block)); }) { }

    Status add(TrackId track, std::span<const Span> spans) {
        if (!m_cutter || track != m_track) {
            if (Status status = finishTrack(); !status.hasValue())
                return status;
            m_track = track;
            m_cutter.emplace(track, m_submit);
        }
        return m_cutter->add(spans);
    }

    Status finish() {
        if (Status status = finishTrack(); !status.hasValue())
            return status;
        m_jobs.finish();
        closeTables();
        return m_status;
    }

private:
    Status submit(SpanBlock&& block) {
        auto shared = std::make_shared<const SpanBlock>(std::move(block));
        m_jobs.submit([shared] { return encodeBlock(*shared); });
        return m_status;
    }

    Status finishTrack() {
        if (!m_cutter)
            return m_status;
        if (Status status = m_cutter->finish(); !status.hasValue())
            return status;
        m_facts[m_track] = {m_cutter->range(), m_cutter->count(), m_cutter->depth()};
        m_cutter.reset();
        return m_status;
    }

    void write(EncodedBlock&& block) {
        if (!m_tables || block.track != m_written) {
            closeTables();
            m_written = block.track;
            m_tables.emplace(m_database, block.track);
        }
        m_done += block.count;
        if (m_status.hasValue() && m_progress
            && !m_progress({"Sorting kernels", m_done * sizeof(Span), m_total * sizeof(Span)}))
            m_status = cancelled();
        if (m_status.hasValue())
            m_status = m_tables->add(std::move(block));
    }

    // Once a block of the next track is delivered, everything is known of this one.
    void closeTables() {
        if (m_tables && m_status.hasValue())
            m_status = m_tables->finish(m_facts[m_written]);
        m_facts.erase(m_written);
        m_tables.reset();
    }

    Database& m_database;
    const Progress& m_progress;
    std::uint64_t m_total;
    std::uint64_t m_done = 0;
    Status m_status;
    TrackId m_track;
    std::optional<TrackCutter> m_cutter;
    std::map<TrackId, TrackFacts> m_facts; // of tracks that are cut and not yet written
    TrackId m_written;
    std::optional<TrackTables> m_tables;
    OrderedJobs<EncodedBlock> m_jobs;
    TrackCutter::Output m_submit;
};

} // namespace

SpanWriter::SpanWriter(Database& database, std::size_t spansInMemory)
    : m_database(database)
    , m_sorter(database.shownPath(), spansInMemory) { }

void SpanWriter::open(TrackId track) {
    m_places.emplace(track, m_tracks.size());
    m_tracks.push_back(track);
}

Status SpanWriter::add(TrackId track, std::span<const Span> spans) {
    const auto place = m_places.find(track);
    if (place == m_places.end())
        return Error{
            ErrorCode::Internal, "Spans were handed to a track that this import did not open.", {}};
    return m_sorter.add(place->second, spans);
}

Status SpanWriter::finish(const Progress& progress) {
    TrackLine line(m_database, m_sorter.size(), progress);
    Status status = m_sorter.drain([&](std::size_t track, std::span<const Span> spans) {
        return line.add(m_tracks[track], spans);
    });
    return status.hasValue() ? line.finish() : status;
}

} // namespace trainscope::store
