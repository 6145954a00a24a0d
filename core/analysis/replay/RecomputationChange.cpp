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

// PhaseKernels in a row that no pass has in common with the other by chance, if a product is among
// them.
constexpr std::size_t kRepeated = 5;
using KernelStretch = std::array<std::uint32_t, kRepeated>; // names

using PhaseKernels = std::vector<std::uint32_t>; // operations in order of time
std::map<int, PhaseKernels> kernelsOfPhase(const StepGraph& graph, Phase phase) {
    std::map<int, PhaseKernels> kernels; // by rank
    for (std::uint32_t i = 0; i < graph.operations.size(); ++i) {
        const StepOperation& operation = graph.operations[i];
        if (operation.kind == OperationKind::Kernel && operation.phase == phase)
            kernels[graph.tracks[operation.track].rank].push_back(i);
    }
    return kernels;
}

KernelStretch stretchFrom(const StepGraph& graph, const PhaseKernels& kernels, std::size_t first) {
    KernelStretch names{};
    for (std::size_t i = 0; i < kRepeated; ++i)
        names[i] = graph.operations[kernels[first + i]].name;
    return names;
}

bool hasProduct(
    const StepGraph& graph, const PhaseKernels& kernels, std::size_t first, std::size_t end) {
    return std::any_of(kernels.begin() + static_cast<std::ptrdiff_t>(first),
        kernels.begin() + static_cast<std::ptrdiff_t>(end), [&](std::uint32_t i) {
            const std::string& category = categoryNameOf(graph, graph.operations[i]);
            return category == "gemm" || category == "attention";
        });
}

// Of the kernels in backward, those within stretches of forward; marked by place.
void markRepeated(const StepGraph& graph, const PhaseKernels& forward, const PhaseKernels& backward,
    std::vector<bool>& isRepeated) {
    std::set<KernelStretch> known;
    for (std::size_t i = 0; i + kRepeated <= forward.size(); ++i)
        known.insert(stretchFrom(graph, forward, i));
    const auto isKnown = [&](std::size_t i) {
        return i + kRepeated <= backward.size() && known.contains(stretchFrom(graph, backward, i));
    };
    for (std::size_t i = 0; i < backward.size(); ++i) {
        if (!isKnown(i))
            continue;
        const std::size_t first = i;
        while (isKnown(i + 1))
            ++i;
        const std::size_t end = i + kRepeated;
        for (std::size_t k = first; hasProduct(graph, backward, first, end) && k < end; ++k)
            isRepeated[backward[k]] = true;
    }
}

// Calls all of whose work is repeated.
std::vector<std::uint32_t> callsOfRepeated(
    const StepGraph& graph, const std::vector<bool>& isRepeated) {
    std::map<std::uint32_t, bool> calls; // true: launches nothing else
    for (const StepEdge& edge : graph.edges) {
        if (edge.kind != EdgeKind::Launch)
            continue;
        bool& isAll = calls.try_emplace(edge.from, true).first->second;
        isAll = isAll && isRepeated[edge.to];
    }
    std::vector<std::uint32_t> all;
    for (const auto& [call, isAll] : calls) {
        if (isAll)
            all.push_back(call);
    }
    return all;
}

} // namespace

Status changeRecomputation(const StepChange& /*change*/, ChangeState& state) {
    const StepGraph& graph = *state.graph;
    const auto forward = kernelsOfPhase(graph, Phase::Forward);
    std::vector<bool> isRepeated(graph.operations.size(), false);
    for (const auto& [rank, kernels] : kernelsOfPhase(graph, Phase::Backward)) {
        if (const auto found = forward.find(rank); found != forward.end())
            markRepeated(graph, found->second, kernels, isRepeated);
    }
    const auto kernels = std::count(isRepeated.begin(), isRepeated.end(), true);
    if (kernels == 0)
        return usageError("no recomputation is told by the trace: the backward pass repeats no "
                          "kernels of the forward pass");
    for (std::size_t i = 0; i < isRepeated.size(); ++i) {
        if (isRepeated[i])
            scaleWhole(state, i, 0.0);
    }
    for (const std::uint32_t call : callsOfRepeated(graph, isRepeated))
        scaleWhole(state, call, 0.0);
    state.assumption
        = fmt::format("Recomputation is what repeats {} or more kernels of the forward "
                      "pass in a row in backward ({}); memory suffices without it.",
            kRepeated, text::counted(kernels, "kernel"));
    return {};
}

} // namespace trainscope::analysis
