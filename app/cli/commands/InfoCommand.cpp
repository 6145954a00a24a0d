#include "app/cli/commands/Command.h"
#include "app/cli/output/InfoJson.h"
#include "app/cli/output/ReportJson.h"
#include "core/model/Try.h"
#include "core/text/Numbers.h"
#include "core/text/Table.h"
#include "core/text/Times.h"

#include <CLI/CLI.hpp>

#include <memory>
#include <ostream>

namespace trainscope::cli {

namespace {

std::string layoutText(const LaunchConfig& launch) {
    std::string text;
    const auto append = [&text](const char* name, const std::optional<int>& degree) {
        if (degree)
            text += (text.empty() ? "" : " ") + std::string(name) + std::to_string(*degree);
    };
    append("TP", launch.tensorParallel);
    append("PP", launch.pipelineParallel);
    append("VPP", launch.virtualPipeline);
    append("CP", launch.contextParallel);
    append("EP", launch.expertParallel);
    append("DP", launch.dataParallel);
    return text.empty() ? text::kMissing : text;
}

std::string kindText(const Run& run) {
    return run.simulated ? "simulated" : std::string(toString(run.kind));
}

void printText(const store::Store& store, const std::vector<Run>& runs,
    const std::vector<store::Source>& sources, std::ostream& out) {
    using enum text::Align;
    text::Table table{
        .columns = {{"run", Left}, {"kind", Left}, {"status", Left}, {"GPUs"}, {"nodes"},
            {"GPU", Left}, {"layout", Left}, {"start", Left}, {"duration"}}};
    for (const Run& run : runs) {
        const bool empty = run.range.isEmpty();
        table.add({run.name, kindText(run), std::string(toString(run.status)), run.gpuCount,
            run.nodeCount, run.gpuModel.empty() ? text::kMissing : run.gpuModel,
            layoutText(run.launch), empty ? text::kMissing : text::moment(run.range.begin),
            empty ? text::kMissing : text::alignedDuration(run.range.length())});
    }
    out << store.path().string() << ": "
        << text::counted(static_cast<std::int64_t>(runs.size()), "run") << '\n';
    if (!table.isEmpty())
        text::print(out, table);
    if (sources.empty())
        return;
    out << "\nSources\n";
    for (const auto& source : sources)
        out << source.path << "\n  " << reportText(source.report) << '\n';
}

void printComparisons(const std::vector<store::SavedComparison>& saved, std::ostream& out) {
    if (saved.empty())
        return;
    out << "\nSaved comparisons\n";
    for (const auto& one : saved)
        out << one.name << "  (changed " << text::moment(one.changedAt) << ")\n";
}

Result<Json> infoJson(const store::Store& store, const std::vector<Run>& runs,
    const std::vector<store::Source>& sources,
    const std::vector<store::SavedComparison>& comparisons) {
    Json json{{"path", store.path().string()}, {"uuid", store.uuid()}};
    json["runs"] = Json::array();
    for (const Run& run : runs) {
        ASSIGN_OR_RETURN(auto info, runInfoJson(store, run));
        json["runs"].push_back(std::move(info));
    }
    json["sources"] = Json::array();
    for (const auto& source : sources)
        json["sources"].push_back(sourceJson(source, runs));
    json["comparisons"] = Json::array();
    for (const auto& one : comparisons)
        json["comparisons"].push_back({{"name", one.name}, {"created_ns", one.createdAt.ns},
            {"changed_ns", one.changedAt.ns}});
    return json;
}

ExitStatus printInfo(
    const DatabaseOptions& options, const Console& console, const store::Store& store) {
    const auto runs = store.runs();
    if (!runs.hasValue())
        return console.fail(runs.error());
    const auto sources = store.sources();
    if (!sources.hasValue())
        return console.fail(sources.error());
    const auto comparisons = store.comparisons();
    if (!comparisons.hasValue())
        return console.fail(comparisons.error());
    if (!options.json) {
        printText(store, runs.value(), sources.value(), console.out());
        printComparisons(comparisons.value(), console.out());
        return ExitStatus::Done;
    }
    const auto json = infoJson(store, runs.value(), sources.value(), comparisons.value());
    if (!json.hasValue())
        return console.fail(json.error());
    printJson(console.out(), json.value());
    return ExitStatus::Done;
}

} // namespace

void addInfoCommand(CLI::App& app, CommandContext& context) {
    auto* command = app.add_subcommand("info", "List the runs, layouts and sources of a database");
    auto options = std::make_shared<DatabaseOptions>();
    addDatabase(*command, *options);
    addJson(*command, options->json);
    command->footer(R"(Examples:
  trainscope-cli info runs.trainscope
  trainscope-cli info runs.trainscope --json)");
    runsOnDatabase(*command, context, options, printInfo);
}

} // namespace trainscope::cli
