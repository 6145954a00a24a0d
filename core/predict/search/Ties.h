#pragma once
// Ties: ranked layouts that a prediction cannot tell apart, and those that truly differ. Two
// layouts are a tie where the 90 % interval of the ratio of what they are ranked by (step time,
// energy of a step, peak power of all GPUs) holds 1. It is narrower than the intervals of their
// own, since all that is unknown of both alike (software, machine, constants that both depend on)
// cancels (spreadOfRatio). Pure; any thread.

#include "core/predict/search/Search.h"

#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

namespace trainscope::predict {

inline constexpr std::size_t kMostApart = 3;

// In words: two layouts "are a tie: " …
inline constexpr std::string_view kTieWords = "the 90 % interval of their ratio holds 1";
bool areTied(const RankedLayout& a, const RankedLayout& b, SearchObjective objective);

// Whole prediction of a choice.
using PredictChoice = std::function<Result<RankedLayout>(const LayoutChoice& choice)>;
// The best of `ranked`, and behind it the best that are no tie with it and each other: first those
// that divide the model or the samples otherwise (TP, CP, EP, PP or DP), else any. Some are
// predicted for it from the estimates `feasible`; both lists have their best first.
Result<std::vector<RankedLayout>> layoutsApart(const std::vector<RankedLayout>& ranked,
    const std::vector<LayoutEstimate>& feasible, SearchObjective objective,
    const PredictChoice& predict);

// A layout as it is listed.
struct ListedLayout {
    const RankedLayout* layout = nullptr; // in the result
    std::size_t group = 0; // see groupOf()
    bool isFirst = false; // it is that one

    [[nodiscard]] bool isBest() const { return isFirst && group == 1; }
};
// From 1: the first of `apart` that it is, or is a tie with; 0: it is a tie with none.
std::size_t groupOf(const SearchResult& found, const RankedLayout& one);
// As many as are ranked, the best first: those of `apart`, and the others of `top` from its first
// on. The result outlives the list.
std::vector<ListedLayout> listedLayouts(const SearchResult& found);

} // namespace trainscope::predict
