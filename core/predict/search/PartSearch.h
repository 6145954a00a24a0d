#pragma once
// PartSearch: one part of a search, by one thread: TP, CP, EP and ETP are chosen, the rest is gone
// through. Costs of layers are made once for all schedules and shardings; memory once for all shard
// groups, which differ in what they hold of weights, gradients and optimizer alone.

#include "core/predict/power/PowerModel.h"
#include "core/predict/search/SearchSpace.h"

#include <atomic>
#include <functional>
#include <optional>
#include <vector>

namespace trainscope::predict {

// A layout with its estimate at the usual clock.
struct FoundLayout {
    LayoutChoice choice;
    double seconds = 0.0;
    double least = 0.0; // see Step
    double memoryB = 0.0;
    ActivityTimes activities; // the slowest stage's, in a step
    double balance = 1.0; // see Step
};

struct PartResult {
    std::int64_t searched = 0;
    std::array<std::int64_t, kRefusals> refused{};
    std::vector<FoundLayout> found;
    std::optional<NearestLayout> nearest; // among those that memory refuses
};

// Inputs that all parts of a search share.
struct SearchBasis {
    const SearchRequest& request;
    const SearchSpace& space;
    JobCosts costs; // for layouts up to ZeRO 1
    JobCosts shardedCosts; // from ZeRO 2 on
    double memoryB = 0.0; // usable on a GPU; infinite where it is not known
    std::atomic<double>& fastest; // s, of all parts so far
    std::function<bool()> isCancelled; // asked often, answers at once
};

PartResult searchPart(const SearchBasis& basis, const LayoutChoice& part);

} // namespace trainscope::predict
