#include "core/predict/search/Pareto.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

namespace trainscope::predict {

std::vector<std::size_t> paretoFront(std::span<const Costs> offers) {
    std::vector<std::size_t> order(offers.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&offers](std::size_t a, std::size_t b) {
        return std::tie(offers[a].first, offers[a].second, a)
            < std::tie(offers[b].first, offers[b].second, b);
    });
    // In this order whoever dominates stands before.
    std::vector<std::size_t> front;
    Costs last{0.0, std::numeric_limits<double>::infinity()};
    for (const std::size_t at : order) {
        const bool isEqual = offers[at].first == last.first && offers[at].second == last.second;
        if (offers[at].second >= last.second && !isEqual)
            continue;
        front.push_back(at);
        last = offers[at];
    }
    return front;
}

} // namespace trainscope::predict
