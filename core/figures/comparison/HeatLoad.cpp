// One statistic by GPU (or node), from what was measured.
#include "core/analysis/telemetry/Airflow.h"
#include "core/figures/comparison/ComparisonLoad.h"
#include "core/figures/runs/RunFigures.h"
#include "core/model/Try.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace trainscope::figures {

using namespace plot;

namespace {

using analysis::RunSummary;

std::optional<double> valueOf(const std::map<std::string, analysis::SubjectStatistics>& metrics,
    const ComparisonQuery& query) {
    const auto found = metrics.find(query.heatMetric);
    return found == metrics.end() ? std::nullopt : statisticOf(found->second, query.heatStatistic);
}

std::optional<double> valueOf(const analysis::GpuSummary& gpu, const ComparisonQuery& query) {
    return statisticOf(gpu, query.heatMetric, query.heatStatistic);
}

bool gpusHave(const RunSummary& summary, const ComparisonQuery& query) {
    return std::any_of(summary.gpus.begin(), summary.gpus.end(),
        [&](const auto& gpu) { return valueOf(gpu, query).has_value(); });
}

// Place of a local index in the order of the air.
int slotOf(int local, const std::vector<int>& order, const std::set<int>& locals) {
    const auto said = std::find(order.begin(), order.end(), local);
    if (said != order.end())
        return static_cast<int>(said - order.begin());
    return static_cast<int>(std::distance(locals.begin(), locals.find(local)));
}

ComparisonHeat::OfRun gpuCells(
    const RunSummary& summary, const ComparisonQuery& query, const std::vector<int>& order) {
    ComparisonHeat::OfRun run;
    std::set<int> nodes;
    std::set<int> locals;
    for (const auto& gpu : summary.gpus) {
        nodes.insert(gpu.gpu.node);
        locals.insert(gpu.gpu.local);
    }
    run.nodes.assign(nodes.begin(), nodes.end());
    run.rows = static_cast<int>(nodes.size());
    run.slots = std::max(1, static_cast<int>(std::max(locals.size(), order.size())));
    for (const auto& gpu : summary.gpus)
        run.cells.push_back({gpu.gpu.rank, gpu.gpu.node,
            static_cast<int>(std::distance(nodes.begin(), nodes.find(gpu.gpu.node))),
            slotOf(gpu.gpu.local, order, locals), valueOf(gpu, query)});
    return run;
}

ComparisonHeat::OfRun nodeCells(const RunSummary& summary, const ComparisonQuery& query) {
    ComparisonHeat::OfRun run;
    for (const auto& node : summary.nodes) {
        const auto value = valueOf(node.metrics, query);
        if (!value)
            continue;
        run.cells.push_back({-1, node.node, run.rows, 0, value});
        run.nodes.push_back(node.node);
        ++run.rows;
    }
    return run;
}

FigureAxis scaleOf(const ComparisonContext& context, const ComparisonHeat& heat) {
    std::vector<double> values;
    for (const auto& run : heat.runs) {
        for (const auto& cell : run.cells) {
            if (cell.value)
                values.push_back(*cell.value);
        }
    }
    const std::string& name = context.query.heatMetric;
    Metric metric{name, "1", MetricKind::Gauge, name};
    for (const auto& measured : context.measured) {
        const auto found = measured->summary.metrics.find(name);
        if (found != measured->summary.metrics.end())
            metric = found->second.metric;
    }
    return colourScale(metric, context.query.heatStatistic, values);
}

} // namespace

Status addHeat(
    const ComparisonContext& context, ComparisonData& data, std::vector<RunsNote>& notes) {
    ComparisonHeat heat;
    bool any = false;
    heat.isAirflowKnown = true;
    heat.isAirflowInferred = true;
    for (std::size_t i = 0; i < context.measured.size(); ++i) {
        const auto& measured = *context.measured[i];
        ASSIGN_OR_RETURN(const auto air, analysis::airflowOf(context.studies.of(measured.run)));
        heat.isAirflowKnown = heat.isAirflowKnown && air.origin == analysis::AirflowOrigin::Said;
        heat.isAirflowInferred
            = heat.isAirflowInferred && air.origin != analysis::AirflowOrigin::Assumed;
        heat.runs.push_back(gpusHave(measured.summary, context.query)
                ? gpuCells(measured.summary, context.query, air.order)
                : nodeCells(measured.summary, context.query));
        if (heat.runs.back().cells.empty())
            addNote(notes, i,
                fmt::format("no {}.",
                    statisticTitle(context.query.heatMetric, context.query.heatStatistic)));
        any = any || !heat.runs.back().cells.empty();
    }
    if (!any)
        return {};
    heat.scale = scaleOf(context, heat);
    data.heat = std::move(heat);
    return {};
}

} // namespace trainscope::figures
