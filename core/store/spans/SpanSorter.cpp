#include "core/store/spans/SpanSorter.h"

#include <boost/sort/flat_stable_sort/flat_stable_sort.hpp>
#include <iterator>

namespace trainscope::store {
namespace {

constexpr std::size_t kPieceSpans = 1024; // many runs are open at once while they are merged

bool before(const Span& a, const Span& b) {
    return a.start != b.start ? a.start < b.start : a.duration > b.duration;
}

// Stable; cheap where the spans are nearly in order.
void sortSpans(std::vector<Span>& spans) {
    if (spans.size() > 1)
        boost::sort::flat_stable_sort(spans.begin(), spans.end(), before);
}

constexpr std::size_t kStretch = 64; // depths
constexpr std::size_t kDeepest = std::numeric_limits<std::uint16_t>::max();

EncodedChunk encodeChunk(std::span<const Span> open, std::span<const Span> own) {
    EncodedChunk chunk;
    chunk.count = static_cast<std::int64_t>(own.size());
    chunk.begin = own.front().start.ns;
    chunk.lowestCorrelation = own.front().correlation;
    chunk.highestCorrelation = own.front().correlation;
    for (const Span& span : own) {
        chunk.lowestCorrelation = std::min(chunk.lowestCorrelation, span.correlation);
        chunk.highestCorrelation = std::max(chunk.highestCorrelation, span.correlation);
    }
    encodeSpans(open, own, chunk.data);
    return chunk;
}

void keepOpenAt(std::int64_t begin, std::span<const Span> more, std::vector<Span>& open) {
    const auto isOver = [begin](const Span& span) { return endOf(span) <= begin; };
    std::erase_if(open, isOver);
    std::remove_copy_if(more.begin(), more.end(), std::back_inserter(open), isOver);
}

LodPage pageOf(const SpanBlock& block) {
    std::vector<LodRecord> open;
    std::vector<LodRecord> own;
    open.reserve(block.open.size());
    own.reserve(block.own.size());
    for (const Span& span : block.open)
        open.push_back(recordOf(span));
    for (const Span& span : block.own)
        own.push_back(recordOf(span));
    return makePage(std::move(open), own);
}

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

// The sorted spans of one track and batch: the piece in memory, and those that follow.
struct SpanSorter::Run {
    std::span<const Piece> pieces;
    std::vector<Span> spans;
    std::size_t at = 0;
    TimeNs begin; // begin of the whole run

    [[nodiscard]] const Span& head() const { return spans[at]; }
    [[nodiscard]] bool isOver() const { return at == spans.size(); }
};

SpanSorter::SpanSorter(std::filesystem::path beside, std::size_t spansInMemory)
    : m_beside(std::move(beside))
    , m_limit(std::max<std::size_t>(spansInMemory, 2))
    , m_jobs(WorkerPool::shared(), kBatches - 1,
          [this](EncodedBatch&& batch) { keep(std::move(batch)); }) { }

Status SpanSorter::add(std::size_t track, std::span<const Span> spans) {
    while (!spans.empty()) {
        if (m_inBatch == m_limit)
            RETURN_IF_ERROR(handOver());
        if (track >= m_batch.size())
            m_batch.resize(track + 1);
        std::vector<Span>& own = m_batch[track];
        const std::size_t taken = std::min(spans.size(), m_limit - m_inBatch);
        for (Span span : spans.first(taken)) {
            span.duration = boundedDuration(span.start, span.duration);
            own.push_back(span);
        }
        m_inBatch += taken;
        m_size += taken;
        spans = spans.subspan(taken);
    }
    return {};
}

SpanSorter::EncodedBatch SpanSorter::encode(Batch& batch) {
    EncodedBatch encoded;
    for (std::size_t track = 0; track < batch.size(); ++track) {
        std::vector<Span>& spans = batch[track];
        sortSpans(spans);
        const std::span<const Span> all(spans);
        for (std::size_t at = 0; at < all.size(); at += kPieceSpans) {
            const std::size_t offset = encoded.data.size();
            encodeSpans({}, all.subspan(at, std::min(kPieceSpans, all.size() - at)), encoded.data,
                Squeeze::No);
            encoded.pieces.push_back({track,
                {offset, static_cast<std::uint32_t>(encoded.data.size() - offset), at == 0,
                    all[at].start}});
        }
        spans.clear();
    }
    encoded.emptied = std::move(batch);
    return encoded;
}

Status SpanSorter::handOver() {
    if (!m_file.isOpen())
        RETURN_IF_ERROR(m_file.open(m_beside));
    const auto batch = std::make_shared<Batch>(std::exchange(m_batch, {}));
    m_inBatch = 0;
    if (!m_emptied.empty()) {
        m_batch = std::move(m_emptied.back());
        m_emptied.pop_back();
    }
    m_jobs.submit([batch] { return encode(*batch); });
    return m_status;
}

void SpanSorter::keep(EncodedBatch&& batch) {
    const std::uint64_t begin = m_file.size();
    if (m_status.hasValue())
        m_status = m_file.append(std::as_bytes(std::span(batch.data)));
    for (auto& [track, piece] : batch.pieces) {
        if (track >= m_pieces.size())
            m_pieces.resize(track + 1);
        piece.offset += begin;
        m_pieces[track].push_back(piece);
    }
    m_emptied.push_back(std::move(batch.emptied));
}

Status SpanSorter::next(Run& run) const {
    if (!run.isOver() || run.pieces.empty())
        return {};
    const Piece& piece = run.pieces.front();
    Bytes data(piece.bytes);
    Status status = m_file.readAt(piece.offset, std::as_writable_bytes(std::span(data)));
    SpanChunk chunk;
    if (status.hasValue() && !decodeSpans(data, chunk))
        status = Error{ErrorCode::Io, "The temporary file for sorting cannot be read back.", {}};
    run.spans = std::move(chunk.own);
    run.at = 0;
    run.pieces = run.pieces.subspan(1);
    return status;
}

// Runs are opened when the merge reaches their begin: spans that came in order need one at a time.
Status SpanSorter::merge(std::vector<Run>& runs, const Visit& visit, std::size_t track) const {
    std::vector<std::size_t> closed(runs.size()); // the next to open at the back
    for (std::size_t i = 0; i < closed.size(); ++i)
        closed[i] = closed.size() - 1 - i;
    std::stable_sort(closed.begin(), closed.end(),
        [&runs](std::size_t a, std::size_t b) { return runs[b].begin < runs[a].begin; });
    const auto later = [&runs](std::size_t a, std::size_t b) {
        if (before(runs[a].head(), runs[b].head()))
            return false;
        return before(runs[b].head(), runs[a].head()) || a > b;
    };
    std::vector<std::size_t> open; // a heap, the run with the first head in front
    while (!open.empty() || !closed.empty()) {
        while (!closed.empty()
            && (open.empty() || runs[closed.back()].begin <= runs[open.front()].head().start)) {
            open.push_back(closed.back());
            closed.pop_back();
            RETURN_IF_ERROR(next(runs[open.back()]));
            std::push_heap(open.begin(), open.end(), later);
        }
        std::pop_heap(open.begin(), open.end(), later);
        const std::size_t first = open.back();
        open.pop_back();
        Run& run = runs[first];
        const std::size_t from = run.at;
        // Its head, and all that comes before what any other run has.
        do {
            ++run.at;
        } while (!run.isOver() && (closed.empty() || run.head().start < runs[closed.back()].begin)
            && (open.empty() || !later(first, open.front())));
        RETURN_IF_ERROR(visit(track, std::span(run.spans).subspan(from, run.at - from)));
        RETURN_IF_ERROR(next(run));
        if (!run.isOver()) {
            open.push_back(first);
            std::push_heap(open.begin(), open.end(), later);
        }
    }
    return {};
}

Status SpanSorter::drainTrack(std::size_t track, const Visit& visit) {
    std::vector<Span> last;
    if (track < m_batch.size())
        last = std::exchange(m_batch[track], {});
    sortSpans(last);
    if (track >= m_pieces.size() || m_pieces[track].empty())
        return last.empty() ? Status() : visit(track, last);
    const std::vector<Piece> pieces = std::exchange(m_pieces[track], {});
    std::vector<Run> runs;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        if (pieces[i].opensBatch)
            runs.push_back({std::span(pieces).subspan(i, 0), {}, 0, pieces[i].begin});
        Run& run = runs.back();
        run.pieces = std::span(run.pieces.data(), run.pieces.size() + 1);
    }
    if (!last.empty()) {
        const TimeNs begin = last.front().start;
        runs.push_back({{}, std::move(last), 0, begin});
    }
    return merge(runs, visit, track);
}

Status SpanSorter::drain(const Visit& visit) {
    m_jobs.finish();
    m_emptied.clear();
    if (!m_status.hasValue())
        return m_status;
    const std::size_t tracks = std::max(m_batch.size(), m_pieces.size());
    for (std::size_t track = 0; track < tracks; ++track)
        RETURN_IF_ERROR(drainTrack(track, visit));
    m_batch.clear();
    m_inBatch = 0;
    m_size = 0;
    return {};
}

std::vector<NameUse> NameUses::take() {
    std::vector<NameUse> uses;
    for (const auto& [name, use] : std::exchange(m_uses, {}))
        uses.push_back(use);
    std::ranges::sort(uses, [](const NameUse& a, const NameUse& b) { return a.name < b.name; });
    return uses;
}

EncodedBlock encodeBlock(const SpanBlock& block) {
    EncodedBlock encoded;
    encoded.track = block.track;
    encoded.count = block.own.size();
    NameUses names;
    std::vector<Span> open = block.open;
    const std::span<const Span> all(block.own);
    for (std::size_t at = 0; at < all.size(); at += kChunkSpans) {
        const auto own = all.subspan(at, std::min(kChunkSpans, all.size() - at));
        const auto child = static_cast<std::uint32_t>(at / kChunkSpans);
        for (const Span& span : own)
            names.add(span.name, span.duration.ns, child);
        encoded.chunks.push_back(encodeChunk(open, own));
        if (at + kChunkSpans < all.size())
            keepOpenAt(all[at + kChunkSpans].start.ns, own, open);
    }
    encoded.names = names.take();
    if (!block.isWhole || all.size() > kChunkSpans)
        encoded.page = pageOf(block);
    return encoded;
}

// Ends only ever grow, so that a stretch that was found full can be passed over until its earliest.
std::size_t Depths::firstFree(std::int64_t start) {
    for (std::size_t stretch = 0; stretch < m_soonest.size(); ++stretch) {
        if (m_soonest[stretch] > start)
            continue;
        const std::size_t end = std::min((stretch + 1) * kStretch, m_ends.size());
        std::int64_t soonest = kAllTime.end.ns;
        for (std::size_t depth = stretch * kStretch; depth < end; ++depth) {
            if (m_ends[depth] <= start)
                return depth;
            soonest = std::min(soonest, m_ends[depth]);
        }
        if (end % kStretch != 0)
            break; // the next depth belongs to this stretch
        m_soonest[stretch] = soonest;
    }
    return std::min(m_ends.size(), kDeepest);
}

std::uint16_t Depths::take(const Span& span) {
    const std::size_t depth = firstFree(span.start.ns);
    if (depth == m_ends.size()) {
        if (depth % kStretch == 0)
            m_soonest.push_back(kAllTime.begin.ns);
        m_ends.push_back(0);
        m_last.emplace_back();
    } else if (m_ends[depth] > span.start.ns) {
        m_crowd.push_back(m_last[depth]);
    }
    m_last[depth] = span;
    m_last[depth].depth = static_cast<std::uint16_t>(depth);
    m_ends[depth] = endOf(span);
    return m_last[depth].depth;
}

std::vector<Span> Depths::openAt(std::int64_t begin) {
    const auto isOver = [begin](const Span& span) { return endOf(span) <= begin; };
    std::erase_if(m_crowd, isOver);
    std::vector<Span> open = m_crowd;
    std::remove_copy_if(m_last.begin(), m_last.end(), std::back_inserter(open), isOver);
    std::ranges::stable_sort(open, [](const Span& a, const Span& b) {
        return a.start != b.start ? a.start < b.start : a.depth < b.depth;
    });
    return open;
}

Status TrackCutter::add(std::span<const Span> spans) {
    for (const Span& span : spans) {
        if (m_block.own.size() == kBlockSpans) {
            RETURN_IF_ERROR(handOver(false));
            m_block.open = m_depths.openAt(span.start.ns);
        }
        const TimeNs end{endOf(span)};
        m_range = m_count == 0 ? TimeRange{span.start, end}
                               : TimeRange{m_range.begin, std::max(m_range.end, end)};
        ++m_count;
        m_block.own.push_back(span);
        m_block.own.back().depth = m_depths.take(span);
    }
    return {};
}

Status TrackCutter::handOver(bool isWhole) {
    SpanBlock block = std::exchange(m_block, {});
    block.track = m_track;
    block.isWhole = isWhole;
    m_block.own.reserve(isWhole ? 0 : kBlockSpans);
    return m_output(std::move(block));
}

Status TrackCutter::finish() {
    const bool isWhole = m_count <= static_cast<std::int64_t>(kBlockSpans);
    return m_block.own.empty() ? Status() : handOver(isWhole);
}

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
