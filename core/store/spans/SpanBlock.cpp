#include "core/store/spans/SpanBlock.h"

#include "core/model/Try.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace trainscope::store {
namespace {

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
