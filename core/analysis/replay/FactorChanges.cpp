// Changes that make operations take a factor of their time: kernels, categories, operators, kinds,
// host, links, another GPU.
// Recomputation left out: kernels in the backward pass that repeat a stretch of the forward pass,
// and the calls that launch nothing else.

#include "core/analysis/replay/ChangeState.h"
#include "core/analysis/statistics/Means.h"
#include "core/analysis/traces/KernelCategory.h"
#include "core/model/AsciiText.h"
#include "core/model/Try.h"
#include "core/text/NearWord.h"
#include "core/text/Numbers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace trainscope::analysis {

namespace {

void scaleTime(std::int64_t& ns, double factor) {
    ns = std::llround(static_cast<double>(ns) * factor);
}

// Collectives all of whose parts are gone: nobody waits for another in them.
void dissolveGroups(ChangeState& state) {
    std::shared_ptr<StepGraph> without;
    for (std::uint32_t group = 0; group < state.graph->groups.size(); ++group) {
        const auto members = state.graph->membersOf(group);
        const bool isGone = std::ranges::all_of(members, [&](std::uint32_t i) {
            return state.costs.likely.duration[i] == 0
                && state.graph->operations[i].duration.ns > 0;
        });
        if (isGone && !without)
            without = std::make_shared<StepGraph>(*state.graph);
        for (const std::uint32_t i : members)
            if (isGone)
                without->operations[i].group = kNone32;
    }
    if (!without)
        return;
    for (LateEnd& late : without->lateEnds)
        late.group = without->operations[late.operation].group;
    state.graph = std::move(without);
}

// Error where nothing has that name, with the words of those that there are.
Error noneNamed(std::string_view what, std::string_view name, const std::set<std::string>& names) {
    constexpr std::size_t kMostListed = 16;
    std::vector<std::string> parts(names.begin(), names.end());
    for (const std::string& one : names) {
        for (const std::string_view word : words(one, " \t:<>(),*&[]/.-_"))
            parts.emplace_back(word);
    }
    const std::string near = text::nearWord(name, parts);
    const std::string hint = !near.empty() ? fmt::format("; did you mean “{}”?", near)
        : names.size() <= kMostListed      ? fmt::format("; there are {}", fmt::join(names, ", "))
                                           : std::string();
    return usageError(fmt::format("no {} “{}”{}", what, name, hint));
}

// The host's own work, of an operator that calls nothing.
bool isStretch(const StepOperation& operation) {
    return operation.kind == OperationKind::HostCall && operation.name == operation.operatorName;
}

// Operations whose name is the text, or its label, or, where none is and parts count, holds it.
// placeOf: of an operation's name, in the list of names; kNone32: it has none.
template <typename Name, typename PlaceOf>
Status changeNamed(const StepChange& change, ChangeState& state, std::string_view what,
    bool partsCount, std::span<const Name> all, const PlaceOf& placeOf) {
    const StepGraph& graph = *state.graph;
    std::vector<bool> occurs(all.size());
    for (const StepOperation& operation : graph.operations) {
        if (const std::uint32_t place = placeOf(operation); place != kNone32)
            occurs[place] = true;
    }
    std::set<std::string> names;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (occurs[i] && !all[i].empty())
            names.emplace(all[i]);
    }
    std::vector<bool> isChosen(all.size());
    const auto choose = [&](const auto& isIt) {
        for (std::size_t i = 0; i < all.size(); ++i)
            isChosen[i] = occurs[i] && isIt(std::string_view(all[i]));
        return std::ranges::find(isChosen, true) != isChosen.end();
    };
    const std::string part = lowered(change.subject);
    const bool isAny = choose([&](std::string_view name) {
        return lowered(name) == part || lowered(KernelCategories::label(name)) == part;
    }) || (partsCount && choose([&](std::string_view name) {
        return containsIgnoringCase(name, part);
    }));
    if (!isAny)
        return noneNamed(what, change.subject, names);
    for (std::size_t i = 0; i < graph.operations.size(); ++i) {
        const std::uint32_t place = placeOf(graph.operations[i]);
        if (place == kNone32 || !isChosen[place])
            continue;
        if (isStretch(graph.operations[i])) // the host's time before it is another's
            scaleDuration(state, i, exactly(change.value));
        else
            scaleWhole(state, i, change.value);
    }
    dissolveGroups(state);
    state.assumption
        = "Everything waits for the same as before, and work beside it takes as long as measured.";
    return {};
}

// Work that waited for its launch follows the work before it as that of a full stream does. The
// answer is that gap, ns.
double freeLaunches(ChangeState& state, double factor) {
    constexpr std::int64_t kUsualNs = 1'000;
    std::vector<std::uint32_t> launched;
    std::vector<std::int64_t> gaps;
    for (std::uint32_t i = 0; i < state.graph->operations.size(); ++i) {
        std::int64_t launchAt = -1;
        std::int64_t otherAt = -1;
        for (const StepEdge& edge : state.graph->edgesTo(i)) {
            const auto& times = edge.fromStart ? state.times.start : state.times.end;
            std::int64_t& at = edge.kind == EdgeKind::Launch ? launchAt : otherAt;
            at = edge.toEnd ? at : std::max(at, times[edge.from] + edge.lagNs);
        }
        if (launchAt > otherAt)
            launched.push_back(i);
        else if (otherAt >= 0 && isDeviceWork(state.graph->operations[i]))
            gaps.push_back(state.costs.likely.delay[i]);
    }
    const auto usual = static_cast<double>(
        gaps.empty() ? kUsualNs : std::min(2 * kUsualNs, upperMedian(std::move(gaps))));
    for (const std::uint32_t i : launched) {
        const auto measured = static_cast<double>(state.costs.likely.delay[i]);
        state.costs.fast.delay[i] = std::llround(std::min(1.0, factor) * measured);
        state.costs.likely.delay[i]
            = std::llround(std::min(measured, usual + factor * (measured - usual)));
    }
    return usual;
}

// All that the host does; false: nothing is known of it.
bool scaleHost(ChangeState& state, const Factors& factors) {
    bool isAny = false;
    changeEach(state, factors, [](StepCosts& costs, double factor) { costs.hostEdges *= factor; });
    for (std::uint32_t i = 0; i < state.graph->operations.size(); ++i) {
        if (isDeviceWork(state.graph->operations[i]))
            continue;
        isAny = true;
        // The delay of what waits for the graph's begin alone is no time of the host.
        const bool isFirst = std::ranges::all_of(state.graph->edgesTo(i), &StepEdge::toEnd);
        changeEach(state, factors, [&](StepCosts& costs, double factor) {
            scaleTime(costs.duration[i], factor);
            scaleTime(costs.delay[i], isFirst ? 1.0 : factor);
        });
    }
    return isAny;
}

// Share of its time that work takes on another GPU; absent where the catalogue does not know.
std::optional<double> gpuRatio(const catalogue::GpuModel& from, const catalogue::GpuModel& to,
    std::optional<double> catalogue::GpuModel::*fact) {
    return from.*fact && to.*fact ? std::optional(*(from.*fact) / *(to.*fact)) : std::nullopt;
}

Factors betweenFactors(double likely, double other) {
    return {std::min(likely, other), likely, std::max(likely, other)};
}

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

void scaleDuration(ChangeState& state, std::size_t operation, const Factors& factors) {
    changeEach(state, factors,
        [&](StepCosts& costs, double factor) { scaleTime(costs.duration[operation], factor); });
}

void scaleWhole(ChangeState& state, std::size_t operation, double factor) {
    changeEach(state, exactly(factor), [operation](StepCosts& costs, double by) {
        scaleTime(costs.duration[operation], by);
        scaleTime(costs.delay[operation], by > 0.0 ? 1.0 : 0.0);
    });
}

Status changeKernels(const StepChange& change, ChangeState& state) {
    return changeNamed(change, state, "kernel of that name holds", true,
        std::span<const std::string>(state.graph->names), [](const StepOperation& operation) {
            return isDeviceWork(operation) ? operation.name : kNone32;
        });
}

Status changeOperators(const StepChange& change, ChangeState& state) {
    RETURN_IF_ERROR(changeNamed(change, state, "operator of that name holds", true,
        std::span<const std::string>(state.graph->names),
        [](const StepOperation& operation) { return operation.operatorName; }));
    // Work that leaves a thread is often done by other processes, beside which the host is slower.
    constexpr Factors kBeside{1.0, 1.0, 1.25};
    const std::vector<StepOperation>& all = state.graph->operations;
    bool isEased = false;
    for (std::size_t i = 0; i < all.size(); ++i)
        isEased
            = isEased || (isStretch(all[i]) && state.costs.likely.duration[i] < all[i].duration.ns);
    if (isEased) {
        scaleHost(state, kBeside);
        state.assumption = "The host does the rest as fast as before; beside other processes that "
                           "do the work in its place it is slower.";
    }
    return {};
}

Status changeCategory(const StepChange& change, ChangeState& state) {
    return changeNamed(change, state, "category is called", false,
        std::span<const std::string>(state.graph->categories),
        [](const StepOperation& operation) { return std::uint32_t{operation.category}; });
}

Status changeKind(const StepChange& change, ChangeState& state) {
    static constexpr auto kKinds = namesOf(OperationKind());
    return changeNamed(change, state, "kind is called", false,
        std::span<const std::string_view>(kKinds),
        [](const StepOperation& operation) { return static_cast<std::uint32_t>(operation.kind); });
}

Status changeHost(const StepChange& change, ChangeState& state) {
    const double usual = freeLaunches(state, change.value);
    const bool isAny = scaleHost(state, exactly(change.value));
    state.assumption = fmt::format("Kernels follow each other {} behind the one before, as where "
                                   "the host is ahead, and the host's part waits for nothing else.",
        text::rounded(usual * 1e-9, "s"));
    return isAny ? Status() : usageError("no calls of the host were recorded");
}

Status changeLinks(const StepChange& change, ChangeState& state) {
    constexpr double kLatencyNs = 20e3; // a collective takes it, however fast the links
    std::int64_t transfers = 0;
    std::int64_t alone = 0;
    for (std::size_t i = 0; i < state.graph->operations.size(); ++i) {
        if (!isTransfer(state.graph->operations[i]))
            continue;
        ++transfers;
        const bool waits = state.graph->operations[i].group == kNone32;
        alone += waits ? 1 : 0;
        const auto ns = static_cast<double>(state.costs.likely.duration[i]);
        const double fixed = waits ? 1.0 : std::min(1.0, kLatencyNs / std::max(1.0, ns));
        scaleDuration(
            state, i, betweenFactors(1.0 / change.value, fixed + (1.0 - fixed) / change.value));
    }
    state.assumption = alone > 0
        ? fmt::format("Of {} {} have no peers in the trace, so that waiting for these counts as "
                      "transfer.",
            text::counted(transfers, "transfer"), alone)
        : "All links of the job change alike, and what transfers take beside their bytes goes with "
          "it.";
    return transfers > 0 ? Status() : usageError("no collective or message was recorded");
}

Status changeGpu(const StepChange& change, ChangeState& state) {
    const catalogue::GpuModel* const to = catalogue::findGpuModel(change.subject);
    if (to == nullptr) {
        std::set<std::string> names;
        for (const catalogue::GpuModel& model : catalogue::gpuModels())
            names.insert(model.name);
        return noneNamed("GPU of the catalogue is called", change.subject, names);
    }
    if (state.facts.gpu == nullptr)
        return usageError("the kind of GPU of the run is not known");
    using Gpu = catalogue::GpuModel;
    const Gpu& from = *state.facts.gpu;
    const auto halves = gpuRatio(from, *to, &Gpu::bf16Flops);
    const auto products = halves ? halves : gpuRatio(from, *to, &Gpu::fp16Flops);
    const auto memory = gpuRatio(from, *to, &Gpu::memoryBandwidth);
    const double links = gpuRatio(from, *to, &Gpu::linkBandwidth).value_or(1.0);
    const double host = gpuRatio(from, *to, &Gpu::pcieBandwidth).value_or(1.0);
    if (!products || !memory)
        return usageError(fmt::format(
            "the peak or the memory bandwidth of {} or {} is not known", from.name, to->name));
    for (std::size_t i = 0; i < state.graph->operations.size(); ++i) {
        const StepOperation& operation = state.graph->operations[i];
        if (isTransfer(operation))
            scaleDuration(state, i, betweenFactors(links, 1.0));
        else if (operation.kind == OperationKind::Copy)
            scaleDuration(state, i, betweenFactors(host, *memory));
        else if (isProductCategory(state.graph->categories[operation.category]))
            scaleDuration(state, i, betweenFactors(*products, *memory));
        else if (isDeviceWork(operation))
            scaleDuration(state, i, betweenFactors(*memory, *products));
    }
    state.isPowerKnown = false;
    state.assumption = fmt::format("Kernels reach the same share of the peak ({}x the time) or of "
                                   "the memory bandwidth ({}x) of {}, on the same host.",
        text::number(*products), text::number(*memory), to->name);
    return {};
}

Status changeDegrees(const StepChange& change, ChangeState& /*state*/) {
    return usageError(fmt::format(
        "a trace does not hold the work of other degrees; they are predicted by “trainscope-cli "
        "predict --from DB --layout {}”, beside what was measured",
        change.subject));
}

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
