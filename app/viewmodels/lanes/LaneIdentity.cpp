#include "app/viewmodels/lanes/LaneIdentity.h"

#include <algorithm>
#include <utility>

namespace trainscope::app {

bool containsLanes(const plot::Arrangement& loaded, const plot::Arrangement& wanted) {
    return std::all_of(wanted.lanes.begin(), wanted.lanes.end(), [&loaded](const auto& lane) {
        return std::any_of(loaded.lanes.begin(), loaded.lanes.end(),
            [&lane](const auto& other) { return sameLane(lane, other); });
    });
}

void rearrange(plot::TimelineData& data, const plot::Arrangement& arrangement) {
    std::vector<plot::LaneData> lanes;
    lanes.reserve(arrangement.lanes.size());
    for (const auto& spec : arrangement.lanes) {
        const auto found = std::find_if(data.lanes.begin(), data.lanes.end(),
            [&spec](const plot::LaneData& lane) { return sameLane(lane.spec, spec); });
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
