#pragma once
// Pareto: which of many offers are worth looking at where two costs count. Pure; any thread.

#include <cstddef>
#include <span>
#include <vector>

namespace trainscope::predict {

// Two costs of one offer, of which less is better.
struct Costs {
    double first = 0.0;
    double second = 0.0;

    // No worse in either and better in one.
    [[nodiscard]] bool dominates(const Costs& other) const {
        return first <= other.first && second <= other.second
            && (first < other.first || second < other.second);
    }
};

// The places of those that no other dominates, by rising first cost; of equal ones all.
std::vector<std::size_t> paretoFront(std::span<const Costs> offers);

} // namespace trainscope::predict
