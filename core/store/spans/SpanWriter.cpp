#include "core/store/spans/SpanWriter.h"

#include "core/model/Try.h"
#include "core/store/spans/SpanSorter.h"

namespace trainscope::store {
namespace {

// The figures of the track's row.
struct TrackFacts {
    TimeRange range;
    std::int64_t count = 0;
    std::size_t depth = 0;
};

// Puts the encoded blocks of one track, in order, into the tables: chunks, the tree of pages above
// them, the names, and the track's own row.
class TrackTables {
public:
    TrackTables(Database& database, TrackId track)
        : m_database(database)
        , m_track(track) { }

    Status add(EncodedBlock&& block);
    Status finish(const TrackFacts& facts);

private:
    // Pages that wait for the page above them.
    struct Level {
        std::int64_t written = 0; // pages of this level
        std::uint32_t waiting = 0;
        std::vector<LodRecord> open; // open at the first that waits
        std::vector<LodRecord> nodes;
        NameUses names;
    };
    Status addChunk(const EncodedChunk& chunk);
    Status addPage(std::size_t level, LodPage&& page, const std::vector<NameUse>& names);
    Status closeAbove(std::size_t level);
    Status writeNames();

    Database& m_database;
    TrackId m_track;
    std::int64_t m_chunks = 0;
    NameUses m_names;
    std::vector<Level> m_levels; // from level 1
};

Status TrackTables::add(EncodedBlock&& block) {
    for (const EncodedChunk& chunk : block.chunks)
        RETURN_IF_ERROR(addChunk(chunk));
    for (const NameUse& use : block.names)
        m_names.add(use);
    if (block.page.own.empty())
        return {};
    return addPage(0, std::move(block.page), block.names);
}

Status TrackTables::addChunk(const EncodedChunk& chunk) {
    return m_database.execute("INSERT INTO span_chunk(track, sequence, count, begin_ns, "
                              "correlation_min, correlation_max, data) VALUES(?,?,?,?,?,?,?)",
        m_track.value, m_chunks++, chunk.count, chunk.begin, chunk.lowestCorrelation,
        chunk.highestCorrelation, chunk.data);
}

Status TrackTables::addPage(std::size_t index, LodPage&& page, const std::vector<NameUse>& names) {
    if (index == m_levels.size())
        m_levels.emplace_back();
    Bytes data;
    encodePage(page, data);
    std::vector<NameMask> masks;
    for (const NameUse& use : names)
        masks.push_back({use.name, use.children});
    Bytes nameData;
    encodeNames(masks, nameData);
    Level& level = m_levels[index];
    RETURN_IF_ERROR(m_database.execute("INSERT INTO group_page(track, level, sequence, begin_ns, "
                                       "width_ns, names, data) VALUES(?,?,?,?,?,?,?)",
        m_track.value, static_cast<std::int64_t>(index + 1), level.written++,
        page.own.front().begin, page.width, nameData, data));
    if (level.waiting == 0)
        level.open = std::move(page.open);
    level.nodes.insert(level.nodes.end(), page.own.begin(), page.own.end());
    for (const NameUse& use : names)
        level.names.add({use.name, 0, 0, std::uint32_t{1} << level.waiting});
    return ++level.waiting == kFanOut ? closeAbove(index) : Status();
}

// Makes the page above those that wait.
Status TrackTables::closeAbove(std::size_t index) {
    Level level = std::move(m_levels[index]);
    m_levels[index] = {};
    m_levels[index].written = level.written;
    return addPage(index + 1, makePage(std::move(level.open), level.nodes), level.names.take());
}

Status TrackTables::writeNames() {
    for (const NameUse& use : m_names.take())
        RETURN_IF_ERROR(m_database.execute(
            "INSERT INTO track_name(track, name, count, total_ns) VALUES(?,?,?,?)", m_track.value,
            use.name, use.count, use.total));
    return {};
}

Status TrackTables::finish(const TrackFacts& facts) {
    // Upwards until a level has a single page.
    for (std::size_t i = 0; i < m_levels.size(); ++i) {
        if (m_levels[i].written > 1 && m_levels[i].waiting > 0)
            RETURN_IF_ERROR(closeAbove(i));
    }
    RETURN_IF_ERROR(writeNames());
    return m_database.execute("UPDATE track SET begin_ns=?, end_ns=?, count=?, depth=? WHERE id=?",
        facts.range.begin.ns, facts.range.end.ns, facts.count,
        static_cast<std::int64_t>(facts.depth), m_track.value);
}

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
            RETURN_IF_ERROR(finishTrack());
            m_track = track;
            m_cutter.emplace(track, m_submit);
        }
        return m_cutter->add(spans);
    }

    Status finish() {
        RETURN_IF_ERROR(finishTrack());
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
        RETURN_IF_ERROR(m_cutter->finish());
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
    std::map<TrackId, TrackFacts> m_facts; // cut and not yet written
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
    RETURN_IF_ERROR(m_sorter.drain([&](std::size_t track, std::span<const Span> spans) {
        return line.add(m_tracks[track], spans);
    }));
    return line.finish();
}

} // namespace trainscope::store
