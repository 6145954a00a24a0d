// Recomputation left out: kernels in the backward pass that repeat a stretch of the forward pass,
// and the calls that launch nothing else.

#include "core/analysis/replay/ChangeState.h"
#include "core/text/Numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <set>
#include <vector>

namespace trainscope::analysis {

namespace {

// Kernels in a row that passes do not have in common by chance, if a product is among them.
constexpr std::size_t kLeastAlike = 5;

using PhaseKernels = std::map<int, std::vector<std::uint32_t>>; // by rank, in order of time
PhaseKernels kernelsOfPhase(const StepGraph& graph, Phase phase) {
    PhaseKernels kernels;
    for (std::uint32_t i = 0; i < graph.operations.size(); ++i) {
        const StepOperation& operation = graph.operations[i];
        if (operation.kind == OperationKind::Kernel && operation.phase == phase)
            kernels[graph.tracks[operation.track].rank].push_back(i);
    }
    return kernels;
}

// The names of each stretch.
std::vector<std::array<std::uint32_t, kLeastAlike>> stretchesOf(
    const StepGraph& graph, const std::vector<std::uint32_t>& kernels) {
    std::vector<std::array<std::uint32_t, kLeastAlike>> all;
    for (std::size_t first = 0; first + kLeastAlike <= kernels.size(); ++first) {
        auto& names = all.emplace_back();
        for (std::size_t i = 0; i < kLeastAlike; ++i)
            names[i] = graph.operations[kernels[first + i]].name;
    }
    return all;
}

// Those of backward that lie in stretches of forward.
void markRepeated(const StepGraph& graph, const std::vector<std::uint32_t>& forward,
    const std::vector<std::uint32_t>& backward, std::vector<bool>& isRepeated) {
    const auto all = stretchesOf(graph, forward);
    const std::set known(all.begin(), all.end());
    const auto stretches = stretchesOf(graph, backward);
    const auto isProduct = [&](std::uint32_t i) {
        return isProductCategory(graph.categories[graph.operations[i].category]);
    };
    for (std::size_t first = 0; first < stretches.size(); ++first) {
        std::size_t last = first;
        while (last < stretches.size() && known.contains(stretches[last]))
            ++last;
        if (last == first)
            continue;
        const auto kernels = std::span(backward).subspan(first, last - first + kLeastAlike - 1);
        if (std::ranges::any_of(kernels, isProduct))
            std::ranges::for_each(kernels, [&](std::uint32_t i) { isRepeated[i] = true; });
        first = last;
    }
}

} // namespace

Status changeRecomputation(const StepChange& /*change*/, ChangeState& state) {
    const StepGraph& graph = *state.graph;
    PhaseKernels forward = kernelsOfPhase(graph, Phase::Forward);
    std::vector<bool> isRepeated(graph.operations.size(), false);
    for (const auto& [rank, kernels] : kernelsOfPhase(graph, Phase::Backward))
        markRepeated(graph, forward[rank], kernels, isRepeated);
    const auto kernels = std::ranges::count(isRepeated, true);
    if (kernels == 0)
        return usageError("no recomputation is told by the trace: the backward pass repeats no "
                          "kernels of the forward pass");
    std::map<std::uint32_t, bool> calls; // false: they launch other work too
    for (const StepEdge& edge : graph.edges) {
        if (edge.kind == EdgeKind::Launch)
            calls[edge.from]
                = calls.try_emplace(edge.from, true).first->second && isRepeated[edge.to];
    }
    for (const auto& [call, isAll] : calls)
        isRepeated[call] = isAll;
    for (std::size_t i = 0; i < isRepeated.size(); ++i) {
        if (isRepeated[i])
            scaleWhole(state, i, 0.0);
    }
    state.assumption
        = fmt::format("Recomputation is what repeats {} or more kernels of the forward "
                      "pass in a row in backward ({}); memory suffices without it.",
            kLeastAlike, text::counted(kernels, "kernel"));
    return {};
}

} // namespace trainscope::analysis
