#include "app/cli/Command.h"
#include "app/cli/KernelsJson.h"
#include "app/cli/ProgressLine.h"
#include "app/cli/RunSelection.h"
#include "core/analysis/TraceBreakdown.h"
#include "core/catalogue/ConfigFolder.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>
#include <optional>

namespace trainscope::cli {

namespace {

using analysis::KernelCategories;

struct Options {
    std::string database;
    std::string run;
    std::string categories;
    std::optional<std::int64_t> iteration;
    bool json = false;
};

Result<KernelCategories> chosenCategories(const Options& options) {
    return options.categories.empty() ? KernelCategories::fromFolder(catalogue::configFolder())
                                      : KernelCategories::fromChoice(options.categories);
}

Result<KernelsReport> computeReport(
    const store::Store& store, const Options& options, const Progress& progress) {
    const auto run = selectRunOrOnly(store, options.run);
    if (!run.hasValue())
        return run.error();
    const auto categories = chosenCategories(options);
    if (!categories.hasValue())
        return categories.error();
    auto iterations = store.iterations(run.value().id);
    if (!iterations.hasValue())
        return iterations.error();
    const analysis::IterationChoice choice{std::move(iterations).value(), options.iteration};
    KernelsReport report{run.value(), {}, {}, {}, {}};
    auto devices = analysis::traceBreakdown(
        store, run.value(), categories.value(), kAllTime, choice, progress);
    if (!devices.hasValue())
        return devices.error();
    auto activities = analysis::deviceActivity(store, run.value(), kAllTime, choice, progress);
    if (!activities.hasValue())
        return activities.error();
    report.devices = std::move(devices).value();
    report.activities = std::move(activities).value();
    report.pipeline = analysis::pipelineOf(run.value(), report.activities);
    if (!options.iteration)
        return report;
    report.windowText = fmt::format("iteration {}", *options.iteration);
    if (report.devices.empty())
        return Error{ErrorCode::NotFound,
            fmt::format("There is no traced iteration {}; kernels without --iteration lists those "
                        "there are.",
                *options.iteration),
            run.value().name};
    return report;
}

ExitStatus printBreakdown(const Options& options, const Console& console) {
    const auto store = openDatabase(options.database);
    if (!store.hasValue())
        return console.fail(store.error());
    ProgressLine line(console);
    const auto report = computeReport(store.value(), options, [&](const ProgressState& state) {
        line.update(state.phase, state.bytesDone, state.bytesTotal);
        return !console.isCancelled();
    });
    line.clear();
    if (!report.hasValue())
        return console.fail(report.error());
    if (report.value().devices.empty())
        console.warn("The run '" + report.value().run.name
            + "' has no kernels; import its Kineto traces to see some.");
    if (options.json)
        printJson(console.out(), kernelsJson(report.value()));
    else
        printKernels(report.value(), console.out());
    return ExitStatus::Done;
}

} // namespace

void addKernelsCommand(CLI::App& app, CommandContext& context) {
    auto* command = app.add_subcommand(
        "kernels", "Kernels, categories, and busy, overlapped and idle time per rank");
    auto options = std::make_shared<Options>();
    command->add_option("DB", options->database, "The run database")->required();
    command->add_option("--run", options->run, "The run; may be left out where there is only one")
        ->type_name("N");
    command
        ->add_option("--categories", options->categories,
            "Sort kernels by this table: default, charllm (CharLLM-PPT's classes) or a JSON file")
        ->type_name("T");
    command->add_option("--iteration", options->iteration, "Only this iteration of each rank")
        ->type_name("K");
    command->add_flag("--json", options->json, "Print one JSON object with all kernels");
    command->footer(
        R"(Times are unions over all streams of a device, exact to the nanosecond; kernel time is
the sum. Communication are the kernels of NCCL, RCCL and MSCCL. Without --categories the table
kernel_categories.json in the configuration folder is used, where there is one.

Examples:
  trainscope-cli kernels traces.trainscope
  trainscope-cli kernels runs.trainscope --run gpt3-175b_3_00000 --json
  trainscope-cli kernels runs.trainscope --run gpt3-175b_3_00000 --categories charllm)");
    command->callback([options, &context] {
        context.action = [options, &context] { return printBreakdown(*options, context.console); };
    });
}

} // namespace trainscope::cli
