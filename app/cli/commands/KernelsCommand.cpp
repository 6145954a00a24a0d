#include "app/cli/commands/Command.h"
#include "app/cli/options/AddOption.h"
#include "app/cli/options/CategoryOption.h"
#include "app/cli/options/CommandText.h"
#include "app/cli/options/TraceSumsInput.h"
#include "app/cli/options/WindowOptions.h"
#include "app/cli/output/AboveLimitOutput.h"
#include "app/cli/output/KernelsOutput.h"
#include "app/cli/text/Rows.h"
#include "core/analysis/RunStudy.h"
#include "core/analysis/energy/EnergyByPhase.h"
#include "core/analysis/iterations/Iterations.h"
#include "core/analysis/operators/HostSelfTime.h"
#include "core/analysis/traces/DeviceWalk.h"
#include "core/analysis/traces/Pipeline.h"
#include "core/analysis/traces/SteadyWindows.h"
#include "core/analysis/traces/TraceBreakdown.h"
#include "core/analysis/traces/TraceSelection.h"
#include "core/model/Try.h"
#include "core/report/SelectionTables.h"
#include "core/text/Times.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace trainscope::cli {

namespace {

using analysis::KernelCategories;

struct KernelsOptions : OneRunOptions {
    std::string categories;
    std::optional<std::int64_t> iteration;
    bool steady = false;
    WindowOptions window;
    bool selection = false;
    bool csv = false;
    bool aboveLimit = false;
    std::string by = "energy";
};

Status compute(const analysis::RunStudy& study, const analysis::IterationChoice& choice,
    const analysis::RankWindow& windowOf, const KernelCategories& categories,
    KernelsReport& report) {
    analysis::EnergyOptions options;
    options.windowOf = windowOf;
    options.iterations = choice;
    options.byKernel = true;
    ASSIGN_OR_RETURN(auto read, analysis::tracesWithEnergy(study, categories, options));
    for (analysis::DeviceTrace& device : read.devices) {
        report.devices.push_back(std::move(device.breakdown));
        report.activities.push_back(std::move(device.activity));
    }
    report.energy = std::move(read.energy);
    ASSIGN_OR_RETURN(const auto stages, analysis::stagesOf(study));
    if (stages)
        report.pipeline = analysis::pipelineOf(*stages, report.activities);
    return {};
}

Result<KernelsReport> computeReport(
    const analysis::RunStudy& study, const KernelsOptions& options) {
    ASSIGN_OR_RETURN(const auto categories, chosenCategories(options.categories));
    ASSIGN_OR_RETURN(const auto iterations, analysis::iterationsOf(study));
    KernelsReport report{study.run, {}, {}, {}, {}, {}, {}};
    analysis::SteadyTraces shown; // all of them
    if (options.steady) {
        ASSIGN_OR_RETURN(shown, analysis::steadyTraces(study));
        report.windowText = shown.wording;
    }
    if (options.window.isGiven()) {
        ASSIGN_OR_RETURN(const auto windows,
            givenWindows(options.window, study.store, study.run, study.progress));
        shown.windowOf = [windows](int rank) { return windows.of(rank); };
        report.windowText = windows.wording(study.run);
    }
    const bool isWhole = !options.steady && !options.window.isGiven() && !options.iteration;
    if (isWhole) {
        ASSIGN_OR_RETURN(report.early, analysis::earlyWork(study));
    }
    if (report.early)
        report.windowText = analysis::earlyWorkText(*report.early);
    RETURN_IF_ERROR(compute(
        study, {iterations.everyOne(), options.iteration}, shown.windowOf, categories, report));
    if (!options.iteration)
        return report;
    report.windowText = fmt::format("iteration {}", *options.iteration);
    if (report.devices.empty())
        return Error{ErrorCode::NotFound,
            fmt::format("There is no traced iteration {}; kernels without --iteration lists those "
                        "there are.",
                *options.iteration),
            study.run.name};
    return report;
}

Outcome printBreakdown(const KernelsOptions& options, const Console& console,
    const store::Store& store, const Run& run) {
    ProgressLine line(console);
    ASSIGN_OR_RETURN(
        const auto report, computeReport({store, run, shownOn(line, console)}, options));
    line.clear();
    if (report.devices.empty()) {
        ASSIGN_OR_RETURN(const auto host, analysis::hostSelfTime({store, run}));
        console.warn(host ? "The run '" + run.name
                    + "' has no kernels: only its host was traced. operators tells the self time "
                      "of its calls."
                          : "The run '" + run.name
                    + "' has no kernels; import its Kineto traces to see some.");
    }
    return show(
        console, options.json, [&] { return kernelsJson(report); },
        [&](std::ostream& out) { printKernels(report, out); });
}

// Prints the sums that the window shows of a selection.
Outcome printSelection(const KernelsOptions& options, const Console& console) {
    ProgressLine line(console);
    const Progress progress = shownOn(line, console);
    ASSIGN_OR_RETURN(const auto categories, chosenCategories(options.categories));
    RETURN_IF_ERROR(keepMissingSums(options, NeededSums::All, console, progress));
    ASSIGN_OR_RETURN(const auto store, openDatabase(options.database));
    ASSIGN_OR_RETURN(const auto run, selectRunOrOnly(store, options.run));
    ASSIGN_OR_RETURN(const auto windows, givenWindows(options.window, store, run, progress));
    ASSIGN_OR_RETURN(const auto selection,
        analysis::selectionOf(
            {store, run, progress}, [&windows](int rank) { return windows.of(rank); }, categories));
    line.clear();
    if (const std::string note = windows.note(); !note.empty())
        console.err() << note << '\n';
    bool isFirst = true;
    for (const text::Table& table : report::selectionTables({&selection, 1})) {
        if (!std::exchange(isFirst, false))
            console.out() << '\n';
        if (options.csv)
            console.out() << text::csv(table);
        else
            printTable(console.out(), table);
    }
    return ExitStatus::Done;
}

// The kernels that ran while power was above its limit.
Outcome printAbove(const KernelsOptions& options, const Console& console, const store::Store& store,
    const Run& run) {
    ProgressLine line(console);
    const Progress progress = shownOn(line, console);
    ASSIGN_OR_RETURN(const auto categories, chosenCategories(options.categories));
    TimeRange window = kAllTime;
    if (options.window.isGiven()) {
        ASSIGN_OR_RETURN(const auto windows, givenWindows(options.window, store, run, progress));
        window = windows.window;
    }
    ASSIGN_OR_RETURN(const auto devices,
        analysis::kernelsAboveLimit({store, run, progress}, categories, window));
    line.clear();
    if (devices.empty())
        console.warn("The run '" + run.name
            + "' has no GPU of which power, its limit and kernels are known.");
    const auto by = options.by == "time" ? report::RankedBy::Time : report::RankedBy::Energy;
    return show(
        console, options.json, [&] { return aboveLimitJson(run, devices, by); },
        [&](std::ostream& out) { printAboveLimit(run, devices, by, out); });
}

Outcome printFigures(const KernelsOptions& options, const Console& console) {
    if (options.selection)
        return printSelection(options, console);
    ASSIGN_OR_RETURN(const auto store, openDatabase(options.database));
    ASSIGN_OR_RETURN(const auto run, selectRunOrOnly(store, options.run));
    return options.aboveLimit ? printAbove(options, console, store, run)
                              : printBreakdown(options, console, store, run);
}

} // namespace

void addKernelsCommand(CLI::App& app, CommandContext& context) {
    auto* command = app.add_subcommand(
        "kernels", "Kernels, categories, and busy, overlapped and idle time per rank");
    auto options = std::make_shared<KernelsOptions>();
    addOneRun(*command, *options);
    addCategories(*command, options->categories);
    addOption(*command, "--iteration", options->iteration, "Only this iteration of each rank", "K");
    command
        ->add_flag("--steady", options->steady,
            "Leave out warm-up iterations and those before the temperatures settled")
        ->excludes("--iteration");
    addWindow(*command, options->window);
    for (const char* name : {"--from", "--to", "--capture"})
        command->get_option(name)->excludes("--iteration")->excludes("--steady");
    auto* selection = command->add_flag("--selection", options->selection,
        "The tables that the window shows of a selection: kernels, collectives with their waits, "
        "launches and host operators; at once for traces of any length");
    selection->excludes("--iteration")->excludes("--steady");
    command->add_flag("--csv", options->csv, "Print these tables as CSV")->needs(selection);
    auto* above = command->add_flag("--above-limit", options->aboveLimit,
        "Kernels that ran while the power of the GPUs was above its limit, with the joules drawn "
        "then");
    above->excludes("--iteration")->excludes("--steady")->excludes(selection);
    addOption(*command, "--by", options->by, "With --above-limit: rank by energy or time", "ORDER")
        ->check(CLI::IsMember({"energy", "time"}))
        ->needs(above);
    addJson(*command, options->json, "Print one JSON object with all kernels");
    selection->excludes("--json");
    setFooter(*command,
        {"numbers#traces", "numbers#kernel-time", "numbers#compute-and-communication"},
        R"(Without --categories the table kernel_categories.json in the configuration folder is used, where
there is one.

Examples:
  trainscope-cli kernels traces.trainscope
  trainscope-cli kernels runs.trainscope --run gpt3-175b_3_00000 --steady --json
  trainscope-cli kernels runs.trainscope --run gpt3-175b_3_00000 --from 1.5 --to 2
  trainscope-cli kernels runs.trainscope --run gpt3-175b_3_00000 --from 1.5 --to 2 --selection
  trainscope-cli kernels runs.trainscope --run gpt3-175b_3_00000 --above-limit --by time
  trainscope-cli kernels runs.trainscope --run gpt3-175b_3_00000 --categories charllm
  trainscope-cli kernels runs.trainscope --run train --capture eager-16)");
    runs(*command, context, options, printFigures);
}

} // namespace trainscope::cli
