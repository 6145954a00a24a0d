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

} // namespace trainscope::cli
