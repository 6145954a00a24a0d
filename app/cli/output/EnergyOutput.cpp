#include "app/cli/output/EnergyOutput.h"

#include "core/analysis/traces/KernelCategory.h"
#include "core/report/RunTables.h"
#include "core/text/Table.h"

#include <fmt/format.h>

#include <optional>
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
    return objectOf(kAllPhases, [&](Phase phase) {
        const BoundedEnergy& energy = phases[phase];
        return Member(std::string(toString(phase)),
            when(energy.joules != 0.0 || energy.bound != 0.0, energy.*field));
    });
}

template <typename Key>
Json mapJson(const std::map<Key, BoundedEnergy>& map, double BoundedEnergy::*field) {
    return objectOf(map, [field](const auto& one) {
        return Member(fmt::format("{}", one.first), one.second.*field);
    });
}

// Absent where the readings do not tell it.
void addEstimate(
    Json& json, const std::string& name, const std::optional<analysis::EstimatedEnergy>& estimate) {
    if (estimate)
        add(json,
            {{name + "_j", estimate->joules}, {name + "_low_j", estimate->low},
                {name + "_high_j", estimate->high}});
}

std::optional<Json> estimateJson(const BoundedEnergy& energy) {
    Json json = Json::object();
    addEstimate(json, "energy", energy.estimate);
    return when(!json.empty(), json);
}

Json phaseEstimatesJson(const analysis::ByPhase<BoundedEnergy>& phases) {
    return objectOf(kAllPhases, [&](Phase phase) {
        return Member(std::string(toString(phase)), estimateJson(phases[phase]));
    });
}

template <typename Key>
Json estimatesJson(const std::map<Key, BoundedEnergy>& map) {
    return objectOf(map, [](const auto& one) {
        return Member(fmt::format("{}", one.first), estimateJson(one.second));
    });
}

Json collectivesJson(const std::map<std::string, analysis::CollectiveEnergy>& collectives) {
    return objectOf(collectives, [](const auto& one) {
        Json json{{"exposed_j", one.second.exposed}, {"hidden_j", one.second.hidden}};
        addEstimate(json, "exposed_estimated", one.second.exposedEstimate);
        addEstimate(json, "hidden_estimated", one.second.hiddenEstimate);
        return Member(one.first, json);
    });
}

Json iterationEnergyJson(const analysis::IterationEnergy& iteration) {
    const auto phaseOf = [&](Phase phase) {
        const double joules = iteration.phases[phase];
        return Member(std::string(toString(phase)), when(joules != 0.0, joules));
    };
    Json json{{"index", iteration.index}, {"energy_j", iteration.total.joules},
        {"error_j", iteration.total.bound}, {"gpus", iteration.gpus},
        {"coverage", iteration.coverage}, {"by_phase", objectOf(kAllPhases, phaseOf)}};
    addEstimate(json, "energy_estimated", iteration.total.estimate);
    if (iteration.total.estimate)
        json["by_phase_estimated"] = objectOf(kAllPhases, [&](Phase phase) {
            const double joules = iteration.estimatedPhases[phase];
            return Member(std::string(toString(phase)), when(joules != 0.0, joules));
        });
    return json;
}

Json gpuEnergyJson(const analysis::GpuEnergy& gpu) {
    Json json{{"rank", gpu.rank}, {"start_ns", gpu.window.begin.ns},
        {"duration_s", seconds(gpu.window.length())}, {"coverage", gpu.coverage},
        {"energy_j", gpu.energy.total.joules}, {"error_j", gpu.energy.total.bound},
        {"by_phase", phasesJson(gpu.energy.phases, &BoundedEnergy::joules)},
        {"by_phase_error", phasesJson(gpu.energy.phases, &BoundedEnergy::bound)},
        {"sensor_window_s", gpu.sensorWindowS}, {"sensor_period_s", gpu.sensorPeriodS}};
    addEstimate(json, "energy_estimated", gpu.energy.total.estimate);
    if (gpu.estimatedSensor)
        add(json,
            {{"by_phase_estimate", phaseEstimatesJson(gpu.energy.phases)},
                {"estimate_sensor_window_s", gpu.estimatedSensor->windowS},
                {"estimate_sensor_delay_s", gpu.estimatedSensor->delayS},
                {"estimate_readings", gpu.estimatedSensor->readings}});
    if (gpu.lag)
        add(json,
            {{"power_lag_s", static_cast<double>(gpu.lag->lag.ns) * 1e-9},
                {"power_lag_error_s", gpu.lag->errorNs * 1e-9}});
    return json;
}

void addRow(text::Table& table, std::string name, const BoundedEnergy& energy, double whole) {
    if (energy.joules == 0.0 && energy.bound == 0.0)
        return;
    const bool isResolved = energy.estimate || energy.bound <= energy.joules;
    const double joules = energy.estimate ? energy.estimate->joules : energy.joules;
    table.add({std::move(name), report::boundedText(energy),
        text::alignedPercent(whole > 0.0 ? joules / whole : 0.0),
        isResolved ? "" : "shorter than the sensor resolves, and too few readings to tell it"});
}

} // namespace

void addEnergy(Json& run, const analysis::EnergyByPhase& energy) {
    if (energy.gpus.empty())
        return;
    const AttributedEnergy& sum = energy.sum;
    const auto addBoth = [&run](const std::string& key, const auto& of, const auto& toJson) {
        add(run,
            {{key, toJson(of, &BoundedEnergy::joules)},
                {key + "_error", toJson(of, &BoundedEnergy::bound)}});
    };
    addBoth("energy_by_phase", sum.phases, phasesJson);
    addBoth("energy_by_category", sum.categories, mapJson<std::string>);
    add(run,
        {{"energy_by_collective", collectivesJson(sum.collectives)},
            {"energy_by_communicator", collectivesJson(sum.communicators)}});
    add(run,
        {{"energy_by_phase_estimate", phaseEstimatesJson(sum.phases)},
            {"energy_by_category_estimate", estimatesJson(sum.categories)}});
    if (!energy.stages.empty()) {
        addBoth("energy_by_stage", energy.stages, mapJson<int>);
        add(run, {{"energy_by_stage_estimate", estimatesJson(energy.stages)}});
    }
    add(run,
        {{"energy_per_iteration", listOf(sum.iterations, iterationEnergyJson)},
            {"energy_attribution",
                Json{{"energy_j", sum.total.joules}, {"error_j", sum.total.bound},
                    {"gpus", listOf(energy.gpus, gpuEnergyJson)}}}});
    addEstimate(run["energy_attribution"], "energy_estimated", sum.total.estimate);
}

void printEnergy(const analysis::EnergyByPhase& energy, std::ostream& out) {
    if (energy.gpus.empty())
        return;
    const AttributedEnergy& sum = energy.sum;
    out << "  while " << energy.gpus.size() << (energy.gpus.size() == 1 ? " GPU was" : " GPUs were")
        << " traced: " << report::boundedText(sum.total) << '\n';
    using enum text::Align;
    text::Table table{.columns = {{"", Left}, {"energy (90 %)", Left}, {"of it"}, {"", Left}}};
    const double whole = sum.total.estimate ? sum.total.estimate->joules : sum.total.joules;
    for (const Phase phase : kAllPhases)
        addRow(table, report::phaseTitle(phase), sum.phases[phase], whole);
    for (const auto& [stage, stageEnergy] : energy.stages)
        addRow(table, fmt::format("stage {}", stage), stageEnergy, whole);
    for (const auto& [category, categoryEnergy] : sum.categories) {
        if (category != "idle")
            addRow(table, std::string(analysis::KernelCategories::label(category)), categoryEnergy,
                whole);
    }
    text::print(out, table, "    ");
}

} // namespace trainscope::cli
