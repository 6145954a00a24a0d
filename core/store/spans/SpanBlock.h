#pragma once
// What is computed of the spans of one page of level 1 without the database: its chunks, its groups
// and its names. Pure, so that blocks are encoded side by side.

#include "core/store/codec/SpanCodec.h"
#include "core/store/spans/GroupPage.h"
#include "core/store/spans/NameUses.h"

#include <vector>

namespace trainscope::store {

inline constexpr std::size_t kBlockSpans = kFanOut * kChunkSpans;

// Up to kBlockSpans spans of one track in order, with their depth.
struct SpanBlock {
    TrackId track;
    std::vector<Span> open; // began earlier, still open at the begin of the first
    std::vector<Span> own;
    bool isWhole = false; // the only block of its track
};

struct EncodedChunk {
    std::int64_t count = 0;
    std::int64_t begin = 0;
    std::int64_t lowestCorrelation = 0;
    std::int64_t highestCorrelation = 0;
    Bytes data;
};

struct EncodedBlock {
    TrackId track;
    std::size_t count = 0;
    std::vector<EncodedChunk> chunks;
    std::vector<NameUse> names;
    GroupPage page; // of level 1; empty where the track has one chunk only
};

EncodedBlock encodeBlock(const SpanBlock& block);

} // namespace trainscope::store
