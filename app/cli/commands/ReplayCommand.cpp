#include "app/cli/commands/Command.h"
#include "app/cli/options/TraceOptions.h"
#include "core/analysis/replay/Replay.h"
#include "core/analysis/replay/SavedReplay.h"

#include <fmt/ranges.h>

namespace trainscope::cli {

namespace {

using analysis::StepReplay;

constexpr std::size_t kReplayRows = 12; // in a table
constexpr std::size_t kSlackRows = 5;

struct ReplayOptions : OneRunOptions {
    analysis::ReplayRequest request;
    std::string save; // name of the run that the step becomes; empty: none
};

using StepEnergy = std::optional<analysis::EstimatedEnergy>;
std::optional<double> joules(const StepEnergy& energy) {
    return energy ? std::optional(energy->joules) : std::nullopt;
}
std::string energyText(const StepEnergy& energy) {
    return energy ? text::withInterval(energy->joules, energy->low, energy->high, "J") : "";
}

std::string changedText(const StepReplay& replay) {
    if (!replay.changedS)
        return {};
    const std::string length = replay.changedLowS && replay.changedHighS
        ? text::withInterval(*replay.changedS, *replay.changedLowS, *replay.changedHighS, "s")
        : text::quantity(*replay.changedS, "s");
    return fmt::format(
        "{}, {}", length, text::signedPercent(*replay.changedS / replay.replayedS - 1.0));
}

// Lengths and joules of a step.
Row stepRow(const StepReplay& replay) {
    Row row{{"measured_s", inUnit("measured", "s"), replay.measuredS},
        {"replayed_s", replay.replayedS, {"replayed"},
            fmt::format("{}, {}", text::quantity(replay.replayedS, "s"),
                text::signedPercent(replay.replayedS / replay.measuredS - 1.0))},
        {"unprofiled_s", inUnit("without profiler", "s"), replay.unprofiledS},
        {"changed_s", replay.changedS, {"changed"}, changedText(replay)},
        {"changed_low_s", replay.changedLowS}, {"changed_high_s", replay.changedHighS},
        {"energy_j", joules(replay.energy), {"energy"}, energyText(replay.energy)},
        {"changed_energy_j", joules(replay.changedEnergy), {"energy, changed"},
            energyText(replay.changedEnergy)},
        {"ideal_s", inUnit("ideal", "s"), replay.idealS},
        {"slowdown", inUnit("slowdown", "1"), replay.slowdown}};
    std::erase_if(row, [](const Quantity& one) { return !one.member.value; });
    return row;
}

Row replayedIterationRow(const analysis::ReplayedIteration& one) {
    return {{"index", {"iteration"}, one.index},
        {"measured_s", inUnit("measured", "s"), one.measuredS},
        {"replayed_s", inUnit("replayed", "s"), one.replayedS},
        {"", {"error"}, text::signedPercent(one.replayedS / one.measuredS - 1.0)}};
}

Row changeRow(const analysis::AppliedChange& change) {
    return {{"text", {"change", Left}, change.text}, {"gain_s", inUnit("gain", "s"), change.gainS},
        {"assumption", {"rests on", Left}, change.assumption}};
}

Row pathRow(const analysis::PathRow& row) {
    return {{"name", row.name, {row.slackS ? "off the path" : "on the path", Left},
                text::elidedInMiddle(row.name, 60)},
        {"category", {"category", Left}, row.category},
        {"rank", when(row.rank >= 0, row.rank), {"rank"}, when(row.rank >= 0, row.rank)},
        {"seconds", inUnit("in a step", "s"), row.seconds},
        row.slackS ? Quantity{"slack_s", inUnit("slack at least", "s"), row.slackS}
                   : Quantity{"gain_s", inUnit("gain if gone", "s"), row.gainS}};
}

Row waitPartRow(const analysis::WaitPart& part) {
    return {{"cause", part.cause}, {"seconds", part.seconds}};
}

Row waitRow(const analysis::StepWait& wait) {
    return {{"collective", {"the others wait in", Left}, wait.collective},
        {"rank", {"for rank"}, wait.rank},
        {"seconds", inUnit("all together, in a step", "s"), wait.seconds},
        {"cause", wait.cause, {"because of", Left}, analysis::causeText(wait)},
        {"explained", wait.explained},
        {"chain", Json(wait.chain), {"handed on by", Left},
            fmt::format("{}", fmt::join(wait.chain, " → "))},
        {"parts", rowsJson(wait.parts, waitPartRow)}};
}

// Shares of edges.
Row edgeRow(const analysis::EdgeShares& edges) {
    return {{"recorded", inUnit("recorded", "%"), edges.recorded},
        {"inferred", inUnit("inferred", "%"), edges.inferred},
        {"assumed", inUnit("assumed", "%"), edges.assumed}};
}

template <typename Map>
Json mapJson(const Map& map) {
    return objectOf(
        map, [](const auto& one) { return Member(fmt::format("{}", one.first), one.second); });
}

Json pathJson(const analysis::CriticalPath& path) {
    return object({{"seconds", path.seconds},
        {"by",
            object({{"category", mapJson(path.byCategory)}, {"rank", mapJson(path.byRank)},
                {"phase", mapJson(path.byPhase)}, {"operator", mapJson(path.byOperator)},
                {"host", path.hostS}})},
        {"exposed_communication_s", path.exposedOnPathS}, {"top", rowsJson(path.top, pathRow)},
        {"slack", rowsJson(path.off, pathRow)}});
}

Json replayJson(const Run& run, const ReplayOptions& options, const StepReplay& replay) {
    Json json = object({{"run", run.name}, {"capture", given(options.request.capture)},
        {"saved", given(options.save)},
        {"iterations", rowsJson(replay.iterations, replayedIterationRow)}});
    add(json, stepRow(replay));
    const auto& by = replay.slowdownBy;
    add(json,
        {{"changes", rowsJson(replay.changes, changeRow)},
            {"slowdown_by",
                when(replay.slowdown.has_value(),
                    object({{"rank", mapJson(by.rank)}, {"stage", mapJson(by.stage)},
                        {"kind", mapJson(by.kind)}}))},
            {"edges", rowJson(edgeRow(replay.edges))}, {"critical_path", pathJson(replay.path)},
            {"waits", rowsJson(replay.waits, waitRow)}, {"notes", replay.notes}});
    return json;
}

// Values by name, the largest first.
template <typename Map>
void addParts(text::Table& table, const Map& map, std::string_view prefix, double atLeast) {
    std::vector<std::pair<std::string, double>> parts;
    for (const auto& [key, value] : map) {
        if (value >= atLeast)
            parts.emplace_back(fmt::format("{}{}", prefix, key), value);
    }
    std::stable_sort(parts.begin(), parts.end(),
        [](const auto& a, const auto& b) { return a.second > b.second; });
    for (const auto& [name, value] : parts)
        table.add({name, value});
}

text::Table pathParts(const analysis::CriticalPath& path) {
    text::Table table{.columns = {{"part of the path", Left}, inUnit("in a step", "s")}};
    const double least = 0.001 * path.seconds;
    addParts(table, path.byCategory, "", least);
    if (path.byRank.size() > 1)
        addParts(table, path.byRank, "rank ", least);
    return table;
}

text::Table slowdownParts(const analysis::SlowdownBy& by) {
    text::Table table{.columns = {{"only this as measured", Left}, inUnit("slowdown", "1")}};
    addParts(table, by.kind, "", 0.0);
    addParts(table, by.stage, "stage ", 0.0);
    addParts(table, by.rank, "rank ", 0.0);
    return table;
}

void printReplay(
    std::ostream& out, const Run& run, const ReplayOptions& options, const StepReplay& replay) {
    const analysis::ReplayRequest& request = options.request;
    out << run.name << (request.capture.empty() ? "" : " · " + request.capture)
        << ": a step, the mean of " << text::counted(std::ssize(replay.iterations), "iteration")
        << '\n';
    printLines(out, stepRow(replay));
    printBelow(out, tableOf(replay.changes, changeRow));
    if (replay.iterations.size() > 1)
        printBelow(
            out, tableOf(replay.iterations, replayedIterationRow, kReplayRows, "more iteration"));
    out << fmt::format("\nThe critical path of {} has {}.\n",
        text::quantity(replay.path.seconds, "s"), analysis::pathPartsText(replay));
    printTable(out, pathParts(replay.path));
    printBelow(out, tableOf(replay.path.top, pathRow, kReplayRows));
    printBelow(out, tableOf(replay.path.off, pathRow, kSlackRows));
    printBelow(out, firstOf(slowdownParts(replay.slowdownBy), 2 * kReplayRows, "more row"));
    printBelow(out, tableOf(replay.waits, waitRow, kReplayRows, "more wait"));
    const auto& edges = replay.edges;
    out << fmt::format("\nEdges: {} recorded, {} inferred, {} assumed.\n",
        text::percent(edges.recorded), text::percent(edges.inferred), text::percent(edges.assumed));
    for (const std::string& note : replay.notes)
        out << note << '\n';
    if (!options.save.empty())
        out << "Saved as the run " << options.save << ".\n";
}

// `writing`: the step is saved there; nullptr: it is not.
Outcome printReplayed(const ReplayOptions& options, const Console& console,
    const analysis::RunStudy& study, store::Store* writing) {
    ASSIGN_OR_RETURN(const auto replay, analysis::replayOf(study, options.request));
    if (writing != nullptr)
        RETURN_IF_ERROR(
            analysis::saveReplay(*writing, study, options.request, replay, options.save));
    return show(console, options.json, replayJson, printReplay, study.run, options, replay);
}

// A graph that took long to read is kept for the next time, once nobody reads; if the database
// cannot be written, it is read again.
Outcome replay(const ReplayOptions& options, const Console& console) {
    RunId run;
    std::optional<store::SumSequence> made;
    std::optional<store::Store> writing; // before the traces are read, which may take long
    if (!options.save.empty()) {
        ASSIGN_OR_RETURN(writing, openDatabase(options.database, store::OpenMode::ReadWrite));
    }
    {
        ASSIGN_OR_RETURN(
            const auto store, writing ? writing->another() : openDatabase(options.database));
        ASSIGN_OR_RETURN(const auto chosen, selectRunOrOnly(store, options.run));
        run = chosen.id;
        const analysis::RunStudy study(store, chosen, shownOn(console));
        RETURN_IF_ERROR(printReplayed(options, console, study, writing ? &*writing : nullptr));
        ASSIGN_OR_RETURN(made, analysis::replayToKeep({store, chosen}, options.request));
    }
    if (!made)
        return ExitStatus::Done;
    auto writable = store::Store::open(options.database, store::OpenMode::ReadWrite);
    if (writable.hasValue())
        (void)store::keepSum(writable.value(), run, *made);
    return ExitStatus::Done;
}

} // namespace

void addReplayCommand(CLI::App& app, CommandContext& context) {
    const auto [command, options] = addCommand<ReplayOptions>(app, "replay",
        "Why a step takes what it takes, and what it would take if: critical path and slack beside "
        "it, replayed, ideal and changed step, causes of waiting",
        {"replay#critical-path", "replay#what-if"});
    auto& request = options->request;
    addCapture(*command, request.capture);
    addOption(*command, "--iteration", request.iteration,
        "Only this iteration; without, all that count", "K");
    command->add_flag("--ideal", request.ideal,
        "The ideal step too, and the slowdown of each rank, stage and kind");
    addOption(*command, "--if", request.changes,
        "Change the step: kernel:TEXT=0.5x, category:NAME=0.5x, operator:NAME=0x, host=0x, "
        "rank:R=median, link=2x, power-limit=W, clock=MHZ; several, one on top of the other",
        "CHANGE")
        ->check(
            suggesting("kernel: category: operator: host=0x rank: link=2x power-limit= clock="));
    addOption(*command, "--save", options->save,
        "Keep the step, changed or replayed, as a run of the database that opens like any other; "
        "one that was kept by that name is replaced",
        "NAME");
    addJson(*command, options->json);
    runs(*command, context, options, replay);
}

} // namespace trainscope::cli
