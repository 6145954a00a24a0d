#include "core/analysis/cluster/RunBytes.h"
#include "core/analysis/iterations/SteadyState.h"
#include "core/analysis/statistics/Summary.h"
#include "core/model/Try.h"

namespace trainscope::analysis {

namespace {

std::optional<double> totalOf(
    const std::map<std::string, SubjectStatistics>& metrics, const char* metric) {
    const auto found = metrics.find(metric);
    return found == metrics.end() ? std::nullopt : found->second.total;
}

void add(std::optional<double>& sum, const std::optional<double>& value) {
    if (value)
        sum = sum.value_or(0.0) + *value;
}

} // namespace

Result<MeasuredCounters> measuredCounters(
    const store::Store& store, const Run& run, const Progress& progress) {
    ASSIGN_OR_RETURN(const auto steady, steadyStateOf(store, run, progress));
    ASSIGN_OR_RETURN(const auto summary,
        summarise(store, run, {steady.window, {"nvlink_tx", "pcie_tx", "ib_tx"}}, progress));
    MeasuredCounters result;
    std::map<int, MeasuredCounters::Node> totals;
    std::map<int, int> counted; // GPUs with NVLink counters, by node
    for (const auto& gpu : summary.gpus) {
        auto& node = totals[gpu.gpu.node];
        const auto nvlink = totalOf(gpu.metrics, "nvlink_tx");
        counted[gpu.gpu.node] += nvlink ? 1 : 0;
        add(node.nvlink, nvlink);
        add(node.pcie, totalOf(gpu.metrics, "pcie_tx"));
    }
    for (const auto& node : summary.nodes)
        add(totals[node.node].network, totalOf(node.metrics, "ib_tx"));
    const double seconds = summary.duration.seconds();
    const auto steps = static_cast<double>(steady.iterations);
    bool isCounted = false;
    for (auto& [number, node] : totals) {
        isCounted = isCounted || node.nvlink || node.pcie || node.network;
        if (node.nvlink && seconds > 0.0)
            node.nvlinkRate = *node.nvlink / seconds / counted[number];
        for (auto* one : {&node.nvlink, &node.pcie, &node.network})
            *one = *one && steps > 0.0 ? std::optional(**one / steps) : std::nullopt;
    }
    result.nodes = std::move(totals);
    if (!isCounted)
        result.why = "there are no counters of links";
    else if (steps <= 0.0)
        result.why = "the iterations are not known, so the counters cannot be told per step";
    if (steps > 0.0)
        result.stepSeconds = seconds / steps;
    return result;
}

} // namespace trainscope::analysis
