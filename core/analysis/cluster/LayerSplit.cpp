#include "core/analysis/cluster/LayerSplit.h"

#include <algorithm>
#include <cstddef>
#include <tuple>

namespace trainscope::analysis {

std::optional<std::vector<int>> bestSplit(const SplitRequest& request) {
    const std::size_t stages = request.speeds.size();
    std::vector<int> split(stages, 1);
    int left = request.layers - static_cast<int>(stages);
    const bool fitsOne
        = std::all_of(request.most.begin(), request.most.end(), [](int most) { return most >= 1; });
    if (left < 0 || !fitsOne)
        return std::nullopt;
    const auto doneWithNext = [&](std::size_t stage) {
        return std::tuple((split[stage] + 1 + request.extra[stage]) / request.speeds[stage],
            -request.speeds[stage], stage);
    };
    for (; left > 0; --left) {
        std::optional<std::size_t> best;
        for (std::size_t stage = 0; stage < stages; ++stage) {
            if (split[stage] < request.most[stage]
                && (!best || doneWithNext(stage) < doneWithNext(*best)))
                best = stage;
        }
        if (!best)
            return std::nullopt;
        ++split[*best];
    }
    return split;
}

double slowestStage(const SplitRequest& request, const std::vector<int>& split) {
    double slowest = 0.0;
    for (std::size_t stage = 0; stage < split.size(); ++stage)
        slowest = std::max(slowest, (split[stage] + request.extra[stage]) / request.speeds[stage]);
    return slowest;
}

} // namespace trainscope::analysis
