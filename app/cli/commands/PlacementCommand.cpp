#include "app/cli/commands/Command.h"
#include "app/cli/text/TextFile.h"
#include "core/analysis/cluster/Placement.h"
#include "core/text/Table.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>
#include <ostream>

namespace trainscope::cli {

namespace {

struct PlacementOptions : OneRunOptions {
    std::string argumentsFile;
};

Json estimateJson(const analysis::Estimate& estimate) {
    return {{"value", estimate.value}, {"low", estimate.low}, {"high", estimate.high}};
}

Json placementJson(const Run& run, const analysis::Placement& placement) {
    Json json{{"run", run.name}, {"estimate", true}, {"helps", placement.helps},
        {"headline", placement.headline}, {"reason", placement.reason}};
    setIfPresent(json, "front_rear_gradient_c", placement.gradientC);
    json["gradient_noise_c"] = placement.gradientNoiseC;
    json["lost_fraction"] = placement.lostShare;
    Json stages = Json::array();
    for (std::size_t stage = 0; stage < placement.stages.size(); ++stage) {
        const auto& one = placement.stages[stage];
        stages.push_back({{"stage", stage}, {"layers_before", one.layersBefore},
            {"layers_after", one.layersAfter}, {"most_layers", one.mostLayers},
            {"speed_before", one.speedBefore}, {"speed_after", one.speedAfter},
            {"temperature_c", one.temperatureBefore}});
    }
    json["stages"] = std::move(stages);
    json["moves_ranks"] = placement.movesRanks;
    Json gpus = Json::array();
    for (const analysis::GpuPlace& gpu : placement.gpus)
        gpus.push_back({{"node", gpu.node}, {"local", gpu.local}, {"slot", gpu.slot},
            {"rear", gpu.isRear}, {"rank_before", gpu.rankBefore}, {"rank_after", gpu.rankAfter},
            {"stage_before", gpu.stageBefore}, {"stage_after", gpu.stageAfter},
            {"temperature_c", gpu.temperatureC}, {"power_w", gpu.watts},
            {"lost_fraction", gpu.lost}});
    json["gpus"] = std::move(gpus);
    Json expected = Json::object();
    if (placement.stepTime)
        expected["step_time_change"] = estimateJson(*placement.stepTime);
    if (placement.gradientChangeC)
        expected["gradient_change_c"] = estimateJson(*placement.gradientChangeC);
    if (placement.lostChange)
        expected["lost_fraction_change"] = estimateJson(*placement.lostChange);
    json["expected"] = std::move(expected);
    json["assumptions"] = placement.assumptions;
    json["notes"] = placement.notes;
    json["launch_arguments"] = launchArguments(placement);
    return json;
}

void printChange(std::ostream& out, const char* what,
    const std::optional<analysis::Estimate>& estimate, double scale, const char* unit) {
    if (estimate)
        out << fmt::format("  {}: {:+.1f} {} ({:+.1f} to {:+.1f})\n", what, estimate->value * scale,
            unit, estimate->low * scale, estimate->high * scale);
}

void printPlacement(std::ostream& out, const Run& run, const analysis::Placement& placement) {
    out << run.name << ": " << placement.headline << '\n' << placement.reason << "\n\n";
    text::Table table{
        .columns = {{"stage"}, {"°C"}, {"speed"}, {"layers"}, {"proposed"}, {"speed then"}}};
    for (std::size_t stage = 0; stage < placement.stages.size(); ++stage) {
        const auto& one = placement.stages[stage];
        table.add({stage, fmt::format("{:.1f}", one.temperatureBefore),
            fmt::format("{:.3f}", one.speedBefore), one.layersBefore, one.layersAfter,
            fmt::format("{:.3f}", one.speedAfter)});
    }
    text::print(out, table, "  ");
    if (placement.helps) {
        constexpr double kPercent = 100.0;
        out << "\nExpected, an estimate (range):\n";
        printChange(out, "step time", placement.stepTime, kPercent, "%");
        printChange(out, "rear − front", placement.gradientChangeC, 1.0, "°C");
        printChange(
            out, "time lost to throttling", placement.lostChange, kPercent, "percentage points");
        out << '\n' << launchArguments(placement);
    }
    out << "\nAssumptions:\n";
    for (const std::string& one : placement.assumptions)
        out << "  " << one << '\n';
    for (const std::string& note : placement.notes)
        out << "note: " << note << '\n';
}

ExitStatus place(const PlacementOptions& options, const Console& console, const store::Store& store,
    const Run& run) {
    const auto placement = analysis::proposePlacement(store, run, untilCancelled(console));
    if (!placement.hasValue())
        return console.fail(placement.error());
    if (!options.argumentsFile.empty()) {
        auto file = TextFile::create(options.argumentsFile);
        if (!file.hasValue())
            return console.fail(file.error());
        file.value().write(launchArguments(placement.value()));
        if (const Status written = file.value().close(); !written.hasValue())
            return console.fail(written.error());
    }
    if (options.json)
        printJson(console.out(), placementJson(run, placement.value()));
    else
        printPlacement(console.out(), run, placement.value());
    return ExitStatus::Done;
}

} // namespace

void addPlacementCommand(CLI::App& app, CommandContext& context) {
    auto* command = app.add_subcommand(
        "placement", "Which GPUs should serve which stages, with how many layers, given the heat");
    auto options = std::make_shared<PlacementOptions>();
    addOneRun(*command, *options);
    command->add_option("--out-args", options->argumentsFile, "Write the launch arguments there")
        ->type_name("F");
    addJson(*command, options->json);
    command->footer(
        R"(From the settled part of a run: throttling of each GPU, front and rear temperatures, power.
Stages on GPUs that throttle get fewer layers, cool GPUs the stages with more to do, as far as
memory allows. Everything expected of it is an estimate with a range and its assumptions; it says
when no placement would help.

Examples:
  trainscope-cli placement runs.trainscope --run gpt3-175b_3_00000
  trainscope-cli placement runs.trainscope --run gpt3-175b_3_00000 --out-args placement.txt --json)");
    runsOnRun(*command, context, options, place);
}

} // namespace trainscope::cli
