#include "core/analysis/cluster/PlacementModel.h"

#include <algorithm>
#include <map>

namespace trainscope::analysis {

namespace {

using layout::GroupKind;

bool staysInside(GroupKind kind) {
    return kind == GroupKind::Tensor || kind == GroupKind::Context
        || kind == GroupKind::TensorContext;
}

} // namespace

std::vector<GroupLoad> groupLoads(const layout::Layout& layout, const layout::TrafficModel& model) {
    // Ranks of a stage exchange as much as each other.
    std::map<int, std::map<std::string, double>> byStage;
    for (int rank = 0; rank < layout.grid.worldSize(); ++rank) {
        const int stage = layout.grid.position(rank).pipeline;
        if (byStage.contains(stage))
            continue;
        const auto traffic = trafficOf(layout, model, rank);
        if (!traffic.hasValue())
            return {};
        for (const auto& group : traffic.value())
            byStage[stage][group.group] += group.bytes;
    }
    std::vector<GroupLoad> loads;
    for (const auto& info : layout::groupKinds()) {
        if (staysInside(info.kind))
            continue;
        for (auto& ranks : layout.grid.groups(info.kind)) {
            double most = 0.0;
            for (const int rank : ranks) {
                const auto& own = byStage[layout.grid.position(rank).pipeline];
                const auto found = own.find(std::string(info.key));
                if (found != own.end())
                    most = std::max(most, found->second);
            }
            if (ranks.size() > 1 && most > 0.0)
                loads.push_back({std::move(ranks), most});
        }
    }
    return loads;
}

} // namespace trainscope::analysis
