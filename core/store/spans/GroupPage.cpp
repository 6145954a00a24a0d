#include "core/store/spans/GroupPage.h"

#include <algorithm>
#include <bit>

namespace trainscope::store {
namespace {

constexpr std::uint64_t kWidest = std::uint64_t{1} << 62U;
constexpr std::size_t kSpacings = 1024; // that many of them tell the median
constexpr std::uint64_t kNeighbours = 4; // the first width tried holds about so many

// Half of the entries follow their predecessor within about this.
std::uint64_t medianSpacing(std::span<const GroupRecord> entries) {
    if (entries.size() < 2)
        return 0;
    std::vector<std::uint64_t> spacing;
    const std::size_t step = 1 + entries.size() / kSpacings;
    spacing.reserve(entries.size() / step + 1);
    for (std::size_t i = 1; i < entries.size(); i += step)
        spacing.push_back(distance(entries[i - 1].begin, entries[i].begin));
    const auto middle = spacing.begin() + static_cast<std::ptrdiff_t>(spacing.size() / 2);
    std::nth_element(spacing.begin(), middle, spacing.end());
    return *middle;
}

std::vector<GroupRecord> merged(std::span<const GroupRecord> entries, std::uint64_t width) {
    std::vector<GroupRecord> groups;
    GroupMerger merger(static_cast<std::int64_t>(width), groups);
    for (const GroupRecord& entry : entries)
        merger.add(entry);
    return groups;
}

} // namespace

GroupPage makePage(std::vector<GroupRecord> open, std::span<const GroupRecord> entries) {
    const std::size_t most = std::min(kPageGroups, std::max<std::size_t>(entries.size() / 4, 64));
    const std::uint64_t first = std::min(medianSpacing(entries), kWidest / kNeighbours);
    std::uint64_t width = std::bit_ceil(std::max<std::uint64_t>(first * kNeighbours, 1));
    std::vector<GroupRecord> groups = merged(entries, width);
    while (groups.size() > most && width < kWidest) {
        width *= 2;
        groups = merged(groups, width); // what was merged stays merged
    }
    return {static_cast<std::int64_t>(width), std::move(open), std::move(groups)};
}

} // namespace trainscope::store
