#include "app/cli/commands/Command.h"
#include "app/cli/console/ProgressLine.h"
#include "app/cli/options/RunSelection.h"
#include "app/cli/output/DetailJson.h"
#include "app/cli/output/DetailText.h"
#include "app/cli/output/EfficiencyOutput.h"
#include "app/cli/output/EnergyJson.h"
#include "app/cli/output/SummaryJson.h"
#include "app/cli/text/Quantity.h"
#include "app/cli/text/TextTable.h"
#include "core/analysis/energy/EnergyByPhase.h"
#include "core/analysis/iterations/Iterations.h"
#include "core/model/Try.h"

#include <CLI/CLI.hpp>

#include <memory>
#include <ostream>

namespace trainscope::cli {

namespace {

struct SummaryOptions {
    std::string database;
    std::vector<std::string> runs;
    bool detail = false;
    bool steady = false;
    std::optional<double> powerLimitW;
    bool perGpu = false;
    bool json = false;
};

struct RunFigures {
    analysis::RunSummary summary;
    std::optional<analysis::SteadyState> steady;
    analysis::Efficiency efficiency;
    std::optional<analysis::RunDetail> detail;
    std::optional<analysis::EnergyByPhase> energy;
};

void printMetrics(const analysis::RunSummary& summary, std::ostream& out) {
    using enum TextTable::Align;
    TextTable table({{"metric", Left}, {"mean"}, {"min"}, {"p50"}, {"p99"}, {"max"}, {"total"},
        {"std in node"}, {"std of nodes"}});
    for (const auto& [name, metric] : summary.metrics) {
        const auto text = [&metric = metric, &name = name](const std::optional<double>& value) {
            return quantityText(value, metric.metric.unit, name);
        };
        table.add({name, text(metric.all.mean), text(metric.all.min), text(metric.all.p50),
            text(metric.all.p99), text(metric.all.max), text(metric.all.total),
            text(metric.intraNodeStd), text(metric.interNodeStd)});
    }
    if (!table.isEmpty())
        table.print(out, "  ");
}

std::string cell(const analysis::GpuSummary& gpu, const std::string& metric, std::string_view unit,
    std::optional<double> analysis::SubjectStatistics::*field) {
    const auto found = gpu.metrics.find(metric);
    return found == gpu.metrics.end() ? "-" : quantityText(found->second.*field, unit, metric);
}

void printGpus(const analysis::RunSummary& summary, std::ostream& out) {
    using S = analysis::SubjectStatistics;
    TextTable table({{"rank"}, {"node"}, {"local"}, {"energy"}, {"mean power"}, {"peak power"},
        {"mean temperature"}, {"peak temperature"}, {"mean SM clock"}, {"mean utilisation"}});
    for (const auto& gpu : summary.gpus) {
        if (gpu.metrics.empty())
            continue;
        table.add({std::to_string(gpu.gpu.rank), std::to_string(gpu.gpu.node),
            std::to_string(gpu.gpu.local), gpu.energy ? quantityText(gpu.energy->joules, "J") : "-",
            cell(gpu, "gpu_power", "W", &S::mean), cell(gpu, "gpu_power", "W", &S::max),
            cell(gpu, "gpu_temperature", "°C", &S::mean),
            cell(gpu, "gpu_temperature", "°C", &S::max), cell(gpu, "sm_clock", "Hz", &S::mean),
            cell(gpu, "gpu_utilization", "1", &S::mean)});
    }
    if (table.isEmpty())
        return;
    out << '\n';
    table.print(out, "  ");
}

void printText(const analysis::RunSummary& summary,
    const std::optional<analysis::SteadyState>& steady, std::ostream& out) {
    const Run& run = summary.run;
    out << run.name << "  (" << toString(run.kind) << ", " << toString(run.status) << ")\n  "
        << run.gpuCount << (run.gpuCount == 1 ? " GPU on " : " GPUs on ") << run.nodeCount
        << (run.nodeCount == 1 ? " node, " : " nodes, ") << durationText(summary.duration);
    if (!run.range.isEmpty())
        out << " from " << timeText(steady ? steady->window.begin : run.range.begin);
    if (steady)
        out << "\n  steady state: " << steady->wording;
    if (summary.energy) {
        out << "\n  energy " << quantityText(summary.energy->joules, "J") << ", covering "
            << quantityText(summary.energy->coverage, "1", "utilization")
            << (steady && !steady->isWholeRun ? " of this time" : " of the run");
    }
    out << "\n\n";
    printMetrics(summary, out);
    printGpus(summary, out);
}

Result<analysis::EnergyByPhase> tracedEnergy(const store::Store& store, const Run& run,
    const analysis::RunIterations& iterations, TimeRange window, const Progress& progress) {
    analysis::EnergyOptions options;
    options.window = window;
    options.iterations.all = iterations.everyOne();
    ASSIGN_OR_RETURN(options.lags, analysis::powerLags(store, run, progress));
    return analysis::energyByPhase(store, run, options, progress);
}

Result<RunFigures> figuresOf(const store::Store& store, const Run& run,
    const SummaryOptions& options, const Console& console, const Progress& progress) {
    RunFigures figures;
    TimeRange window = kAllTime;
    ASSIGN_OR_RETURN(const auto iterations, analysis::iterationsOf(store, run, progress));
    if (options.steady) {
        ASSIGN_OR_RETURN(figures.steady, analysis::steadyStateOf(store, run, iterations, progress));
        window = figures.steady->isWholeRun ? kAllTime : figures.steady->window;
    }
    ASSIGN_OR_RETURN(figures.summary, analysis::summarise(store, run, window, progress));
    ASSIGN_OR_RETURN(
        figures.efficiency, analysis::efficiencyOf(store, run, iterations, window, progress));
    if (const auto& problem = figures.efficiency.catalogueProblem)
        console.warn("The models of your own are not used: " + problem->describe());
    if (!options.detail)
        return figures;
    const analysis::DetailQuery query{window, options.powerLimitW, options.perGpu};
    ASSIGN_OR_RETURN(figures.detail, analysis::detailOf(store, run, iterations, query, progress));
    ASSIGN_OR_RETURN(figures.energy, tracedEnergy(store, run, iterations, window, progress));
    return figures;
}

Result<std::vector<RunFigures>> computeFigures(const store::Store& store,
    const std::vector<Run>& runs, const SummaryOptions& options, const Console& console) {
    ProgressLine line(console);
    std::vector<RunFigures> result;
    for (const Run& run : runs) {
        const Progress progress = [&](const ProgressState& state) {
            line.update(
                run.name + ": " + std::string(state.phase), state.bytesDone, state.bytesTotal);
            return !console.isCancelled();
        };
        auto figures = figuresOf(store, run, options, console, progress);
        if (!figures.hasValue())
            return figures.error();
        result.push_back(std::move(figures).value());
    }
    return result;
}

Json figuresJson(const std::vector<RunFigures>& all) {
    Json json{{"runs", Json::array()}};
    for (const auto& [summary, steady, efficiency, detail, energy] : all) {
        json["runs"].push_back(summaryJson(summary));
        if (steady)
            addWindow(json["runs"].back(), *steady);
        addEfficiency(json["runs"].back(), efficiency);
        if (detail)
            addDetail(json["runs"].back(), *detail);
        if (energy)
            addEnergy(json["runs"].back(), *energy);
    }
    return json;
}

ExitStatus printSummary(const SummaryOptions& options, const Console& console) {
    const auto store = openDatabase(options.database);
    if (!store.hasValue())
        return console.fail(store.error());
    const auto runs = selectRuns(store.value(), options.runs);
    if (!runs.hasValue())
        return console.fail(runs.error());
    const auto all = computeFigures(store.value(), runs.value(), options, console);
    if (!all.hasValue())
        return console.fail(all.error());
    for (const auto& [summary, steady, efficiency, detail, energy] : all.value()) {
        for (const auto& warning : summary.warnings)
            console.warn(summary.run.name + ": " + warning);
    }
    if (options.json) {
        printJson(console.out(), figuresJson(all.value()));
        return ExitStatus::Done;
    }
    bool isFirst = true;
    for (const auto& [summary, steady, efficiency, detail, energy] : all.value()) {
        console.out() << (isFirst ? "" : "\n");
        isFirst = false;
        printText(summary, steady, console.out());
        printEfficiency(efficiency, console.out());
        if (detail)
            printDetail(summary, *detail, console.out());
        if (energy)
            printEnergy(*energy, console.out());
    }
    return ExitStatus::Done;
}

} // namespace

void addSummaryCommand(CLI::App& app, CommandContext& context) {
    auto* command = app.add_subcommand(
        "summary", "Means, extremes, totals, energy and efficiency of runs, their nodes and GPUs");
    auto options = std::make_shared<SummaryOptions>();
    command->add_option("DB", options->database, "The run database")->required();
    command->add_option("--run", options->runs, "Only this run; may be given several times")
        ->type_name("N")
        ->expected(1)
        ->take_all();
    command->add_flag("--detail", options->detail,
        "Also throttling, airflow, settling, bursts, spectrum, thermal time constants, and where "
        "the "
        "energy of traced GPUs went");
    command->add_flag("--steady", options->steady,
        "Leave out warm-up iterations and those before the temperatures settled");
    command
        ->add_option("--power-limit", options->powerLimitW,
            "With --detail: count what the summed power is above; else the boards' limits together")
        ->type_name("W");
    command->add_flag("--per-gpu", options->perGpu,
        "With --detail and --json: the energy of each iteration for each GPU");
    command->add_flag("--json", options->json, "Print one JSON object");
    command->footer(
        R"(Means are weighted by time, energy is the integral of gpu_power, and missing samples
count in neither. Efficiency (samples, tokens, joules, MFU) is computed from the launch
configuration and the iterations; what they do not say is absent, with the reason.
Iterations are taken from the traces' annotations, else from the period of the summed
power. A run may be named by the last parts of its path.

Examples:
  trainscope-cli summary runs.trainscope
  trainscope-cli summary runs.trainscope --run gpt3-175b_3_00000 --json
  trainscope-cli summary runs.trainscope --steady)");
    command->callback([options, &context] {
        context.action = [options, &context] { return printSummary(*options, context.console); };
    });
}

} // namespace trainscope::cli
