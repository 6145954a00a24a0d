#pragma once
// PartSearch: one part of a search, by one thread: TP, CP, EP and sharding are chosen, the rest is
// gone through. Costs of layers are made once for all numbers of virtual stages.

#include "core/predict/power/PowerModel.h"
#include "core/predict/search/SearchSpace.h"

#include <functional>
#include <vector>

namespace trainscope::predict {

// What an estimate says at the usual clock.
struct FoundLayout {
    LayoutChoice choice;
    double seconds = 0.0;
    double memoryB = 0.0;
    ActivityTimes activities; // of the slowest stage, in a step
    double balance = 1.0; // see Step
};

struct PartResult {
    std::int64_t searched = 0;
    std::array<std::int64_t, kRefusals> refused{};
    std::vector<FoundLayout> found;
};

// What all parts need. `isCancelled` is asked often and answers at once.
struct SearchBasis {
    const SearchRequest& request;
    const SearchSpace& space;
    const Predictor& predictor;
    double memoryB = 0.0; // of a GPU that may be used; infinite where it is not known
    std::function<bool()> isCancelled;
};

// NotFound where nothing is known of the GPU or its precision.
Result<PartResult> searchPart(const SearchBasis& basis, const SearchPart& part);

} // namespace trainscope::predict
