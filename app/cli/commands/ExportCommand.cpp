#include "app/cli/commands/Command.h"
#include "app/cli/options/AddOption.h"
#include "app/cli/output/RunExport.h"

#include <CLI/CLI.hpp>

#include <memory>
#include <ostream>

namespace trainscope::cli {

namespace {

struct ExportOptions : OneRunOptions {
    std::vector<std::string> metrics;
    std::string out;
    bool force = false;
};

Outcome exportCsv(const ExportOptions& options, const Console& console, const store::Store& store,
    const Run& run) {
    ProgressLine line(console);
    const auto keepGoing = [&](std::string_view phase) {
        line.update("Writing " + std::string(phase), 0, 0);
        return !console.isCancelled();
    };
    ASSIGN_OR_RETURN(const auto files,
        exportRun(store, {run, options.metrics, options.out, options.force}, keepGoing));
    line.clear();
    if (files.empty())
        console.warn("The run '" + run.name + "' holds no data; nothing was written.");
    for (const auto& file : files)
        console.out() << file.string() << '\n';
    return ExitStatus::Done;
}

} // namespace

void addExportCommand(CLI::App& app, CommandContext& context) {
    auto* command = app.add_subcommand("export", "Write a run's samples, kernels and spans as CSV");
    auto options = std::make_shared<ExportOptions>();
    addOneRun(*command, *options);
    addOption(
        *command, "--metric", options->metrics, "Only this metric; may be given several times", "M")
        ->expected(1)
        ->take_all();
    addOption(*command, "--out", options->out, "The folder; made when it does not exist", "DIR")
        ->required();
    command->add_flag(
        "--force", options->force, "Replace files of the same names in a folder that is not empty");
    command->footer(
        R"(One file per metric with time_ns, unix_s, rank, node, local, device and value (SI units,
empty where missing), metrics.csv with their units, kernels.csv, spans.csv and
iterations.csv where there are such. The files' names are printed.

Examples:
  trainscope-cli export runs.trainscope --run gpt3-175b_3_00000 --out csv/
  trainscope-cli export runs.trainscope --run gpt3-175b_3_00000 --metric gpu_power --out csv/ --force)");
    runsOnRun(*command, context, options, exportCsv);
}

} // namespace trainscope::cli
