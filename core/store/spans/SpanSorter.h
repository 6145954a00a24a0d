#pragma once
// Spans of many tracks in any order of arrival, given back track by track in order of start (the
// longer first among equals, then as they came). Each memory full is sorted and encoded on the
// pool and waits in an unnamed file beside the database.

#include "core/parallel/OrderedJobs.h"
#include "core/store/codec/SpanCodec.h"
#include "core/store/database/Database.h"
#include "core/store/database/Spill.h"
#include "core/store/spans/LodPage.h"

namespace trainscope::store {

class SpanSorter {
public:
    // spansInMemory: how many are collected before they are encoded; kBatches of these are in
    // memory at most.
    SpanSorter(std::filesystem::path beside, std::size_t spansInMemory);

    // Tracks are numbered from 0. A failure of earlier spans may show here.
    Status add(std::size_t track, std::span<const Span> spans);
    [[nodiscard]] std::uint64_t size() const { return m_size; }

    using Visit = std::function<Status(std::size_t track, std::span<const Span> spans)>;
    // Each track's spans in order, in pieces. The sorter is empty afterwards.
    Status drain(const Visit& visit);

private:
    static constexpr std::size_t kBatches = 3;

    // A stretch of sorted spans of one track in the file.
    struct Piece {
        std::uint64_t offset = 0;
        std::uint32_t bytes = 0;
        bool opensBatch = false; // the first of its track in its batch
        TimeNs begin; // start of the first span
    };
    using Batch = std::vector<std::vector<Span>>; // by track
    struct EncodedBatch {
        std::vector<std::pair<std::size_t, Piece>> pieces; // with their tracks
        Bytes data; // offsets count from its begin
        Batch emptied; // its memory is used again
    };
    struct Run;

    static EncodedBatch encode(Batch& batch);
    Status handOver();
    void keep(EncodedBatch&& batch);
    Status next(Run& run) const;
    Status drainTrack(std::size_t track, const Visit& visit);
    Status merge(std::vector<Run>& runs, const Visit& visit, std::size_t track) const;

    std::filesystem::path m_beside;
    std::size_t m_limit;
    Batch m_batch;
    std::vector<Batch> m_emptied;
    std::size_t m_inBatch = 0;
    std::uint64_t m_size = 0;
    SpillFile m_file;
    std::vector<std::vector<Piece>> m_pieces; // by track, in order of arrival
    Status m_status;
    OrderedJobs<EncodedBatch> m_jobs;
};

// A track on its way into the database, up to the tables: sorted spans get their depth and are cut
// into blocks, and a block, which becomes a page of level 1, is encoded as chunks, a page and names
// without the database, so that blocks are encoded side by side.

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

// The spans of one import session, from any order of arrival to tracks with chunks, a tree of
// nodes, and names. Sorting and encoding happen on the pool, the database is written in order.

class SpanWriter {
public:
    static constexpr std::size_t kSpansInMemory = std::size_t{1} << 17U; // 7 MiB

    explicit SpanWriter(Database& database, std::size_t spansInMemory = kSpansInMemory);

    void open(TrackId track);
    // Spans come in any order, to a track that was opened; a negative duration counts as none.
    Status add(TrackId track, std::span<const Span> spans);
    // Writes every track.
    Status finish(const Progress& progress);

private:
    Database& m_database;
    std::vector<TrackId> m_tracks;
    std::unordered_map<TrackId, std::size_t> m_places; // in m_tracks
    SpanSorter m_sorter;
};

} // namespace trainscope::store
