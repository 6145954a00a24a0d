#include "app/cli/commands/Command.h"
#include "app/cli/options/AddOption.h"
#include "app/cli/options/Suggestions.h"
#include "app/cli/output/ChromeTrace.h"
#include "app/cli/output/OpenMetrics.h"
#include "app/cli/output/RunExport.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <ostream>

namespace trainscope::cli {

namespace {

struct ExportOptions : OneRunOptions {
    std::vector<std::string> metrics;
    std::string format = "csv";
    std::string out;
    bool force = false;
};

using Files = std::vector<std::filesystem::path>;
using Write = Result<Files> (*)(const store::Store& store, const ExportRequest& request,
    const KeepGoing& keepGoing, const Console& console);

Result<Files> writeCsv(const store::Store& store, const ExportRequest& request,
    const KeepGoing& keepGoing, const Console& /*console*/) {
    return exportRun(store, request, keepGoing);
}

Result<Files> writeChromeTrace(const store::Store& store, const ExportRequest& request,
    const KeepGoing& keepGoing, const Console& console) {
    ASSIGN_OR_RETURN(const auto written, exportChromeTrace(store, request, keepGoing));
    for (const std::string& remark : written.remarks)
        console.warn(remark);
    return Files{request.out};
}

Result<Files> writeOpenMetrics(const store::Store& store, const ExportRequest& request,
    const KeepGoing& keepGoing, const Console& console) {
    ASSIGN_OR_RETURN(const auto samples, exportOpenMetrics(store, request, keepGoing));
    if (samples == 0)
        console.warn("The run '" + request.run.name + "' holds no samples; the file has none.");
    return Files{request.out};
}

struct ExportFormat {
    const char* name;
    Write write;
};
constexpr std::array<ExportFormat, 3> kExportFormats{
    {{"csv", writeCsv}, {"chrome-json", writeChromeTrace}, {"openmetrics", writeOpenMetrics}}};

std::vector<std::string> exportFormatNames() {
    std::vector<std::string> names;
    for (const ExportFormat& format : kExportFormats)
        names.emplace_back(format.name);
    return names;
}

Outcome exportTo(const ExportOptions& options, const Console& console, const store::Store& store,
    const Run& run) {
    ProgressLine line(console);
    const auto keepGoing = [&](std::string_view phase) {
        line.updateCount("Writing " + std::string(phase), 0, 0);
        return !console.isCancelled();
    };
    const auto format = std::find_if(kExportFormats.begin(), kExportFormats.end(),
        [&options](const ExportFormat& one) { return one.name == options.format; });
    ASSIGN_OR_RETURN(const auto files,
        format->write(
            store, {run, options.metrics, options.out, options.force}, keepGoing, console));
    line.clear();
    if (files.empty())
        console.warn("The run '" + run.name + "' holds no data; nothing was written.");
    for (const auto& file : files)
        console.out() << file.string() << '\n';
    return ExitStatus::Done;
}

} // namespace

void addExportCommand(CLI::App& app, CommandContext& context) {
    auto* command = app.add_subcommand(
        "export", "Write a run's samples, kernels and spans as CSV, as a trace or as metrics");
    auto options = std::make_shared<ExportOptions>();
    addOneRun(*command, *options);
    addOption(
        *command, "--metric", options->metrics, "Only this metric; may be given several times", "M")
        ->check(suggesting(metricNames()))
        ->expected(1)
        ->take_all();
    addOption(*command, "--format", options->format,
        "What is written: CSV files in a folder, a trace for Perfetto, or samples for a monitoring "
        "engine",
        "FORMAT")
        ->check(CLI::IsMember(exportFormatNames()));
    addOption(*command, "--out", options->out,
        "The folder, made when it does not exist; of other formats the file, compressed where its "
        "name ends in .gz",
        "PATH")
        ->required();
    command->add_flag(
        "--force", options->force, "Replace files of the same names in a folder that is not empty");
    command->footer(
        R"(As CSV one file per metric with time_ns, unix_s, rank, node, local, device and value (SI units,
empty where missing), metrics.csv with their units, kernels.csv, spans.csv and
iterations.csv where there are such. As chrome-json all ranks on one clock with telemetry as
counter tracks, for ui.perfetto.dev or chrome://tracing; as openmetrics the samples, for
`promtool tsdb create-blocks-from openmetrics`. The files' names are printed.

Examples:
  trainscope-cli export runs.trainscope --run gpt3-175b_3_00000 --out csv/
  trainscope-cli export runs.trainscope --run gpt3-175b_3_00000 --metric gpu_power --out csv/ --force
  trainscope-cli export traces.trainscope --format chrome-json --out run.json.gz
  trainscope-cli export runs.trainscope --run gpt3-175b_3_00000 --format openmetrics --out run.om)");
    runsOnRun(*command, context, options, exportTo);
}

} // namespace trainscope::cli
