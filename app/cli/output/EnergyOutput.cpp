#include "app/cli/output/EnergyOutput.h"

#include "core/analysis/traces/KernelCategory.h"
#include "core/text/Table.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <string>

namespace trainscope::cli {

namespace {

using analysis::AttributedEnergy;
using analysis::BoundedEnergy;
using analysis::kAllPhases;
using analysis::Phase;

// Phases that did not occur are left out.
Json phasesJson(const analysis::ByPhase<BoundedEnergy>& phases, double BoundedEnergy::*field) {
    Json json = Json::object();
    for (const Phase phase : kAllPhases) {
        if (phases[phase].joules != 0.0 || phases[phase].bound != 0.0)
            json[std::string(toString(phase))] = phases[phase].*field;
    }
    return json;
}

template <typename Key>
Json mapJson(const std::map<Key, BoundedEnergy>& map, double BoundedEnergy::*field) {
    Json json = Json::object();
    for (const auto& [key, energy] : map)
        json[fmt::format("{}", key)] = energy.*field;
    return json;
}

Json collectivesJson(const std::map<std::string, analysis::CollectiveEnergy>& collectives) {
    Json json = Json::object();
    for (const auto& [name, energy] : collectives)
        json[name] = {{"exposed_j", energy.exposed}, {"hidden_j", energy.hidden}};
    return json;
}

Json iterationsJson(const std::vector<analysis::IterationEnergy>& iterations) {
    Json json = Json::array();
    for (const auto& iteration : iterations) {
        Json phases = Json::object();
        for (const Phase phase : kAllPhases) {
            if (iteration.phases[phase] != 0.0)
                phases[std::string(toString(phase))] = iteration.phases[phase];
        }
        json.push_back({{"index", iteration.index}, {"energy_j", iteration.total.joules},
            {"error_j", iteration.total.bound}, {"gpus", iteration.gpus},
            {"coverage", iteration.coverage}, {"by_phase", std::move(phases)}});
    }
    return json;
}

Json gpusJson(const std::vector<analysis::GpuEnergy>& gpus) {
    Json json = Json::array();
    for (const auto& gpu : gpus) {
        json.push_back({{"rank", gpu.rank}, {"start_ns", gpu.window.begin.ns},
            {"duration_s", seconds(gpu.window.length())}, {"coverage", gpu.coverage},
            {"energy_j", gpu.energy.total.joules}, {"error_j", gpu.energy.total.bound},
            {"by_phase", phasesJson(gpu.energy.phases, &BoundedEnergy::joules)},
            {"by_phase_error", phasesJson(gpu.energy.phases, &BoundedEnergy::bound)},
            {"sensor_window_s", gpu.sensorWindowS}, {"sensor_period_s", gpu.sensorPeriodS}});
        if (gpu.lag) {
            json.back()["power_lag_s"] = static_cast<double>(gpu.lag->lag.ns) * 1e-9;
            json.back()["power_lag_error_s"] = gpu.lag->errorNs * 1e-9;
        }
    }
    return json;
}

std::string boundedText(const BoundedEnergy& energy) {
    return text::aligned(energy.joules, "J") + " ± " + text::aligned(energy.bound, "J");
}

std::string readable(std::string_view key) {
    std::string text(key);
    std::replace(text.begin(), text.end(), '_', ' ');
    return text;
}

void addRow(text::Table& table, std::string name, const BoundedEnergy& energy, double whole) {
    if (energy.joules == 0.0 && energy.bound == 0.0)
        return;
    const bool isResolved = energy.bound <= energy.joules;
    table.add({std::move(name), boundedText(energy),
        text::alignedPercent(whole > 0.0 ? energy.joules / whole : 0.0),
        isResolved ? "" : "shorter than the sensor resolves"});
}

} // namespace

void addEnergy(Json& run, const analysis::EnergyByPhase& energy) {
    if (energy.gpus.empty())
        return;
    const AttributedEnergy& sum = energy.sum;
    run["energy_by_phase"] = phasesJson(sum.phases, &BoundedEnergy::joules);
    run["energy_by_phase_error"] = phasesJson(sum.phases, &BoundedEnergy::bound);
    run["energy_by_category"] = mapJson(sum.categories, &BoundedEnergy::joules);
    run["energy_by_category_error"] = mapJson(sum.categories, &BoundedEnergy::bound);
    run["energy_by_collective"] = collectivesJson(sum.collectives);
    run["energy_by_communicator"] = collectivesJson(sum.communicators);
    if (!energy.stages.empty()) {
        run["energy_by_stage"] = mapJson(energy.stages, &BoundedEnergy::joules);
        run["energy_by_stage_error"] = mapJson(energy.stages, &BoundedEnergy::bound);
    }
    run["energy_per_iteration"] = iterationsJson(sum.iterations);
    run["energy_attribution"] = {{"energy_j", sum.total.joules}, {"error_j", sum.total.bound},
        {"gpus", gpusJson(energy.gpus)}};
}

void printEnergy(const analysis::EnergyByPhase& energy, std::ostream& out) {
    if (energy.gpus.empty())
        return;
    const AttributedEnergy& sum = energy.sum;
    out << "  while " << energy.gpus.size() << (energy.gpus.size() == 1 ? " GPU was" : " GPUs were")
        << " traced: " << boundedText(sum.total) << '\n';
    using enum text::Align;
    text::Table table{.columns = {{"", Left}, {"energy"}, {"of it"}, {"", Left}}};
    for (const Phase phase : kAllPhases)
        addRow(table, readable(toString(phase)), sum.phases[phase], sum.total.joules);
    for (const auto& [stage, stageEnergy] : energy.stages)
        addRow(table, fmt::format("stage {}", stage), stageEnergy, sum.total.joules);
    for (const auto& [category, categoryEnergy] : sum.categories) {
        if (category != "idle")
            addRow(table, std::string(analysis::KernelCategories::label(category)), categoryEnergy,
                sum.total.joules);
    }
    text::print(out, table, "    ");
}

} // namespace trainscope::cli
