#include "core/store/spans/SpanSearch.h"

#include "core/model/Try.h"
#include "core/store/codec/SpanCodec.h"
#include "core/store/spans/LodPage.h"
#include "core/store/spans/SpanReader.h"

#include <algorithm>
#include <bit>
#include <unordered_set>
#include <utility>

namespace trainscope::store {
namespace {

// Beyond this, asking each name for its tracks costs more than looking at every track.
constexpr std::size_t kFewNames = 64;

std::string likePattern(std::string_view text) {
    std::string pattern = "%";
    for (const char c : text) {
        if (c == '%' || c == '_' || c == '\\')
            pattern += '\\';
        pattern += c;
    }
    return pattern + "%";
}

std::uint32_t childrenHolding(const std::vector<NameMask>& held, const NameList& wanted) {
    std::uint32_t children = 0;
    auto at = held.begin();
    for (const std::int64_t name : wanted) {
        at = std::lower_bound(at, held.end(), name,
            [](const NameMask& mask, std::int64_t id) { return mask.name < id; });
        if (at == held.end())
            break;
        if (at->name == name)
            children |= at->children;
    }
    return children;
}

// The name table also holds details, many more than names: only what tracks use is compared, each
// found with one step in the index.
Result<NameList> namesContaining(Database& database, std::string_view text) {
    Result<NameList> names = database.rows(
        "WITH RECURSIVE used(id) AS (SELECT min(name) FROM track_name UNION ALL"
        " SELECT (SELECT min(name) FROM track_name WHERE name>used.id) FROM used"
        " WHERE used.id IS NOT NULL)"
        " SELECT name.id FROM used CROSS JOIN name ON name.id=used.id WHERE name.text LIKE ?"
        " ESCAPE '\\'",
        [](const Row& row) { return row.integer(0); }, likePattern(text));
    if (names.hasValue())
        std::sort(names.value().begin(), names.value().end());
    return names;
}

// The node above everything of the track.
Result<TreeNode> topOf(Database& database, TrackId track) {
    ASSIGN_OR_RETURN(const auto level, topLevel(database, track));
    ASSIGN_OR_RETURN(
        const auto begin, database.number("SELECT begin_ns FROM track WHERE id=?", track.value));
    return TreeNode{level, 0, begin, 0};
}

// The children of a page that hold any of the names, in order.
Result<std::vector<TreeNode>> childrenWith(
    Database& database, TrackId track, const TreeNode& page, const NameList& names) {
    std::vector<NameMask> held;
    std::uint32_t holding = 0;
    RETURN_IF_ERROR(database.forEach(
        "SELECT names FROM group_page WHERE track=? AND level=? AND sequence=?",
        [&](const Row& row) -> Status {
            if (!decodeNames(row.blob(0), held))
                return database.damaged("the names of a page of spans");
            holding = childrenHolding(held, names);
            return {};
        },
        track.value, page.level, page.sequence));
    if (holding == 0)
        return std::vector<TreeNode>{};
    ASSIGN_OR_RETURN(auto children, childrenOf(database, track, page));
    std::erase_if(children, [holding](const TreeNode& child) {
        return (holding >> (child.sequence % static_cast<std::int64_t>(kFanOut)) & 1U) == 0;
    });
    const bool areAllThere = std::cmp_equal(children.size(), std::popcount(holding));
    return areAllThere ? Result(std::move(children))
                       : Result<std::vector<TreeNode>>(database.damaged("the index of spans"));
}

Status listChunks(Database& database, TrackId track, const TreeNode& node, const NameList& names,
    std::vector<std::int64_t>& chunks) {
    if (node.level == 0) {
        chunks.push_back(node.sequence);
        return {};
    }
    ASSIGN_OR_RETURN(const auto children, childrenWith(database, track, node, names));
    for (const TreeNode& child : children)
        RETURN_IF_ERROR(listChunks(database, track, child, names, chunks));
    return {};
}

Result<std::vector<TrackId>> tracksOf(Database& database, RunId run) {
    return database.rows(
        "SELECT id FROM track WHERE run=? AND count>0",
        [](const Row& row) { return TrackId{row.integer(0)}; }, run.value);
}

// Leaves the tracks that hold one of the names.
Status keepHolding(Database& database, const NameList& names, std::vector<TrackId>& tracks) {
    std::unordered_set<std::int64_t> holding;
    for (const std::int64_t name : names) {
        RETURN_IF_ERROR(database.forEach(
            "SELECT track FROM track_name WHERE name=?",
            [&holding](const Row& row) { holding.insert(row.integer(0)); }, name));
    }
    std::erase_if(tracks, [&holding](TrackId track) { return !holding.contains(track.value); });
    return {};
}

struct Wanted {
    NameList names; // ascending
    std::unordered_set<std::int64_t> set = {}; // the same
    std::vector<TrackId> tracks = {}; // tracks of the run that may hold some
};

Result<Wanted> findWanted(Database& database, RunId run, const SpanWish& wish) {
    Wanted wanted;
    if (wish.name.isValid()) {
        wanted.names = {wish.name.value};
    } else {
        ASSIGN_OR_RETURN(wanted.names, namesContaining(database, wish.text));
    }
    if (wanted.names.empty())
        return wanted;
    wanted.set.insert(wanted.names.begin(), wanted.names.end());
    ASSIGN_OR_RETURN(wanted.tracks, tracksOf(database, run));
    if (wanted.names.size() <= kFewNames)
        RETURN_IF_ERROR(keepHolding(database, wanted.names, wanted.tracks));
    return wanted;
}

// Calls visit(spans) with those of a chunk that have one of the names, until it says false.
template <typename Visit>
Status visitNamed(
    Database& database, TrackId track, const Wanted& wanted, SpanFields fields, Visit&& visit) {
    ASSIGN_OR_RETURN(const auto chunks, chunksHolding(database, track, wanted.names));
    SpanChunk chunk;
    for (const std::int64_t sequence : chunks) {
        RETURN_IF_ERROR(readSpanChunk(database, track, sequence, chunk, fields));
        std::erase_if(chunk.own,
            [&wanted](const Span& span) { return !wanted.set.contains(span.name.value); });
        if (!chunk.own.empty() && !visit(chunk.own))
            break;
    }
    return {};
}

} // namespace

Result<std::vector<std::int64_t>> chunksHolding(
    Database& database, TrackId track, const NameList& names) {
    ASSIGN_OR_RETURN(const auto top, topOf(database, track));
    std::vector<std::int64_t> chunks;
    RETURN_IF_ERROR(listChunks(database, track, top, names, chunks));
    return chunks;
}

Status visitSpansNamed(Database& database, TrackId track, NameId name, const SpanVisitor& visit) {
    return visitNamed(database, track, {{name.value}, {name.value}}, SpanFields::All, visit);
}

Status visitFoundSpans(
    Database& database, RunId run, const SpanWish& wanted, const FoundVisitor& visit) {
    ASSIGN_OR_RETURN(const auto where, findWanted(database, run, wanted));
    bool goesOn = true;
    for (std::size_t i = 0; i < where.tracks.size() && goesOn; ++i) {
        const TrackId track = where.tracks[i];
        RETURN_IF_ERROR(visitNamed(database, track, where, SpanFields::Drawn,
            [&](const auto& spans) { return goesOn = visit(track, spans); }));
    }
    return {};
}

} // namespace trainscope::store
