// Changes that make operations take a factor of their time: kernels, categories, operators, kinds,
// host, links, another GPU.

#include "core/analysis/replay/ChangeState.h"
#include "core/analysis/statistics/Means.h"
#include "core/analysis/traces/KernelCategory.h"
#include "core/model/AsciiText.h"
#include "core/text/NearWord.h"
#include "core/text/Numbers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace trainscope::analysis {

namespace {

constexpr const char* kGraphHolds
    = "Everything waits for the same as before, and work beside it takes as long as measured.";

void scaleTime(std::int64_t& ns, double factor) {
    ns = std::llround(static_cast<double>(ns) * factor);
}

// Collectives all of whose parts are gone: nobody waits for another in them.
void dissolveGroups(ChangeState& state) {
    std::shared_ptr<StepGraph> without;
    const StepCosts& costs = state.costs.likely;
    for (std::uint32_t group = 0; group < state.graph->groups.size(); ++group) {
        const auto members = state.graph->membersOf(group);
        const bool isGone = std::all_of(members.begin(), members.end(), [&](std::uint32_t i) {
            return costs.duration[i] == 0 && state.graph->operations[i].duration.ns > 0;
        });
        if (!isGone)
            continue;
        if (!without)
            without = std::make_shared<StepGraph>(*state.graph);
        for (const std::uint32_t i : members)
            without->operations[i].group = kNone32;
    }
    if (without)
        state.graph = std::move(without);
}

// Error where nothing has that name, with the words of those that there are.
Error noneNamed(std::string_view what, std::string_view name, const std::set<std::string>& names) {
    constexpr std::size_t kMostListed = 16;
    std::set<std::string> parts(names);
    for (const std::string& one : names) {
        for (const std::string_view word : words(one, " \t:<>(),*&[]/.-_"))
            parts.emplace(word);
    }
    const std::string near
        = text::nearWord(name, std::vector<std::string>(parts.begin(), parts.end()));
    std::string hint;
    if (!near.empty())
        hint = fmt::format("; did you mean “{}”?", near);
    else if (!names.empty() && names.size() <= kMostListed)
        hint = fmt::format("; there are {}", fmt::join(names, ", "));
    return usageError(fmt::format("no {} “{}”{}", what, name, hint));
}

// Names, of those that operations which count have, that are the text, or hold it where none is it.
std::vector<bool> namesHolding(const std::set<std::uint32_t>& used, const StepGraph& graph,
    std::string_view text, bool exact) {
    std::vector<bool> holds(graph.names.size(), false);
    bool isAny = false;
    for (const std::uint32_t name : used) {
        holds[name] = exact && equalsIgnoringCase(graph.names[name], text);
        isAny = isAny || holds[name];
    }
    if (isAny)
        return holds;
    const std::string part = lowered(text);
    for (const std::uint32_t name : used)
        holds[name] = containsIgnoringCase(graph.names[name], part);
    return holds;
}

struct NamedChange {
    std::string_view what; // "kernel"
    std::function<std::uint32_t(const StepOperation&)> nameOf; // kNone32: not of these
    bool isExactFirst = false;
};

Status changeNamed(const StepChange& change, ChangeState& state, const NamedChange& named) {
    const StepGraph& graph = *state.graph;
    std::set<std::uint32_t> used;
    for (const StepOperation& operation : graph.operations) {
        if (const std::uint32_t name = named.nameOf(operation); name != kNone32)
            used.insert(name);
    }
    const auto holds = namesHolding(used, graph, change.subject, named.isExactFirst);
    if (std::find(holds.begin(), holds.end(), true) == holds.end()) {
        std::set<std::string> names;
        for (const std::uint32_t name : used)
            names.insert(graph.names[name]);
        return noneNamed(fmt::format("{} of that name holds", named.what), change.subject, names);
    }
    for (std::size_t i = 0; i < graph.operations.size(); ++i) {
        const std::uint32_t name = named.nameOf(graph.operations[i]);
        if (name != kNone32 && holds[name])
            scaleWhole(state, i, change.value);
    }
    dissolveGroups(state);
    state.assumption = kGraphHolds;
    return {};
}

// Operations of a category, or of a kind, by the name of it.
Status changeGrouped(const StepChange& change, ChangeState& state, std::string_view what,
    const std::function<std::string_view(const StepOperation&)>& nameOf) {
    std::set<std::string> names;
    bool isAny = false;
    for (std::size_t i = 0; i < state.graph->operations.size(); ++i) {
        const std::string_view name = nameOf(state.graph->operations[i]);
        const bool isIt = equalsIgnoringCase(name, change.subject)
            || equalsIgnoringCase(KernelCategories::label(name), change.subject);
        if (isIt)
            scaleWhole(state, i, change.value);
        isAny = isAny || isIt;
        if (!isAny)
            names.emplace(name);
    }
    if (!isAny)
        return usageError(fmt::format(
            "no {} is called “{}”; there are {}", what, change.subject, fmt::join(names, ", ")));
    dissolveGroups(state);
    state.assumption = kGraphHolds;
    return {};
}

// The edge that an operation's start waited for longest; nullptr: none.
const StepEdge* latestEdge(const ChangeState& state, std::uint32_t operation) {
    const StepEdge* latest = nullptr;
    std::int64_t at = 0;
    for (const StepEdge& edge : state.graph->edgesTo(operation)) {
        const auto& times = edge.fromStart ? state.times.start : state.times.end;
        const std::int64_t moment = times[edge.from] + edge.lagNs;
        if (!edge.toEnd && (latest == nullptr || moment > at)) {
            latest = &edge;
            at = moment;
        }
    }
    return latest;
}

// Delays of the device, by what they are behind: a call that launches, or other work.
struct LaunchDelays {
    std::vector<std::uint32_t> launched; // operations that wait for their call
    std::int64_t usualNs = 0; // gap between kernels that follow each other
};
LaunchDelays launchDelays(const ChangeState& state) {
    constexpr std::int64_t kUsualNs = 1'000;
    LaunchDelays out;
    std::vector<std::int64_t> gaps;
    for (std::uint32_t i = 0; i < state.graph->operations.size(); ++i) {
        if (!isDeviceWork(state.graph->operations[i]))
            continue;
        const StepEdge* const edge = latestEdge(state, i);
        if (edge != nullptr && edge->kind == EdgeKind::Launch)
            out.launched.push_back(i);
        else if (edge != nullptr && edge->kind == EdgeKind::Stream)
            gaps.push_back(state.costs.likely.delay[i]);
    }
    out.usualNs = gaps.empty() ? kUsualNs : std::min(2 * kUsualNs, upperMedian(std::move(gaps)));
    return out;
}

// Share of the time of work on another GPU that goes with its peak of products, its memory, its
// links, or nothing of these.
struct GpuRatios {
    double products = 1.0;
    double memory = 1.0;
    double links = 1.0;
    double host = 1.0; // PCIe
};
Result<GpuRatios> gpuRatios(const catalogue::GpuModel& from, const catalogue::GpuModel& to) {
    const auto ratio = [](const std::optional<double>& a, const std::optional<double>& b) {
        return a && b && *a > 0.0 && *b > 0.0 ? std::optional(*a / *b) : std::nullopt;
    };
    const auto halves = ratio(from.fp16Flops, to.fp16Flops);
    const auto products = ratio(from.bf16Flops, to.bf16Flops);
    const auto memory = ratio(from.memoryBandwidth, to.memoryBandwidth);
    if ((!products && !halves) || !memory)
        return usageError(fmt::format(
            "the peak or the memory bandwidth of {} or {} is not known", from.name, to.name));
    return GpuRatios{products ? *products : *halves, *memory,
        ratio(from.linkBandwidth, to.linkBandwidth).value_or(1.0),
        ratio(from.pcieBandwidth, to.pcieBandwidth).value_or(1.0)};
}

Factors betweenFactors(double likely, double other) {
    return {std::min(likely, other), likely, std::max(likely, other)};
}

Factors gpuFactors(
    const ChangeState& state, const StepOperation& operation, const GpuRatios& ratios) {
    if (isTransferWork(operation))
        return betweenFactors(ratios.links, 1.0);
    if (operation.kind == OperationKind::Copy)
        return betweenFactors(ratios.host, ratios.memory);
    const bool isProduct = isComputeBound(state, operation);
    return isProduct ? betweenFactors(ratios.products, ratios.memory)
                     : betweenFactors(ratios.memory, ratios.products);
}

} // namespace

const std::string& categoryNameOf(const StepGraph& graph, const StepOperation& operation) {
    return graph.categories[operation.category];
}

bool isComputeBound(const ChangeState& state, const StepOperation& operation) {
    if (operation.operatorName != kNone32) {
        const auto found = state.facts.bounds.find(state.graph->names[operation.operatorName]);
        if (found != state.facts.bounds.end())
            return found->second == work::Bound::Compute;
    }
    const std::string& category = categoryNameOf(*state.graph, operation);
    return category == "gemm" || category == "attention" || category == "compute";
}

void scaleDuration(ChangeState& state, std::size_t operation, const Factors& factors) {
    changeEach(state, factors,
        [&](StepCosts& costs, double factor) { scaleTime(costs.duration[operation], factor); });
}

void scaleWhole(ChangeState& state, std::size_t operation, double factor) {
    scaleDuration(state, operation, exactly(factor));
    if (factor > 0.0)
        return;
    for (StepCosts* costs : {&state.costs.fast, &state.costs.likely, &state.costs.slow})
        costs->delay[operation] = 0;
}

Status changeKernels(const StepChange& change, ChangeState& state) {
    return changeNamed(change, state, {"kernel", [](const StepOperation& operation) {
                                           return isDeviceWork(operation) ? operation.name
                                                                          : kNone32;
                                       }});
}

Status changeOperators(const StepChange& change, ChangeState& state) {
    return changeNamed(change, state,
        {"operator", [](const StepOperation& operation) { return operation.operatorName; }, true});
}

Status changeCategory(const StepChange& change, ChangeState& state) {
    return changeGrouped(change, state, "category", [&](const StepOperation& operation) {
        return std::string_view(categoryNameOf(*state.graph, operation));
    });
}

Status changeKind(const StepChange& change, ChangeState& state) {
    return changeGrouped(change, state, "kind",
        [](const StepOperation& operation) { return toString(operation.kind); });
}

Status changeHost(const StepChange& change, ChangeState& state) {
    const LaunchDelays delays = launchDelays(state);
    const Factors factors = exactly(change.value);
    const StepGraph& graph = *state.graph;
    bool isAny = false;
    for (std::size_t i = 0; i < graph.operations.size(); ++i) {
        if (isDeviceWork(graph.operations[i]))
            continue;
        isAny = true;
        scaleDuration(state, i, factors);
        // Behind nothing but the graph's begin: no time of the host.
        if (std::ranges::all_of(graph.edgesTo(static_cast<std::uint32_t>(i)), &StepEdge::toEnd))
            continue;
        changeEach(state, factors,
            [i](StepCosts& costs, double factor) { scaleTime(costs.delay[i], factor); });
    }
    if (!isAny)
        return usageError("no calls of the host were recorded");
    // What was measured behind a launch is in part the launch's own; a graph's kernels follow each
    // other as those of a full stream do.
    const auto usual = static_cast<double>(delays.usualNs);
    for (const std::uint32_t i : delays.launched) {
        const auto measured = static_cast<double>(state.costs.likely.delay[i]);
        const double likely = std::min(measured, usual + change.value * (measured - usual));
        state.costs.fast.delay[i] = std::llround(change.value * measured);
        state.costs.likely.delay[i] = std::llround(likely);
    }
    state.assumption = fmt::format("Kernels follow each other {} behind the one before, as where "
                                   "the host is ahead, and the host's part waits for nothing else.",
        text::rounded(usual * 1e-9, "s"));
    return {};
}

Status changeLinks(const StepChange& change, ChangeState& state) {
    constexpr double kLatencyNs = 20e3; // of a collective, however fast the links
    const StepGraph& graph = *state.graph;
    std::size_t transfers = 0;
    std::size_t alone = 0;
    for (std::size_t i = 0; i < graph.operations.size(); ++i) {
        if (!isTransferWork(graph.operations[i]))
            continue;
        ++transfers;
        const bool waits = graph.operations[i].group == kNone32;
        alone += waits ? 1 : 0;
        const auto ns = static_cast<double>(state.costs.likely.duration[i]);
        const double likely = 1.0 / change.value;
        const double fixed = waits ? 1.0 : std::min(1.0, kLatencyNs / std::max(1.0, ns));
        scaleDuration(state, i, betweenFactors(likely, fixed + (1.0 - fixed) * likely));
    }
    if (transfers == 0)
        return usageError("no collective or message was recorded");
    state.assumption = alone > 0
        ? fmt::format("Of {} {} have no peers in the trace, so that waiting for these counts as "
                      "transfer.",
            text::counted(static_cast<std::int64_t>(transfers), "transfer"), alone)
        : "All links of the job change alike, and what transfers take beside their bytes goes with "
          "it.";
    return {};
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
    const auto ratios = gpuRatios(*state.facts.gpu, *to);
    if (!ratios.hasValue())
        return ratios.error();
    for (std::size_t i = 0; i < state.graph->operations.size(); ++i) {
        const StepOperation& operation = state.graph->operations[i];
        if (isDeviceWork(operation))
            scaleDuration(state, i, gpuFactors(state, operation, ratios.value()));
    }
    state.isPowerKnown = false;
    state.assumption = fmt::format("Kernels reach the same share of the peak ({}x the time) or of "
                                   "the memory bandwidth ({}x) of {}, on the same host.",
        text::number(ratios.value().products), text::number(ratios.value().memory), to->name);
    return {};
}

Status changeDegrees(const StepChange& change, ChangeState& /*state*/) {
    return usageError(fmt::format("a trace does not hold the work of other degrees ({}): predict "
                                  "the job with them (trainscope-cli predict), and compare the two "
                                  "runs",
        change.subject));
}

} // namespace trainscope::analysis
