#pragma once
// Reading the spans of a track.

#include "core/parallel/OrderedJobs.h"
#include "core/store/Values.h"
#include "core/store/codec/SpanCodec.h"
#include "core/store/database/Database.h"

namespace trainscope::store {

// The spans of a track that touch a window, block by block, pulled by the reader. Chunks ahead of
// the reader are decoded on the pool. One thread at a time, as the database it reads from.
class SpanStream {
public:
    SpanStream(
        Database& database, TrackId track, TimeRange window, SpanFields fields = SpanFields::All);

    // The next spans in order of start, valid until the next call; none at the end. Unreadable
    // where chunks are damaged, or missing before later ones.
    Result<std::span<const Span>> next();

private:
    struct Decoded {
        bool isGood = false;
        std::vector<Span> spans;
    };
    Status readOne();
    static Decoded decode(ByteView data, TimeRange window, bool isFirst, SpanFields fields);

    Database& m_database;
    TrackId m_track;
    TimeRange m_window;
    SpanFields m_fields;
    std::int64_t m_sequence = -1; // the next chunk to read; -1: not yet known
    bool m_isFirst = true;
    bool m_isRead = false; // up to the end of the window
    std::vector<Span> m_current;
    std::deque<Decoded> m_ready;
    OrderedJobs<Decoded> m_jobs;
};

// False where the track has no chunk of that number; Unreadable where it cannot be decoded.
Result<bool> readSpanChunk(Database& database, TrackId track, std::int64_t sequence,
    SpanChunk& chunk, SpanFields fields = SpanFields::All);

// A page of the tree above a track's chunks (LodPage.h), or a chunk (level 0), by its number on its
// level.
struct TreeNode {
    std::int64_t level = 0;
    std::int64_t sequence = 0;
    std::int64_t begin = 0; // ns
    std::int64_t width = 0; // ns, of a page: what is narrower is merged with its neighbours
};
// The level of the page above everything; 0: the track has one chunk or none.
Result<std::int64_t> topLevel(Database& database, TrackId track);
// Those that a page has beneath it, in order.
Result<std::vector<TreeNode>> childrenOf(Database& database, TrackId track, const TreeNode& page);

// Number of the chunk that a window from `begin` starts with.
Result<std::int64_t> firstChunk(Database& database, TrackId track, TimeNs begin);

Status visitSpans(Database& database, TrackId track, TimeRange window, const SpanVisitor& visit,
    SpanFields fields = SpanFields::All);

// See Store::lodNodes, spanAt, correlated.
Result<std::vector<LodNode>> queryLodNodes(
    Database& database, TrackId track, TimeRange window, DurationNs minWidth);
Result<std::optional<Span>> querySpanAt(Database& database, TrackId track, TimeNs t, int depth);
Result<std::vector<FoundSpan>> queryCorrelated(
    Database& database, RunId run, int rank, std::int64_t correlation);

// Finding spans by their names, through the names that each page of a track's tree keeps.

// Ids of the names of spans, ascending.
using NameList = std::vector<std::int64_t>;

// Numbers of the chunks of a track that hold any of the names, ascending. A track of one chunk
// keeps no names above it and is listed whatever it holds.
Result<std::vector<std::int64_t>> chunksHolding(
    Database& database, TrackId track, const NameList& names);

// See Store::forEachSpanNamed, forEachFound.
Status visitSpansNamed(Database& database, TrackId track, NameId name, const SpanVisitor& visit);
Status visitFoundSpans(
    Database& database, RunId run, const SpanWish& wanted, const FoundVisitor& visit);

} // namespace trainscope::store
