#pragma once
// Lists, sets and sums of something of each element: a member, a member function without
// parameters, or a function of it.

#include <functional>
#include <iterator>
#include <set>
#include <type_traits>
#include <utility>
#include <vector>

namespace trainscope {

template <typename Range, typename Of>
using GatheredOf
    = std::remove_cvref_t<std::invoke_result_t<Of&, decltype(*std::begin(std::declval<Range&>()))>>;

template <typename Range, typename Of = std::identity>
std::vector<GatheredOf<Range, Of>> vectorOf(Range&& range, Of of = {}) {
    std::vector<GatheredOf<Range, Of>> all;
    if constexpr (requires { std::size(range); })
        all.reserve(std::size(range));
    for (auto&& one : range)
        all.push_back(std::invoke(of, one));
    return all;
}

template <typename Range, typename Of = std::identity>
std::set<GatheredOf<Range, Of>> setOf(Range&& range, Of of = {}) {
    std::set<GatheredOf<Range, Of>> all;
    for (auto&& one : range)
        all.insert(std::invoke(of, one));
    return all;
}

// Copies of the elements for which `isWanted`.
template <typename Range, typename IsWanted>
std::vector<GatheredOf<Range, std::identity>> thoseOf(Range&& range, IsWanted isWanted) {
    std::vector<GatheredOf<Range, std::identity>> wanted;
    for (const auto& one : range) {
        if (std::invoke(isWanted, one))
            wanted.push_back(one);
    }
    return wanted;
}

// In the order of the elements, from 0.
template <typename Sum, typename Range, typename Of = std::identity>
Sum summed(Range&& range, Of of = {}) {
    Sum sum = 0;
    for (auto&& one : range)
        sum += std::invoke(of, one);
    return sum;
}

// Value of a map's key, `otherwise` where it has none.
template <typename Map, typename Key>
typename Map::mapped_type valueAt(
    const Map& map, const Key& key, typename Map::mapped_type otherwise) {
    const auto found = map.find(key);
    return found == map.end() ? std::move(otherwise) : found->second;
}

} // namespace trainscope
