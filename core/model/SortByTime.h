#pragma once
// Samples side by side, brought into order of time.

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace trainscope {

// Stable; nothing where they are in order. As many values as times.
template <typename Time, typename Value>
void sortByTime(std::vector<Time>& times, std::vector<Value>& values) {
    if (std::is_sorted(times.begin(), times.end()))
        return;
    std::vector<std::size_t> order(times.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&times](std::size_t i) { return times[i]; });
    const std::vector<Time> sameTimes = times;
    const std::vector<Value> sameValues = values;
    for (std::size_t i = 0; i < order.size(); ++i) {
        times[i] = sameTimes[order[i]];
        values[i] = sameValues[order[i]];
    }
}

} // namespace trainscope
