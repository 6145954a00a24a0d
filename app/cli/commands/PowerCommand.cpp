#include "app/cli/commands/Command.h"
#include "app/cli/options/AddOption.h"
#include "app/cli/options/CommandText.h"
#include "core/predict/power/RunPower.h"
#include "core/text/Numbers.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>
#include <ostream>

namespace trainscope::cli {

namespace {

struct PowerOptions : OneRunOptions { };

std::optional<Json> residualJson(const std::optional<predict::Residual>& residual) {
    if (!residual)
        return std::nullopt;
    return Json{{"mean_w", residual->mean}, {"fraction", residual->relative},
        {"moments", residual->moments}};
}

Json nodeHeatJson(const predict::NodeHeat& node) {
    Json gpus = Json::array();
    for (std::size_t slot = 0; slot < node.ranks.size(); ++slot)
        gpus.push_back({{"rank", node.ranks[slot]},
            {"resistance_c_per_w", node.fit.node.slots[slot].thermal.resistance}});
    return {{"node", node.node}, {"inlet_c", node.fit.node.air.inletC},
        {"air_rise_c_per_w", node.fit.node.air.risePerW},
        {"time_constant_s", node.fit.node.slots.front().thermal.seconds},
        {"fitted_error_c", node.fit.errorC}, {"held_out_error_c", node.fit.heldOutErrorC},
        {"gpus", std::move(gpus)}};
}

Json activitiesJson(const predict::ActivityPowers& powers) {
    Json watts = Json::object();
    for (const predict::Activity activity : predict::kAllActivities) {
        if (powers.watts[activity])
            watts[std::string(toString(activity))] = *powers.watts[activity];
    }
    return object(
        {{"watts", watts}, {"gpus", powers.gpus}, {"residual", residualJson(powers.residual)}});
}

Json powerJson(const Run& run, const predict::RunPower& power) {
    return object({{"run", run.name}, {"idle_w", power.states.idleW},
        {"parked_w", power.states.parkedW}, {"busy_w", power.states.busyW},
        {"limit_w", power.states.limitW}, {"residual", residualJson(power.states.residual)},
        {"activities",
            power.activities ? std::optional(activitiesJson(*power.activities)) : std::nullopt},
        {"nodes", listOf(power.nodes, nodeHeatJson)},
        {"temperature_error_c",
            power.temperature ? std::optional(power.temperature->mean) : std::nullopt}});
}

void printResidual(
    const std::optional<predict::Residual>& residual, const char* what, std::ostream& out) {
    if (residual)
        out << fmt::format("  {} is off by {} ({}) in {} that it was not fitted to\n", what,
            text::quantity(residual->mean, "W"), text::percent(residual->relative),
            text::counted(static_cast<std::int64_t>(residual->moments), "moment"));
}

void printStates(const predict::StatePowers& states, std::ostream& out) {
    out << fmt::format("  idle      {}\n", text::quantity(states.idleW, "W"))
        << fmt::format("  parked    {}\n", text::quantity(states.parkedW, "W"))
        << fmt::format("  busy      {} at the highest clock\n", text::quantity(states.busyW, "W"))
        << fmt::format("  limit     {}\n", text::quantity(states.limitW, "W"));
    printResidual(states.residual, "power by clock and utilisation", out);
}

void printActivities(const predict::ActivityPowers& powers, std::ostream& out) {
    out << fmt::format("\nactivities of {}\n", text::counted(powers.gpus, "traced GPU"));
    for (const predict::Activity activity : predict::kAllActivities)
        out << fmt::format(
            "  {:<14}{}\n", toString(activity), text::quantity(powers.watts[activity], "W"));
    printResidual(powers.residual, "power by activity", out);
}

void printHeat(const std::vector<predict::NodeHeat>& nodes, std::ostream& out) {
    for (const predict::NodeHeat& node : nodes) {
        out << fmt::format("\nnode {}: inlet {}, air {:.4f} °C/W, {} to settle by 63 %\n",
            node.node, text::quantity(node.fit.node.air.inletC, "°C"), node.fit.node.air.risePerW,
            text::quantity(node.fit.node.slots.front().thermal.seconds, "s"));
        for (std::size_t slot = 0; slot < node.ranks.size(); ++slot)
            out << fmt::format("  rank {:<6}{:.4f} °C/W\n", node.ranks[slot],
                node.fit.node.slots[slot].thermal.resistance);
        out << fmt::format("  temperature is off by {} where it was fitted, by {} on the rest\n",
            text::quantity(node.fit.errorC, "°C"), text::quantity(node.fit.heldOutErrorC, "°C"));
    }
    if (nodes.empty())
        out << "\nTemperatures and powers do not tell how the nodes warm up.\n";
}

Outcome powerOfOneRun(const PowerOptions& options, const Console& console,
    const store::Store& store, const Run& run) {
    ProgressLine line(console);
    ASSIGN_OR_RETURN(const auto power, predict::powerOfRun({store, run, shownOn(line, console)}));
    line.clear();
    return show(
        console, options.json, [&] { return powerJson(run, power); },
        [&](std::ostream& out) {
            out << run.name << ": power of a GPU\n";
            printStates(power.states, out);
            if (power.activities)
                printActivities(*power.activities, out);
            printHeat(power.nodes, out);
        });
}

} // namespace

void addPowerCommand(CLI::App& app, CommandContext& context) {
    auto* command = app.add_subcommand(
        "power", "Constants of power and heat that a run tells, and what they leave unexplained");
    auto options = std::make_shared<PowerOptions>();
    addOneRun(*command, *options);
    addJson(*command, options->json);
    setFooter(*command, {"power#calibration"},
        R"(What a run does not tell is absent.

Examples:
  trainscope-cli power runs.trainscope --run gpt3-175b_3_00000
  trainscope-cli power runs.trainscope --run gpt3-175b_3_00000 --json)");
    runsOnRun(*command, context, options, powerOfOneRun);
}

} // namespace trainscope::cli
