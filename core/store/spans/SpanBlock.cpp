#include "core/store/spans/SpanBlock.h"

#include <algorithm>

namespace trainscope::store {
namespace {

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

GroupPage pageOf(const SpanBlock& block) {
    std::vector<GroupRecord> open;
    std::vector<GroupRecord> own;
    open.reserve(block.open.size());
    own.reserve(block.own.size());
    for (const Span& span : block.open)
        open.push_back(groupOf(span));
    for (const Span& span : block.own)
        own.push_back(groupOf(span));
    return makePage(std::move(open), own);
}

} // namespace

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

} // namespace trainscope::store
