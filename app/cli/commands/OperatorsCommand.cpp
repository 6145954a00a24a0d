#include "app/cli/commands/Command.h"
#include "app/cli/options/AddOption.h"
#include "app/cli/options/CommandText.h"
#include "app/cli/options/Suggestions.h"
#include "app/cli/options/TraceSumsInput.h"
#include "app/cli/options/WindowOptions.h"
#include "app/cli/output/OperatorsOutput.h"
#include "core/analysis/RunStudy.h"
#include "core/analysis/energy/Efficiency.h"
#include "core/analysis/energy/OperatorEnergy.h"
#include "core/analysis/operators/CallTrees.h"
#include "core/analysis/operators/OperatorTable.h"
#include "core/catalogue/Accelerators.h"
#include "core/model/Try.h"
#include "core/work/WorkTable.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>

namespace trainscope::cli {

namespace {

using analysis::OperatorGrouping;

constexpr std::array kGroupings{OperatorGrouping::Operator, OperatorGrouping::Module,
    OperatorGrouping::Annotation, OperatorGrouping::Shape, OperatorGrouping::Pass};

struct OperatorsOptions : OneRunOptions {
    std::optional<int> rank;
    OperatorGrouping by = OperatorGrouping::Shape;
    WindowOptions window;
    bool csv = false;
};

Result<std::vector<int>> chosenRanks(
    const analysis::RunStudy& study, const std::optional<int>& wanted) {
    ASSIGN_OR_RETURN(auto ranks, analysis::tracedRanks(study));
    if (!wanted)
        return ranks;
    if (std::find(ranks.begin(), ranks.end(), *wanted) == ranks.end())
        return Error{ErrorCode::NotFound,
            fmt::format("The run '{}' has no trace of rank {}.", study.run.name, *wanted),
            study.store.path().string()};
    return std::vector{*wanted};
}

Result<OperatorsReport> operatorsReport(
    const OperatorsOptions& options, const Console& console, const Progress& progress) {
    RETURN_IF_ERROR(keepMissingSums(options, NeededSums::CallTrees, console, progress));
    ASSIGN_OR_RETURN(const auto store, openDatabase(options.database));
    ASSIGN_OR_RETURN(const auto run, selectRunOrOnly(store, options.run));
    const analysis::RunStudy study(store, run, progress);
    ASSIGN_OR_RETURN(const auto ranks, chosenRanks(study, options.rank));
    RankWindows windows;
    if (options.window.isGiven()) {
        ASSIGN_OR_RETURN(windows, givenWindows(options.window, store, run, progress));
    }
    OperatorsReport report{run, catalogue::findAccelerator(run.gpuModel), options.by, {},
        std::nullopt, std::nullopt, windows.note()};
    if (!ranks.empty()) {
        ASSIGN_OR_RETURN(const auto efficiency, analysis::timeEfficiencyOf(study, windows.window));
        report.formulaMfu = efficiency.mfu;
        if (efficiency.flopPerStep && efficiency.peakFlops && efficiency.gpus > 0)
            report.formulaMfuOfOneSecond
                = *efficiency.flopPerStep / *efficiency.peakFlops / efficiency.gpus;
    }
    analysis::EnergyOptions energyOptions;
    energyOptions.windowOf = [&windows](int rank) { return windows.of(rank); };
    energyOptions.byKernel = true;
    ASSIGN_OR_RETURN(const auto energy, analysis::energyByPhase(study, energyOptions));
    for (const int rank : ranks) {
        ASSIGN_OR_RETURN(const auto tree, analysis::callTree(study, rank, windows.of(rank)));
        ASSIGN_OR_RETURN(
            auto iterations, analysis::iterationMfus(study, rank, windows.of(rank), report.gpu));
        report.ranks.push_back({rank, tree.hasHost, tree.isOfHost, tree.hasShapes,
            tree.nodes.empty() ? analysis::FrameSums() : tree.nodes.front().sums,
            analysis::operatorTable(tree, options.by, report.gpu),
            analysis::measuredBandwidth(tree, report.gpu),
            analysis::operatorMfu(tree, tree.rankTime.seconds(), report.gpu), std::move(iterations),
            {}});
        for (const analysis::GpuEnergy& gpu : energy.gpus) {
            if (gpu.rank == rank)
                report.ranks.back().energies = analysis::operatorEnergies(
                    tree, report.ranks.back().table, gpu.energy.kernels);
        }
    }
    return report;
}

Outcome showOperators(const OperatorsOptions& options, const Console& console) {
    ProgressLine line(console);
    ASSIGN_OR_RETURN(const auto report, operatorsReport(options, console, shownOn(line, console)));
    line.clear();
    for (const std::string& warning : warningsOf(report))
        console.warn(warning);
    if (const auto& problem = work::WorkTable::problem())
        console.warn(problem->describe());
    if (!report.windowNote.empty() && (options.csv || options.json))
        console.err() << report.windowNote << '\n';
    if (options.csv) {
        console.out() << text::csv(operatorTable(report));
        return ExitStatus::Done;
    }
    return show(
        console, options.json, [&] { return operatorsJson(report); },
        [&](std::ostream& out) { printOperators(report, out); });
}

} // namespace

void addOperatorsCommand(CLI::App& app, CommandContext& context) {
    auto* command = app.add_subcommand(
        "operators", "Time, work and efficiency by operator and shape, module, annotation or pass");
    auto options = std::make_shared<OperatorsOptions>();
    addOneRun(*command, *options);
    addOption(*command, "--rank", options->rank, "Only this rank", "R");
    std::map<std::string, OperatorGrouping> groupings;
    for (const OperatorGrouping grouping : kGroupings)
        groupings.emplace(toString(grouping), grouping);
    addOption(*command, "--by", options->by,
        "What a row is of: an operator, its shape (as it stands without this option), a module, an "
        "annotation, or a pass of the training step",
        "operator|module|annotation|shape|pass")
        ->transform(CLI::CheckedTransformer(groupings, CLI::ignore_case).description(""))
        ->check(suggesting("operator module annotation shape pass"));
    addWindow(*command, options->window);
    command->add_flag("--csv", options->csv, "Print all rows of all ranks as CSV");
    addJson(*command, options->json, "Print one JSON object with all rows");
    command->get_option("--csv")->excludes("--json");
    setFooter(*command, {"operators#work"},
        R"(Operators and shapes have the kernels, copies and sets that they launch themselves; modules and
annotations have those of all that they call, the backward pass of their operators with it.
Operators of your own are told by operator_work.json in the configuration folder.

Examples:
  trainscope-cli operators traces.trainscope --rank 0
  trainscope-cli operators traces.trainscope --by module --json
  trainscope-cli operators traces.trainscope --capture eager-16)");
    runs(*command, context, options, showOperators);
}

} // namespace trainscope::cli
