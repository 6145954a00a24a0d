#include "core/store/samples/SampleData.h"
#include "core/store/spans/GroupPage.h"
#include "core/store/spans/SpanSearch.h"

#include <algorithm>

namespace trainscope::store {
namespace {

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

} // namespace

// The name table also holds details, many more than names: only what tracks use is compared, each
// found with one step in the index.
Result<NameList> namesContaining(Database& database, std::string_view text) {
    NameList names;
    Status status = database.forEach(
        "WITH RECURSIVE used(id) AS (SELECT min(name) FROM track_name UNION ALL"
        " SELECT (SELECT min(name) FROM track_name WHERE name>used.id) FROM used"
        " WHERE used.id IS NOT NULL)"
        " SELECT name.id FROM used CROSS JOIN name ON name.id=used.id WHERE name.text LIKE ?"
        " ESCAPE '\\'",
        [&names](const Row& row) { names.push_back(row.integer(0)); }, likePattern(text));
    if (!status.hasValue())
        return status.error();
    std::sort(names.begin(), names.end());
    return names;
}

Result<TreeNode> topOf(Database& database, TrackId track) {
    TreeNode top;
    Status status = database.forEach(
        "SELECT coalesce((SELECT max(level) FROM group_page WHERE track=?1), 0), begin_ns FROM "
        "track WHERE id=?1",
        [&top](const Row& row) {
            top.level = row.integer(0);
            top.begin = row.integer(1);
        },
        track.value);
    if (!status.hasValue())
        return status.error();
    return top;
}

Result<std::vector<TreeNode>> childrenWith(
    Database& database, TrackId track, const TreeNode& page, const NameList& names) {
    std::vector<NameMask> held;
    std::uint32_t children = 0;
    Status status = database.forEach(
        "SELECT names FROM group_page WHERE track=? AND level=? AND sequence=?",
        [&](const Row& row) -> Status {
            if (!decodeNames(row.blob(0), held))
                return damagedChunk(database, "the names of a page of spans");
            children = childrenHolding(held, names);
            return {};
        },
        track.value, page.level, page.sequence);
    std::vector<TreeNode> found;
    const auto take = [&](const Row& row) {
        const std::int64_t sequence = row.integer(0);
        if ((children >> (sequence % static_cast<std::int64_t>(kFanOut)) & 1U) != 0)
            found.push_back({page.level - 1, sequence, row.integer(1)});
    };
    const std::int64_t first = page.sequence * static_cast<std::int64_t>(kFanOut);
    const std::int64_t last = first + static_cast<std::int64_t>(kFanOut);
    if (status.hasValue() && children != 0 && page.level > 1)
        status = database.forEach(
            "SELECT sequence, begin_ns FROM group_page WHERE track=? AND level=? AND "
            "sequence>=? AND sequence<? ORDER BY sequence",
            take, track.value, page.level - 1, first, last);
    else if (status.hasValue() && children != 0)
        status = database.forEach(
            "SELECT sequence, begin_ns FROM span_chunk WHERE track=? AND sequence>=? AND "
            "sequence<? ORDER BY sequence",
            take, track.value, first, last);
    if (!status.hasValue())
        return status.error();
    return found;
}

} // namespace trainscope::store
