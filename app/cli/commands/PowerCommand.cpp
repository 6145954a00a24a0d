#include "app/cli/commands/Command.h"
#include "core/predict/power/RunPower.h"

namespace trainscope::cli {

namespace {

std::optional<Json> residualJson(const std::optional<predict::Residual>& residual) {
    if (!residual)
        return std::nullopt;
    return Json{{"mean_w", residual->mean}, {"fraction", residual->relative},
        {"moments", residual->moments}};
}

Row statesRow(const predict::StatePowers& states) {
    return {{"idle_w", inUnit("idle", "W"), states.idleW},
        {"parked_w", inUnit("parked", "W"), states.parkedW},
        {"busy_w", inUnit("busy, at the highest clock", "W"), states.busyW},
        {"limit_w", inUnit("limit", "W"), states.limitW},
        {"residual", residualJson(states.residual)}};
}

Row activitiesRow(const predict::ActivityPowers& powers) {
    Row row;
    for (const predict::Activity activity : predict::kAllActivities)
        row.push_back({toString(activity), inUnit(std::string(toString(activity)), "W"),
            powers.watts[activity]});
    return row;
}

Row gpuHeatRow(const predict::NodeHeat& node, std::size_t slot) {
    const double resistance = node.fit.node.slots[slot].thermal.resistance;
    return {{"", {"node"}, node.node}, {"rank", {"rank"}, node.ranks[slot]},
        {"resistance_c_per_w", resistance, {"chip to air, °C/W"},
            fmt::format("{:.4f}", resistance)}};
}

std::vector<Row> gpuHeatRows(const predict::NodeHeat& node) {
    std::vector<Row> rows;
    for (std::size_t slot = 0; slot < node.ranks.size(); ++slot)
        rows.push_back(gpuHeatRow(node, slot));
    return rows;
}

Row nodeHeatRow(const predict::NodeHeat& node) {
    const auto& air = node.fit.node.air;
    return {{"node", {"node"}, node.node}, {"inlet_c", inUnit("inlet", "°C"), air.inletC},
        {"air_rise_c_per_w", air.risePerW, {"air, °C/W"}, fmt::format("{:.4f}", air.risePerW)},
        {"time_constant_s", inUnit("settles by 63 % in", "s"),
            node.fit.node.slots.front().thermal.seconds},
        {"fitted_error_c", inUnit("off where fitted", "°C"), node.fit.errorC},
        {"held_out_error_c", inUnit("off on the rest", "°C"), node.fit.heldOutErrorC},
        {"gpus", listOf(gpuHeatRows(node), rowJson)}};
}

Json powerJson(const Run& run, const predict::RunPower& power) {
    Json json{{"run", run.name}};
    add(json, statesRow(power.states));
    if (const auto& activities = power.activities)
        json["activities"] = object({{"watts", rowJson(activitiesRow(*activities))},
            {"gpus", activities->gpus}, {"residual", residualJson(activities->residual)}});
    json["nodes"] = rowsJson(power.nodes, nodeHeatRow);
    if (power.temperature)
        json["temperature_error_c"] = power.temperature->mean;
    return json;
}

void printResidual(
    const std::optional<predict::Residual>& residual, const char* what, std::ostream& out) {
    if (residual)
        out << fmt::format("  {} is off by {} ({}) in {} that it was not fitted to\n", what,
            text::quantity(residual->mean, "W"), text::percent(residual->relative),
            text::counted(static_cast<std::int64_t>(residual->moments), "moment"));
}

void printPower(std::ostream& out, const Run& run, const predict::RunPower& power) {
    out << run.name << ": power of a GPU\n";
    printLines(out, statesRow(power.states));
    printResidual(power.states.residual, "power by clock and utilisation", out);
    if (const auto& activities = power.activities) {
        out << fmt::format("\nactivities of {}\n", text::counted(activities->gpus, "traced GPU"));
        printLines(out, activitiesRow(*activities));
        printResidual(activities->residual, "power by activity", out);
    }
    printBelow(out, tableOf(power.nodes, nodeHeatRow));
    text::Table gpus;
    for (const predict::NodeHeat& node : power.nodes) {
        for (const Row& row : gpuHeatRows(node))
            addRow(gpus, row);
    }
    printBelow(out, gpus);
    if (power.nodes.empty())
        out << "\nTemperatures and powers do not tell how the nodes warm up.\n";
}

Outcome powerOfOneRun(const OneRunOptions& options, const Console& console,
    const store::Store& store, const Run& run) {
    ASSIGN_OR_RETURN(const auto power, predict::powerOfRun({store, run, shownOn(console)}));
    return show(console, options.json, powerJson, printPower, run, power);
}

} // namespace

void addPowerCommand(CLI::App& app, CommandContext& context) {
    const auto [command, options] = addCommand<OneRunOptions>(app, "power",
        "Constants of power and heat that a run tells, and what they leave unexplained",
        {"power#calibration"});
    addJson(*command, options->json);
    runsOnRun(*command, context, options, powerOfOneRun);
}

} // namespace trainscope::cli
