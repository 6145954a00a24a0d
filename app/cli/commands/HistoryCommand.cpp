#include "app/cli/commands/Command.h"
#include "core/analysis/machine/GpuHistory.h"

namespace trainscope::cli {

namespace {

using analysis::HistoryValue;
using analysis::PastGpu;

Row historyRow(const std::pair<const PastGpu*, const analysis::PastRun*>& one) {
    const auto& [gpu, run] = one;
    Row row{{"uuid", gpu->gpu.uuid, {"GPU", Left}, analysis::shortUuid(gpu->gpu.uuid)},
        {"run", {"run", Left}, run->run.name}, {"rank", {"rank"}, gpu->gpu.rank},
        {"start_ns", run->run.range.begin, {"began", Left}, text::moment(run->run.range.begin)}};
    std::size_t earlier = 0;
    for (const HistoryValue value : allValues<HistoryValue>()) {
        const std::string key(toString(value));
        row.push_back({key, inUnit(infoOf(value).title, infoOf(value).unit), gpu->values[value]});
        const auto& change = gpu->changes[value];
        if (!change) {
            row.push_back({"", {"change"}, std::optional<double>()});
            continue;
        }
        earlier = std::max(earlier, change->earlier);
        row.push_back({key + "_change", change->change, {"change"},
            (change->change < 0.0 ? "−" : "+") + changeText(value, std::abs(change->change))
                + (change->isBeyond ? " !" : "")});
    }
    row.push_back({"earlier_runs", {"of runs"}, earlier});
    const std::string why = analysis::whyIncomparable(run->run);
    const std::string none = why.empty() ? "fewer than three runs alike before" : why;
    row.push_back({"not_compared", when(earlier == 0, none), {"", Left}, earlier == 0 ? none : ""});
    return row;
}

Outcome showHistory(
    const SomeRunsOptions& options, const Console& console, const store::Store& store) {
    ASSIGN_OR_RETURN(const auto shown, selectRuns(store, options.runs));
    ASSIGN_OR_RETURN(const auto all, store.runs());
    ASSIGN_OR_RETURN(const auto past, analysis::pastRunsOf({store, shownOn(console)}, all));
    if (past.empty())
        console.warn("No run states the UUIDs of its GPUs, by which they are known again.");
    std::vector<std::pair<const PastGpu*, const analysis::PastRun*>> gpus;
    std::vector<std::string> statements;
    for (const analysis::PastRun& run : past) {
        if (std::ranges::find(shown, run.run.id, &Run::id) == shown.end())
            continue;
        for (const PastGpu& gpu : run.gpus)
            gpus.emplace_back(&gpu, &run);
        for (const HistoryValue value : allValues<HistoryValue>()) {
            if (const auto told = statementOf(value, run))
                statements.push_back(run.run.name + ": " + told->text);
        }
    }
    std::ranges::stable_sort(gpus, {}, [](const auto& one) { return one.first->gpu.uuid; });
    return show(
        console, options.json,
        [&] {
            return Json{{"gpus", rowsJson(gpus, historyRow)}, {"statements", statements}};
        },
        [&](std::ostream& out) {
            printTable(out, tableOf(gpus, historyRow), "");
            for (const std::string& told : statements)
                out << told << '\n';
        });
}

} // namespace

void addHistoryCommand(CLI::App& app, CommandContext& context) {
    const auto [command, options] = addCommand<SomeRunsOptions>(app, "history",
        "The same GPUs over the runs: hotter, slower, more power, throttling more?",
        {"findings#history"});
    addRuns(*command, *options, "Only this run; may be given several times");
    addJson(*command, options->json);
    runsOnDatabase(*command, context, options, showHistory);
}

} // namespace trainscope::cli
