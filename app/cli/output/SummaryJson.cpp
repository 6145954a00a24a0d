#include "app/cli/output/RunOutput.h"

namespace trainscope::cli {

namespace {

using analysis::SubjectStatistics;
using Energy = std::optional<analysis::Energy>;

void addStatistics(Json& json, const SubjectStatistics& of) {
    add(json,
        {{"mean", of.mean}, {"min", of.min}, {"max", of.max}, {"p50", of.p50}, {"p99", of.p99},
            {"total", of.total}, {"first", of.first}, {"last", of.last}});
    if (!of.shares.empty())
        json["shares"] = of.shares;
}

Json subjectJson(const std::map<std::string, SubjectStatistics>& metrics) {
    return objectOf(metrics, [](const auto& one) {
        const auto& [name, statistics] = one;
        Json metric;
        addStatistics(metric, statistics);
        add(metric, {{"samples", statistics.samples}, {"missing", statistics.missing}});
        return Member(name, metric);
    });
}

void addEnergy(Json& json, const Energy& energy) {
    if (energy)
        add(json,
            {{"energy_j", energy->joules}, {"energy_coverage", energy->coverage},
                {"energy_source",
                    energy->source == analysis::EnergySource::Counter ? "counter" : "power"},
                {"energy_resolution_s", when(energy->resolutionS > 0.0, energy->resolutionS)}});
}

Json metricJson(const analysis::MetricSummary& metric) {
    Json json = object({{"unit", metric.metric.unit}});
    addStatistics(json, metric.all);
    add(json, {{"intra_node_std", metric.intraNodeStd}, {"inter_node_std", metric.interNodeStd}});
    return json;
}

Json gpuSummaryJson(const analysis::GpuSummary& gpu) {
    Json json{{"rank", gpu.gpu.rank}, {"node", gpu.gpu.node}, {"local", gpu.gpu.local}};
    addEnergy(json, gpu.energy);
    json["metrics"] = subjectJson(gpu.metrics);
    return json;
}

Json nodeSummaryJson(const analysis::NodeSummary& node) {
    Json json{{"node", node.node}};
    addEnergy(json, node.energy);
    add(json, {{"gpu_energy_j", node.gpuJoules}, {"rest_energy_j", node.restJoules}});
    json["metrics"] = subjectJson(node.metrics);
    return json;
}

} // namespace

Json summaryJson(const analysis::RunSummary& summary) {
    const Run& run = summary.run;
    Json json{{"name", run.name}, {"kind", toString(run.kind)}, {"status", toString(run.status)},
        {"start_ns", run.range.begin.ns}, {"duration_s", seconds(summary.duration)},
        {"gpu_count", run.gpuCount}};
    add(json, {{"simulated", when(run.simulated, true)}});
    addEnergy(json, summary.energy);
    const auto packages = std::ssize(summary.secondDies);
    add(json, {{"packages", when(packages > 0, packages)}});
    json["metrics"] = objectOf(
        summary.metrics, [](const auto& one) { return Member(one.first, metricJson(one.second)); });
    json["gpus"] = listOf(summary.gpus, gpuSummaryJson);
    if (const auto& nodes = summary.nodeEnergy)
        add(json,
            {{"node_energy_j", nodes->joules}, {"node_energy_coverage", nodes->coverage},
                {"rest_energy_j", summary.restJoules}});
    if (const auto& switches = summary.switchEnergy)
        add(json,
            {{"switch_energy_j", switches->joules},
                {"switch_energy_coverage", switches->coverage}});
    json["nodes"] = listOf(summary.nodes, nodeSummaryJson);
    return json;
}

void addWindow(Json& run, const analysis::SteadyState& steady) {
    run["start_ns"] = steady.window.begin.ns;
    run["window"] = {{"start_ns", steady.window.begin.ns}, {"end_ns", steady.window.end.ns},
        {"basis", std::string(toString(steady.basis))}, {"wording", steady.wording},
        {"iterations", steady.iterations}, {"warmup_iterations", steady.warmupIterations},
        {"unsettled_iterations", steady.unsettledIterations}};
}

Json reportJson(const ImportReport& report) {
    return {{"importer", report.importer}, {"bytes", report.bytes}, {"rows", report.rows},
        {"skipped", report.skipped}, {"samples", report.samples}, {"missing", report.missing},
        {"spans", report.spans}, {"counter_falls", report.counterFalls}, {"gaps", report.gaps},
        {"ranks_expected", report.ranksExpected}, {"ranks_found", report.ranksFound},
        {"counts", report.counts}, {"facts", report.facts}, {"warning_count", report.warningCount},
        {"warnings", listOf(report.warnings, [](const auto& warning) {
             return Json{{"file", warning.file}, {"line", warning.line}, {"text", warning.text},
                 {"files", warning.files}, {"severity", toString(warning.severity)}};
         })}};
}

} // namespace trainscope::cli
