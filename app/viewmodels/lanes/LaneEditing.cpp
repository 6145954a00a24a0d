#include "app/viewmodels/lanes/LaneEditing.h"

#include <algorithm>
#include <utility>

namespace trainscope::app {
namespace {

using plot::Arrangement;
using plot::LaneSpec;
using plot::LaneStyle;

// Split lanes share the height that the lane had, but stay readable.
constexpr double kSplitHeight = 56.0;
constexpr double kMergedHeight = 120.0;

// nullptr: there is none.
LaneSpec* laneAt(Arrangement& arrangement, int lane) {
    const bool isThere = lane >= 0 && lane < static_cast<int>(arrangement.lanes.size());
    return isThere ? &arrangement.lanes[static_cast<std::size_t>(lane)] : nullptr;
}

} // namespace

Arrangement withLane(Arrangement from, const LaneSpec& lane, int at) {
    from.lanes.insert(from.lanes.begin() + std::min(at, static_cast<int>(from.lanes.size())), lane);
    return from;
}

Arrangement withoutLane(Arrangement from, int lane) {
    if (laneAt(from, lane) != nullptr)
        from.lanes.erase(from.lanes.begin() + lane);
    return from;
}

Arrangement withLaneMoved(Arrangement from, int lane, int to) {
    if (laneAt(from, lane) == nullptr || laneAt(from, to) == nullptr)
        return from;
    const LaneSpec moved = *laneAt(from, lane);
    return withLane(withoutLane(std::move(from), lane), moved, to);
}

Arrangement withLaneHeight(Arrangement from, int lane, double height) {
    if (auto* found = laneAt(from, lane))
        *found = {found->style, found->metric, found->rank,
            std::clamp(height, kLeastLaneHeight, kMostLaneHeight), true};
    return from;
}

Arrangement withLaneShared(Arrangement from, int lane, double wish) {
    if (auto* found = laneAt(from, lane))
        *found = {found->style, found->metric, found->rank, wish, false};
    return from;
}

Arrangement withLaneStyle(Arrangement from, int lane, LaneStyle style) {
    auto* found = laneAt(from, lane);
    if (found == nullptr || !hasStyles(*found))
        return from;
    LaneSpec styled = *found;
    styled.style = style;
    if (hasStyles(styled))
        *found = styled;
    return from;
}

Arrangement withLaneSplit(Arrangement from, int lane, const std::vector<int>& ranks) {
    const auto* found = laneAt(from, lane);
    if (found == nullptr || found->rank || ranks.size() < 2)
        return from;
    LaneSpec one = *found;
    one.height = std::min(one.height, kSplitHeight);
    one.isFixed = false;
    from.lanes.erase(from.lanes.begin() + lane);
    for (const int rank : ranks) {
        one.rank = rank;
        from.lanes.insert(from.lanes.begin() + lane++, one);
    }
    return from;
}

Arrangement withLanesMerged(Arrangement from, int lane) {
    const auto* found = laneAt(from, lane);
    if (found == nullptr || !found->rank)
        return from;
    LaneSpec all = *found;
    all.rank.reset();
    all.height = std::max(all.height, kMergedHeight);
    all.isFixed = false;
    const auto isPart = [&all](const LaneSpec& other) {
        return other.rank && other.metric == all.metric && other.style == all.style;
    };
    const auto first = std::ranges::find_if(from.lanes, isPart);
    const auto at = static_cast<int>(first - from.lanes.begin());
    std::erase_if(from.lanes, isPart);
    return withLane(std::move(from), all, at);
}

bool hasStyles(const LaneSpec& lane) {
    return lane.style == LaneStyle::Lines || lane.style == LaneStyle::Band
        || lane.style == LaneStyle::Heat;
}

bool containsLanes(const plot::Arrangement& loaded, const plot::Arrangement& wanted) {
    return std::ranges::all_of(wanted.lanes, [&loaded](const auto& lane) {
        return std::ranges::any_of(
            loaded.lanes, [&lane](const auto& other) { return sameLane(lane, other); });
    });
}

void rearrange(plot::TimelineData& data, const plot::Arrangement& arrangement) {
    std::vector<plot::LaneData> lanes;
    lanes.reserve(arrangement.lanes.size());
    for (const auto& spec : arrangement.lanes) {
        const auto found = std::ranges::find_if(
            data.lanes, [&spec](const plot::LaneData& lane) { return sameLane(lane.spec, spec); });
        plot::LaneData lane;
        if (found != data.lanes.end()) {
            lane = std::move(*found);
            data.lanes.erase(found);
        }
        lane.spec = spec;
        lanes.push_back(std::move(lane));
    }
    data.lanes = std::move(lanes);
}

} // namespace trainscope::app
