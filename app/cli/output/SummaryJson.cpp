#include "app/cli/output/SummaryJson.h"

#include <utility>

namespace trainscope::cli {

namespace {

using analysis::SubjectStatistics;

void addStatistics(Json& json, const SubjectStatistics& statistics) {
    setIfPresent(json, "mean", statistics.mean);
    setIfPresent(json, "min", statistics.min);
    setIfPresent(json, "max", statistics.max);
    setIfPresent(json, "p50", statistics.p50);
    setIfPresent(json, "p99", statistics.p99);
    setIfPresent(json, "total", statistics.total);
}

Json subjectJson(const std::map<std::string, SubjectStatistics>& metrics) {
    Json json = Json::object();
    for (const auto& [name, statistics] : metrics) {
        Json metric;
        addStatistics(metric, statistics);
        metric["samples"] = statistics.samples;
        metric["missing"] = statistics.missing;
        json[name] = std::move(metric);
    }
    return json;
}

void addEnergy(Json& json, const std::optional<analysis::Energy>& energy) {
    if (!energy)
        return;
    json["energy_j"] = energy->joules;
    json["energy_coverage"] = energy->coverage;
}

Json metricsJson(const analysis::RunSummary& summary) {
    Json json = Json::object();
    for (const auto& [name, metric] : summary.metrics) {
        Json entry{{"unit", metric.metric.unit}};
        addStatistics(entry, metric.all);
        setIfPresent(entry, "intra_node_std", metric.intraNodeStd);
        setIfPresent(entry, "inter_node_std", metric.interNodeStd);
        json[name] = std::move(entry);
    }
    return json;
}

} // namespace

Json summaryJson(const analysis::RunSummary& summary) {
    const Run& run = summary.run;
    Json json{{"name", run.name}, {"kind", toString(run.kind)}, {"status", toString(run.status)},
        {"start_ns", run.range.begin.ns}, {"duration_s", seconds(summary.duration)},
        {"gpu_count", run.gpuCount}};
    addEnergy(json, summary.energy);
    json["metrics"] = metricsJson(summary);
    json["gpus"] = Json::array();
    for (const auto& gpu : summary.gpus) {
        Json entry{{"rank", gpu.gpu.rank}, {"node", gpu.gpu.node}, {"local", gpu.gpu.local}};
        addEnergy(entry, gpu.energy);
        entry["metrics"] = subjectJson(gpu.metrics);
        json["gpus"].push_back(std::move(entry));
    }
    json["nodes"] = Json::array();
    for (const auto& node : summary.nodes)
        json["nodes"].push_back({{"node", node.node}, {"metrics", subjectJson(node.metrics)}});
    return json;
}

void addWindow(Json& run, const analysis::SteadyState& steady) {
    run["start_ns"] = steady.window.begin.ns;
    run["window"] = {{"start_ns", steady.window.begin.ns}, {"end_ns", steady.window.end.ns},
        {"basis", std::string(toString(steady.basis))}, {"wording", steady.wording},
        {"iterations", steady.iterations}, {"warmup_iterations", steady.warmupIterations},
        {"unsettled_iterations", steady.unsettledIterations}};
}

} // namespace trainscope::cli
