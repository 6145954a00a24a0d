#include "app/cli/output/RunOutput.h"

#include "core/analysis/traces/KernelCategory.h"
#include "core/report/RunTables.h"

#include <fmt/format.h>

namespace trainscope::cli {

namespace {

using analysis::AttributedEnergy;
using analysis::kAllPhases;
using analysis::PartEnergy;
using analysis::Phase;

// partOf(one): its name and its energy.
template <typename List, typename PartOf>
void addMap(Json& json, const std::string& key, const List& parts, const PartOf& partOf) {
    Json joules = Json::object();
    Json intervals = Json::object();
    Json unknown = Json::object();
    for (const auto& part : parts) {
        const std::pair<std::string, PartEnergy> one = partOf(part);
        const auto& [name, energy] = one;
        if (energy.known) {
            joules[name] = energy.known->joules;
            intervals[name] = Json::array({energy.known->low, energy.known->high});
        } else if (energy.unknown) {
            unknown[name] = std::string(reasonOf(*energy.unknown));
        }
    }
    json[key] = std::move(joules);
    json[key + "_interval"] = std::move(intervals);
    if (!unknown.empty())
        json[key + "_unknown"] = std::move(unknown);
}
template <typename Key>
void addMap(Json& json, const std::string& key, const std::map<Key, PartEnergy>& parts) {
    addMap(json, key, parts,
        [](const auto& one) { return std::pair(fmt::format("{}", one.first), one.second); });
}
void addMap(Json& json, const std::string& key, const analysis::ByPhase<PartEnergy>& phases) {
    addMap(json, key, kAllPhases,
        [&phases](Phase phase) { return std::pair(std::string(toString(phase)), phases[phase]); });
}

// Exposed and hidden.
void addCollectives(Json& json, const std::string& key,
    const std::map<std::string, analysis::CollectiveEnergy>& collectives) {
    addMap(json, key, collectives,
        [](const auto& one) { return std::pair(one.first, one.second.exposed); });
    addMap(json, key + "_hidden", collectives,
        [](const auto& one) { return std::pair(one.first, one.second.hidden); });
}

Json iterationEnergyJson(const analysis::IterationEnergy& iteration) {
    Json json{
        {"index", iteration.index}, {"gpus", iteration.gpus}, {"coverage", iteration.coverage}};
    add(json, energyRow(iteration.total));
    if (iteration.total.known)
        json["by_phase"] = objectOf(kAllPhases, [&](Phase phase) {
            const double joules = iteration.phases[phase];
            return Member(std::string(toString(phase)), when(joules != 0.0, joules));
        });
    return json;
}

Json gpuEnergyJson(const analysis::GpuEnergy& gpu) {
    Json json{{"rank", gpu.rank}, {"start_ns", gpu.window.begin.ns},
        {"duration_s", seconds(gpu.window.length())}, {"traced_s", seconds(gpu.traced)},
        {"coverage", gpu.coverage}, {"energy_source", gpu.isCounted ? "counter" : "power"}};
    add(json, energyRow(gpu.energy.total));
    addMap(json, "by_phase", gpu.energy.phases);
    if (gpu.sensor)
        add(json,
            {{"sensor_window_s", gpu.sensor->windowS}, {"sensor_delay_s", gpu.sensor->delayS},
                {"readings", gpu.sensor->readings}});
    if (gpu.lag)
        add(json,
            {{"power_lag_s", static_cast<double>(gpu.lag->lag.ns) * 1e-9},
                {"power_lag_error_s", gpu.lag->errorNs * 1e-9}});
    return json;
}

void addPart(
    text::Table& table, std::string name, const PartEnergy& energy, const PartEnergy& whole) {
    if (energy.isNothing())
        return;
    const bool isShare = energy.known && whole.known && whole.known->joules > 0.0;
    addRow(table,
        {{"", {"", Left}, name}, energyRow(energy).front(),
            {"", {"of it"},
                isShare ? text::alignedPercent(energy.known->joules / whole.known->joules) : ""},
            {"", {"", Left}, energy.unknown ? std::string(reasonOf(*energy.unknown)) : ""}});
}

constexpr std::size_t kKernelsAboveShown = 20;
constexpr std::size_t kKernelNameShown = 72;

Json kernelAboveJson(const analysis::KernelAboveLimit& kernel) {
    return object({{"name", kernel.name}, {"category", kernel.category}, {"count", kernel.count},
        {"time_us", 1e6 * kernel.time.seconds()}, {"energy_j", kernel.joules}});
}

Json deviceAboveJson(const analysis::DeviceAboveLimit& device, report::RankedBy by) {
    Json json{{"rank", device.rank}, {"device", device.device}};
    json.update(limitShareJson(device.gpu));
    add(json,
        {{"traced_us", 1e6 * device.traced.seconds()}, {"traced_energy_j", device.tracedJoules},
            {"idle_us", 1e6 * device.none.seconds()}, {"idle_energy_j", device.noneJoules}});
    auto kernels = device.kernels;
    if (by == report::RankedBy::Time)
        std::stable_sort(kernels.begin(), kernels.end(),
            [](const auto& a, const auto& b) { return a.time > b.time; });
    json["kernels"] = listOf(kernels, kernelAboveJson);
    return json;
}

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

Row energyRow(const PartEnergy& energy) {
    const auto& known = energy.known;
    const auto of = [&known](double analysis::EstimatedEnergy::*part) {
        return known ? std::optional((*known).*part) : std::nullopt;
    };
    using Known = analysis::EstimatedEnergy;
    return {{"energy_j", of(&Known::joules), {"energy (90 %)", Left},
                when(known.has_value(), report::energyText(energy))},
        {"energy_low_j", of(&Known::low)}, {"energy_high_j", of(&Known::high)},
        {"energy_unknown",
            known || !energy.unknown ? std::nullopt : std::optional(reasonOf(*energy.unknown))}};
}

void addEnergy(Json& run, const analysis::EnergyByPhase& energy) {
    if (!energy.unknown.empty())
        run["energy_unknown"] = listOf(energy.unknown, [](const auto& one) {
            return Json{{"rank", one.first}, {"reason", std::string(reasonOf(one.second))}};
        });
    if (energy.gpus.empty())
        return;
    const AttributedEnergy& sum = energy.sum;
    addMap(run, "energy_by_phase", sum.phases);
    addMap(run, "energy_by_category", sum.categories);
    addCollectives(run, "energy_by_collective", sum.collectives);
    addCollectives(run, "energy_by_communicator", sum.communicators);
    if (!energy.stages.empty())
        addMap(run, "energy_by_stage", energy.stages);
    if (!sum.captures.empty())
        addMap(run, "energy_by_capture", sum.captures);
    addMap(run, "energy_by_iteration", sum.iterations,
        [](const auto& one) { return std::pair(std::to_string(one.index), one.total); });
    Json attribution{{"gpus", listOf(energy.gpus, gpuEnergyJson)}};
    add(attribution, energyRow(sum.total));
    add(run,
        {{"energy_per_iteration", listOf(sum.iterations, iterationEnergyJson)},
            {"energy_attribution", attribution}});
}

void printEnergy(const analysis::EnergyByPhase& energy, std::ostream& out) {
    for (const auto& [rank, why] : energy.unknown)
        out << "  no energy of the traced rank " << rank << ": " << reasonOf(why) << '\n';
    if (energy.gpus.empty())
        return;
    const AttributedEnergy& sum = energy.sum;
    out << "  while " << energy.gpus.size() << (energy.gpus.size() == 1 ? " GPU was" : " GPUs were")
        << " traced: " << report::energyText(sum.total) << '\n';
    text::Table table;
    for (const Phase phase : kAllPhases)
        addPart(table, analysis::phaseTitle(phase), sum.phases[phase], sum.total);
    for (const auto& [stage, stageEnergy] : energy.stages)
        addPart(table, fmt::format("stage {}", stage), stageEnergy, sum.total);
    for (const auto& [category, categoryEnergy] : sum.categories) {
        if (category != "idle" && category != "copy") // these two are phases
            addPart(table, std::string(analysis::KernelCategories::label(category)), categoryEnergy,
                sum.total);
    }
    for (const auto& [capture, captureEnergy] : sum.captures)
        addPart(table, "capture " + capture, captureEnergy, sum.total);
    printTable(out, table, "    ");
}

Json limitShareJson(const analysis::LimitShare& share) {
    return object(
        {{"limit_w", share.limitW}, {"limit_source", share.source}, {"seconds", share.seconds},
            {"share", share.share}, {"highest_w", share.highestW}, {"energy_j", share.joules}});
}

void addAboveLimit(Json& summary, const std::vector<analysis::AboveLimit>& gpus) {
    const auto all = analysis::together(gpus);
    if (!all)
        return;
    summary["above_limit"] = limitShareJson(*all);
    for (Json& gpu : summary["gpus"]) {
        const auto own = std::find_if(
            gpus.begin(), gpus.end(), [&gpu](const auto& one) { return gpu["rank"] == one.rank; });
        if (own != gpus.end())
            gpu["above_limit"] = limitShareJson(*own);
    }
}

Json aboveLimitJson(
    const Run& run, const std::vector<analysis::DeviceAboveLimit>& devices, report::RankedBy by) {
    return {{"run", run.name}, {"above_limit", listOf(devices, [by](const auto& device) {
                                    return deviceAboveJson(device, by);
                                })}};
}

void printAboveLimit(std::ostream& out, const Run& run,
    const std::vector<analysis::DeviceAboveLimit>& devices, report::RankedBy by) {
    out << run.name << '\n';
    for (const auto& device : devices) {
        out << fmt::format("  rank {}: {}\n", device.rank, report::aboveLimitText(device.gpu));
        if (device.traced.ns > 0)
            out << fmt::format("    {} of it traced, with {}; {} of that with no work on the GPU\n",
                text::aligned(device.traced.seconds(), "s"),
                text::aligned(device.tracedJoules, "J"), text::aligned(device.none.seconds(), "s"));
    }
    auto made = report::kernelsAboveLimitTable({devices}, by);
    for (std::size_t i = 0; i < made.table.rows.size(); ++i)
        made.table.rows[i].front() = text::elidedInMiddle(made.sources[i].name, kKernelNameShown);
    printBelow(out, firstOf(std::move(made.table), kKernelsAboveShown, "more kernel"));
}

std::string stretchText(std::ostream& out, const Run& run, TimeRange range) {
    if (text::compactRows(out) > 0)
        return fmt::format("from={:.3f} to={:.3f}", seconds(range.begin - run.range.begin),
            seconds(range.end - run.range.begin));
    return "from " + text::moment(range.begin) + " for " + text::alignedDuration(range.length());
}

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
