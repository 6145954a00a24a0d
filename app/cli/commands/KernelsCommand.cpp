#include "app/cli/commands/Command.h"
#include "app/cli/options/AddOption.h"
#include "app/cli/options/CategoryOption.h"
#include "app/cli/output/KernelsOutput.h"
#include "core/analysis/iterations/Iterations.h"
#include "core/analysis/iterations/SteadyState.h"
#include "core/analysis/traces/Pipeline.h"
#include "core/analysis/traces/TraceBreakdown.h"
#include "core/model/Try.h"
#include "core/text/Times.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

namespace trainscope::cli {

namespace {

using analysis::KernelCategories;

struct KernelsOptions : OneRunOptions {
    std::string categories;
    std::optional<std::int64_t> iteration;
    bool steady = false;
    std::optional<double> fromS; // since the run's start
    std::optional<double> toS;
};

// The steady part of the run, and what to say of it; all of the trace where that has none of it.
Result<std::pair<TimeRange, std::string>> steadyWindow(const store::Store& store, const Run& run,
    const analysis::RunIterations& iterations, const Progress& progress) {
    ASSIGN_OR_RETURN(const auto steady, analysis::steadyStateOf(store, run, iterations, progress));
    ASSIGN_OR_RETURN(const auto devices, analysis::tracedDevices(store, run));
    const bool isTraced = std::any_of(devices.begin(), devices.end(),
        [&](const auto& device) { return device.extent.overlaps(steady.window); });
    if (!isTraced)
        return std::pair{kAllTime,
            std::string("all of the trace: it has nothing of the steady part of the run")};
    return std::pair{steady.isWholeRun ? kAllTime : steady.window, steady.wording};
}

DurationNs sinceStart(double seconds) {
    return {static_cast<std::int64_t>(std::llround(seconds * 1e9))};
}

// A part of the run; open at a side that is not given.
Result<TimeRange> givenWindow(const KernelsOptions& options, const Run& run) {
    TimeRange window = run.range;
    if (options.fromS)
        window.begin = run.range.begin + sinceStart(*options.fromS);
    if (options.toS)
        window.end = run.range.begin + sinceStart(*options.toS);
    if (window.begin >= window.end || !window.overlaps(run.range))
        return Error{ErrorCode::Usage,
            "The window is empty: --from must lie before --to and before the run's end.", run.name};
    return window;
}

Status compute(const store::Store& store, const analysis::IterationChoice& choice, TimeRange window,
    const KernelCategories& categories, const Progress& progress, KernelsReport& report) {
    ASSIGN_OR_RETURN(auto traces,
        analysis::deviceTraces(store, report.run, categories, window, choice, progress));
    for (analysis::DeviceTrace& device : traces) {
        report.devices.push_back(std::move(device.breakdown));
        report.activities.push_back(std::move(device.activity));
    }
    ASSIGN_OR_RETURN(const auto stages, analysis::stagesOf(store, report.run, progress));
    if (stages)
        report.pipeline = analysis::pipelineOf(*stages, report.activities);
    return {};
}

Result<KernelsReport> computeReport(const store::Store& store, const Run& run,
    const KernelsOptions& options, const Progress& progress) {
    ASSIGN_OR_RETURN(const auto categories, chosenCategories(options.categories));
    ASSIGN_OR_RETURN(const auto iterations, analysis::iterationsOf(store, run, progress));
    KernelsReport report{run, {}, {}, {}, {}};
    TimeRange window = kAllTime;
    if (options.steady) {
        ASSIGN_OR_RETURN(const auto steady, steadyWindow(store, run, iterations, progress));
        std::tie(window, report.windowText) = steady;
    }
    if (options.fromS || options.toS) {
        ASSIGN_OR_RETURN(window, givenWindow(options, run));
        report.windowText = fmt::format("{} to {} of the run, as far as it was traced",
            text::duration(window.begin - run.range.begin),
            text::duration(window.end - run.range.begin));
    }
    RETURN_IF_ERROR(compute(
        store, {iterations.everyOne(), options.iteration}, window, categories, progress, report));
    if (!options.iteration)
        return report;
    report.windowText = fmt::format("iteration {}", *options.iteration);
    if (report.devices.empty())
        return Error{ErrorCode::NotFound,
            fmt::format("There is no traced iteration {}; kernels without --iteration lists those "
                        "there are.",
                *options.iteration),
            run.name};
    return report;
}

Outcome printBreakdown(const KernelsOptions& options, const Console& console,
    const store::Store& store, const Run& run) {
    ProgressLine line(console);
    ASSIGN_OR_RETURN(const auto report, computeReport(store, run, options, shownOn(line, console)));
    line.clear();
    if (report.devices.empty())
        console.warn(
            "The run '" + run.name + "' has no kernels; import its Kineto traces to see some.");
    return show(
        console, options.json, [&] { return kernelsJson(report); },
        [&](std::ostream& out) { printKernels(report, out); });
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
    for (const auto& [name, value, help] :
        {std::tuple(
             "--from", &options->fromS, "Begin of the part looked at, since the run's start"),
            std::tuple("--to", &options->toS, "Its end, since the run's start")})
        addOption(*command, name, *value, help, "S")->excludes("--iteration")->excludes("--steady");
    addJson(*command, options->json, "Print one JSON object with all kernels");
    command->footer(
        R"(Times are unions over all streams of a device, exact to the nanosecond; kernel time is
the sum. Communication are the kernels of NCCL, RCCL and MSCCL. Without --categories the table
kernel_categories.json in the configuration folder is used, where there is one.

Examples:
  trainscope-cli kernels traces.trainscope
  trainscope-cli kernels runs.trainscope --run gpt3-175b_3_00000 --steady --json
  trainscope-cli kernels runs.trainscope --run gpt3-175b_3_00000 --from 1.5 --to 2
  trainscope-cli kernels runs.trainscope --run gpt3-175b_3_00000 --categories charllm)");
    runsOnRun(*command, context, options, printBreakdown);
}

} // namespace trainscope::cli
