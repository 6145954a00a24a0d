#pragma once
// A track on its way into the database, up to the tables: sorted spans get their depth and are cut
// into blocks, and a block, which becomes a page of level 1, is encoded as chunks, a page and names
// without the database, so that blocks are encoded side by side.

#include "core/model/Id.h"
#include "core/model/Result.h"
#include "core/store/codec/SpanCodec.h"
#include "core/store/spans/LodPage.h"

#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

namespace trainscope::store {

struct NameUse {
    std::int64_t name = 0;
    std::int64_t count = 0;
    std::int64_t total = 0; // ns
    std::uint32_t children = 0; // bit i: the i-th
};

// Counts how often each name occurs, for how long, and in which of the children of a page.
class NameUses {
public:
    void add(NameId name, std::int64_t duration, std::uint32_t child) {
        add({name.value, 1, duration, std::uint32_t{1} << child});
    }
    void add(const NameUse& use) {
        NameUse& known = m_uses[use.name];
        known.name = use.name;
        known.count += use.count;
        known.total = wrappingSum(known.total, use.total);
        known.children |= use.children;
    }
    // The counts in order of name; the object is empty afterwards.
    std::vector<NameUse> take();

private:
    std::unordered_map<std::int64_t, NameUse> m_uses; // by name
};

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
    LodPage page; // level 1; empty where the track has one chunk only
};

EncodedBlock encodeBlock(const SpanBlock& block); // pure; any thread

// Times until which each depth is taken. The first free depth is given out: nested spans lie below
// their parents, and chains of spans that only graze each other do not grow without end.
class Depths {
public:
    std::uint16_t take(const Span& span);
    [[nodiscard]] std::size_t count() const { return m_last.size(); }
    // The spans that are still open at that time, in order of start.
    [[nodiscard]] std::vector<Span> openAt(std::int64_t begin);

private:
    std::size_t firstFree(std::int64_t start);

    std::vector<Span> m_last; // by depth: the last span there
    std::vector<std::int64_t> m_ends; // by depth: until when it is taken
    std::vector<std::int64_t> m_soonest; // no end of that stretch of depths is earlier
    std::vector<Span> m_crowd; // on the last depth there is, where they may overlap
};

// One track from its spans in order: depth by nesting, and blocks to encode.
class TrackCutter {
public:
    using Output = std::function<Status(SpanBlock&&)>;
    TrackCutter(TrackId track, const Output& output)
        : m_track(track)
        , m_output(output) { }

    // Spans come in order of start, the longer first among equals.
    Status add(std::span<const Span> spans);
    Status finish();

    [[nodiscard]] TimeRange range() const { return m_range; } // first start to last end
    [[nodiscard]] std::int64_t count() const { return m_count; }
    [[nodiscard]] std::size_t depth() const { return m_depths.count(); }

private:
    Status handOver(bool isWhole);

    TrackId m_track;
    const Output& m_output;
    SpanBlock m_block;
    Depths m_depths;
    TimeRange m_range;
    std::int64_t m_count = 0;
};

} // namespace trainscope::store
