#include "app/cli/commands/Command.h"
#include "app/cli/output/InfoJson.h"
#include "app/cli/text/Rows.h"
#include "core/report/RunTables.h"
#include "core/text/Times.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace trainscope::cli {

namespace {

void printText(const store::Store& store, const std::vector<Run>& runs,
    const std::vector<store::Source>& sources, std::ostream& out) {
    out << store.path().string() << ": "
        << text::counted(static_cast<std::int64_t>(runs.size()), "run") << '\n';
    if (!runs.empty())
        text::print(out, report::runTable(runs));
    if (sources.empty())
        return;
    out << "\nSources\n";
    for (const auto& source : sources) {
        out << source.path << "\n  " << report::readText(source.report) << '\n';
        // Facts of NCCL logs are of the machine; other sources state facts of their files.
        if (!source.report.importer.starts_with("nccl"))
            continue;
        for (const auto& [fact, text] : source.report.facts)
            out << "  " << fact << ": " << text << '\n';
    }
}

// Prints captures of runs in which a rank has several; one that is all of its rank's trace needs no
// name.
void printCaptures(const Run& run, const std::vector<Capture>& captures, std::ostream& out) {
    const bool hasSeveral = std::adjacent_find(captures.begin(), captures.end(),
                                [](const Capture& a, const Capture& b) { return a.rank == b.rank; })
        != captures.end();
    if (!hasSeveral)
        return;
    text::Table table = tableOf(captures, [&run](const Capture& one) -> Row {
        return {{"", {"capture", Left}, one.name}, {"", {"rank"}, one.rank},
            {"", {"since the start"}, one.range.begin - run.range.begin},
            {"", {"duration"}, one.range.length()}};
    });
    table.title = "Captures of " + run.name;
    printBelow(out, table, "");
}

// Runs whose traces have no device: "only the host was traced: 3 threads of rank 34, 16 spans".
void printHostTraces(const Run& run, const std::vector<Track>& tracks, std::ostream& out) {
    std::set<int> ranks;
    std::int64_t threads = 0;
    std::int64_t spans = 0;
    for (const Track& track : tracks) {
        if (track.count > 0 && track.description.kind == TrackKind::Stream)
            return;
        if (track.count == 0 || track.description.kind != TrackKind::Thread)
            continue;
        ranks.insert(track.description.rank);
        ++threads;
        spans += track.count;
    }
    if (threads == 0)
        return;
    out << '\n'
        << run.name << ": only the host was traced, " << text::counted(threads, "thread") << " of "
        << (ranks.size() == 1 ? "rank " + std::to_string(*ranks.begin())
                              : text::counted(std::ssize(ranks), "rank"))
        << ", " << text::counted(spans, "span") << "; operators tells their self time\n";
}

void printComparisons(const std::vector<store::SavedComparison>& saved, std::ostream& out) {
    if (saved.empty())
        return;
    out << "\nSaved comparisons\n";
    for (const auto& one : saved)
        out << one.name << "  (changed " << text::moment(one.changedAt) << ")\n";
}

Outcome printInfo(
    const DatabaseOptions& options, const Console& console, const store::Store& store) {
    ASSIGN_OR_RETURN(const auto runs, store.runs());
    ASSIGN_OR_RETURN(const auto sources, store.sources());
    ASSIGN_OR_RETURN(const auto comparisons, store.comparisons());
    std::vector<std::vector<Capture>> captures; // by run
    std::vector<std::vector<Track>> tracks; // the same
    for (const Run& run : runs) {
        ASSIGN_OR_RETURN(auto own, store.captures(run.id));
        captures.push_back(std::move(own));
        ASSIGN_OR_RETURN(tracks.emplace_back(), store.tracks(run.id));
    }
    std::vector<Json> infos;
    for (std::size_t i = 0; options.json && i < runs.size(); ++i) {
        ASSIGN_OR_RETURN(auto info, runInfoJson(store, runs[i]));
        infos.push_back(std::move(info));
    }
    const auto comparisonJson = [](const store::SavedComparison& one) {
        return Json{
            {"name", one.name}, {"created_ns", one.createdAt.ns}, {"changed_ns", one.changedAt.ns}};
    };
    return show(
        console, options.json,
        [&] {
            return Json{{"path", store.path().string()}, {"uuid", store.uuid()}, {"runs", infos},
                {"sources",
                    listOf(sources, [&](const auto& one) { return sourceJson(one, runs); })},
                {"comparisons", listOf(comparisons, comparisonJson)}};
        },
        [&](std::ostream& out) {
            printText(store, runs, sources, out);
            for (std::size_t i = 0; i < runs.size(); ++i) {
                printHostTraces(runs[i], tracks[i], out);
                printCaptures(runs[i], captures[i], out);
            }
            printComparisons(comparisons, out);
        });
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
