#include "core/store/spans/SpanSorter.h"

#include "core/model/Try.h"

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

} // namespace trainscope::store
