#include "app/viewmodels/lanes/LaneEditing.h"

#include <algorithm>
#include <utility>

namespace trainscope::app {
namespace {

using plot::Arrangement;
using plot::LaneSpec;
using plot::LaneStyle;

std::ptrdiff_t offset(std::size_t index) {
    return static_cast<std::ptrdiff_t>(index);
}

// Split lanes share the height that the lane had, but stay readable.
constexpr double kSplitHeight = 56.0;
constexpr double kMergedHeight = 120.0;

} // namespace

Arrangement withLane(Arrangement from, const LaneSpec& lane, std::size_t at) {
    from.lanes.insert(from.lanes.begin() + offset(std::min(at, from.lanes.size())), lane);
    return from;
}

Arrangement withoutLane(Arrangement from, std::size_t lane) {
    if (lane < from.lanes.size())
        from.lanes.erase(from.lanes.begin() + offset(lane));
    return from;
}

Arrangement withLaneMoved(Arrangement from, std::size_t lane, std::size_t to) {
    if (lane >= from.lanes.size() || to >= from.lanes.size())
        return from;
    const LaneSpec moved = from.lanes[lane];
    from.lanes.erase(from.lanes.begin() + offset(lane));
    from.lanes.insert(from.lanes.begin() + offset(to), moved);
    return from;
}

Arrangement withLaneHeight(Arrangement from, std::size_t lane, double height) {
    if (lane < from.lanes.size())
        from.lanes[lane].height = std::clamp(height, kLeastLaneHeight, kMostLaneHeight);
    return from;
}

Arrangement withLaneStyle(Arrangement from, std::size_t lane, LaneStyle style) {
    if (lane >= from.lanes.size() || !hasStyles(from.lanes[lane]))
        return from;
    LaneSpec styled = from.lanes[lane];
    styled.style = style;
    if (hasStyles(styled))
        from.lanes[lane] = styled;
    return from;
}

Arrangement withLaneSplit(Arrangement from, std::size_t lane, const std::vector<int>& ranks) {
    if (lane >= from.lanes.size() || from.lanes[lane].rank || ranks.size() < 2)
        return from;
    LaneSpec one = from.lanes[lane];
    one.height = std::min(one.height, kSplitHeight);
    from.lanes.erase(from.lanes.begin() + offset(lane));
    std::size_t at = lane;
    for (const int rank : ranks) {
        one.rank = rank;
        from.lanes.insert(from.lanes.begin() + offset(at++), one);
    }
    return from;
}

Arrangement withLanesMerged(Arrangement from, std::size_t lane) {
    if (lane >= from.lanes.size() || !from.lanes[lane].rank)
        return from;
    LaneSpec all = from.lanes[lane];
    all.rank.reset();
    all.height = std::max(all.height, kMergedHeight);
    const auto isPart = [&all](const LaneSpec& other) {
        return other.rank && other.metric == all.metric && other.style == all.style;
    };
    const auto first = std::find_if(from.lanes.begin(), from.lanes.end(), isPart);
    const auto at = static_cast<std::size_t>(first - from.lanes.begin());
    std::erase_if(from.lanes, isPart);
    return withLane(std::move(from), all, at);
}

bool hasStyles(const LaneSpec& lane) {
    return lane.style == LaneStyle::Lines || lane.style == LaneStyle::Band
        || lane.style == LaneStyle::Heat;
}

} // namespace trainscope::app
