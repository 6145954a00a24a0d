#include "core/analysis/traces/IterationsOfRank.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace trainscope::analysis {

std::vector<Iteration> iterationsOfRank(std::span<const Iteration> iterations, int rank) {
    constexpr int kNobody = std::numeric_limits<int>::max();
    int source = kNobody;
    for (const Iteration& iteration : iterations) {
        if (iteration.rank == rank) {
            source = rank;
            break;
        }
        source = std::min(source, iteration.rank); // -1, the whole run, is the lowest
    }
    std::vector<Iteration> result;
    std::copy_if(iterations.begin(), iterations.end(), std::back_inserter(result),
        [&](const Iteration& iteration) { return iteration.rank == source; });
    std::stable_sort(result.begin(), result.end(),
        [](const Iteration& a, const Iteration& b) { return a.range.begin < b.range.begin; });
    return result;
}

} // namespace trainscope::analysis
