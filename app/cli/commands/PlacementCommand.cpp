#include "app/cli/commands/Command.h"
#include "app/cli/text/TextFile.h"
#include "core/analysis/cluster/Placement.h"

namespace trainscope::cli {

namespace {

struct PlacementOptions : OneRunOptions {
    std::string argumentsFile;
};

std::optional<Json> estimateJson(const std::optional<analysis::Estimate>& estimate) {
    if (!estimate)
        return std::nullopt;
    return Json{{"value", estimate->value}, {"low", estimate->low}, {"high", estimate->high}};
}

Row placedStageRow(const analysis::StagePlacement& one, std::size_t stage) {
    const auto decimals
        = [](double value, int count) { return fmt::format("{:.{}f}", value, count); };
    return {{"stage", {"stage"}, stage},
        {"temperature_c", one.temperatureBefore, {"°C"}, decimals(one.temperatureBefore, 1)},
        {"speed_before", one.speedBefore, {"speed"}, decimals(one.speedBefore, 3)},
        {"layers_before", {"layers"}, one.layersBefore},
        {"layers_after", {"proposed"}, one.layersAfter}, {"most_layers", one.mostLayers},
        {"speed_after", one.speedAfter, {"speed then"}, decimals(one.speedAfter, 3)}};
}

Json gpuPlaceJson(const analysis::GpuPlace& gpu) {
    return {{"node", gpu.node}, {"local", gpu.local}, {"slot", gpu.slot}, {"rear", gpu.isRear},
        {"rank_before", gpu.rankBefore}, {"rank_after", gpu.rankAfter},
        {"stage_before", gpu.stageBefore}, {"stage_after", gpu.stageAfter},
        {"temperature_c", gpu.temperatureC}, {"power_w", gpu.watts}, {"lost_fraction", gpu.lost}};
}

Json placementJson(const Run& run, const analysis::Placement& placement) {
    return object({{"run", run.name}, {"estimate", true}, {"helps", placement.helps},
        {"headline", placement.headline}, {"reason", placement.reason},
        {"front_rear_gradient_c", placement.gradientC},
        {"gradient_noise_c", placement.gradientNoiseC}, {"lost_fraction", placement.lostShare},
        {"stages", rowsJson(placement.stages, placedStageRow)},
        {"moves_ranks", placement.movesRanks}, {"gpus", listOf(placement.gpus, gpuPlaceJson)},
        {"expected",
            object({{"step_time_change", estimateJson(placement.stepTime)},
                {"gradient_change_c", estimateJson(placement.gradientChangeC)},
                {"lost_fraction_change", estimateJson(placement.lostChange)}})},
        {"assumptions", placement.assumptions}, {"notes", placement.notes},
        {"launch_arguments", launchArguments(placement)}});
}

void printChange(std::ostream& out, const char* what,
    const std::optional<analysis::Estimate>& estimate, double scale, const char* unit) {
    if (estimate)
        out << fmt::format("  {}: {:+.1f} {} ({:+.1f} to {:+.1f})\n", what, estimate->value * scale,
            unit, estimate->low * scale, estimate->high * scale);
}

void printPlacement(std::ostream& out, const Run& run, const analysis::Placement& placement) {
    out << run.name << ": " << placement.headline << '\n' << placement.reason << "\n\n";
    printTable(out, tableOf(placement.stages, placedStageRow));
    if (placement.helps) {
        constexpr double kPercent = 100.0;
        out << "\nExpected, an estimate (range):\n";
        printChange(out, "step time", placement.stepTime, kPercent, "%");
        printChange(out, "rear − front", placement.gradientChangeC, 1.0, "°C");
        printChange(out, "clock lost", placement.lostChange, kPercent, "percentage points");
        out << '\n' << launchArguments(placement);
    }
    out << "\nAssumptions:\n";
    for (const std::string& one : placement.assumptions)
        out << "  " << one << '\n';
    for (const std::string& note : placement.notes)
        out << "note: " << note << '\n';
}

Outcome place(const PlacementOptions& options, const Console& console, const store::Store& store,
    const Run& run) {
    ASSIGN_OR_RETURN(
        const auto placement, analysis::proposePlacement({store, run, untilCancelled(console)}));
    if (!options.argumentsFile.empty()) {
        ASSIGN_OR_RETURN(auto file, TextFile::create(options.argumentsFile));
        file.write(launchArguments(placement));
        RETURN_IF_ERROR(file.close());
    }
    return show(console, options.json, placementJson, printPlacement, run, placement);
}

} // namespace

void addPlacementCommand(CLI::App& app, CommandContext& context) {
    const auto [command, options] = addCommand<PlacementOptions>(app, "placement",
        "Which GPUs should serve which stages, with how many layers, given the heat",
        {"layout#placement-for-the-heat"});
    addOption(
        *command, "--out-args", options->argumentsFile, "Write the launch arguments there", "F");
    addJson(*command, options->json);
    runsOnRun(*command, context, options, place);
}

} // namespace trainscope::cli
