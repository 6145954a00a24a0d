#include "app/cli/commands/Answers.h"
#include "app/cli/commands/Command.h"
#include "app/cli/console/ProgressLine.h"
#include "app/cli/options/TraceOptions.h"
#include "app/cli/output/RunOutput.h"
#include "core/analysis/energy/Efficiency.h"
#include "core/analysis/energy/EnergyByPhase.h"
#include "core/analysis/iterations/Goodput.h"
#include "core/analysis/iterations/Iterations.h"
#include "core/analysis/operators/HostSelfTime.h"
#include "core/analysis/statistics/MeasuredEnergy.h"
#include "core/analysis/traces/CaptureIterations.h"
#include "core/report/RunTables.h"
#include "core/report/WarningLines.h"

namespace trainscope::cli {

namespace {

struct SummaryOptions : SomeRunsOptions {
    bool detail = false;
    bool steady = false;
    WindowOptions part;
    std::optional<double> powerLimitW;
    bool perGpu = false;
};

struct RunFigures {
    analysis::RunSummary summary;
    std::optional<analysis::SteadyState> part; // steady state, capture, window; absent: the run
    bool isWindow = false; // likewise told as a part that was asked for
    analysis::Efficiency efficiency;
    std::optional<analysis::RunDetail> detail;
    std::optional<analysis::EnergyByPhase> energy;
    std::vector<analysis::AboveLimit> aboveLimit; // by rank
    std::optional<analysis::HostSelfTime> host; // absent: a device was traced
    std::optional<analysis::Goodput> goodput; // absent of a part
    std::vector<std::string> assumptions; // sentences
};

void printMetrics(const analysis::RunSummary& summary, std::ostream& out) {
    text::Table table;
    for (const auto& [name, metric] : summary.metrics) {
        const bool isEnergyAbove = name == metric::kGpuEnergy && summary.energy
            && summary.energy->source == analysis::EnergySource::Counter;
        if (isShared(metric.metric.kind) || isEnergyAbove)
            continue;
        const auto told = [&metric = metric, &name = name](
                              std::string title, const std::optional<double>& value) {
            return Quantity("", {std::move(title)}, text::aligned(value, metric.metric.unit, name));
        };
        const auto& all = metric.all;
        addRow(table,
            {{"", {"metric", Left}, name}, told("mean", all.mean), told("min", all.min),
                told("p50", all.p50), told("p99", all.p99), told("max", all.max),
                told("total", all.total), told("std in node", metric.intraNodeStd),
                told("std of nodes", metric.interNodeStd)});
    }
    printTable(out, table);
}

// Prints metrics without a mean: "throttle_reasons  none 81.20 %, sw_power_cap 18.80 %", "loss
// first 11.02, last 2.31".
void printStates(const analysis::RunSummary& summary, std::ostream& out) {
    text::Table table;
    for (const auto& [name, metric] : summary.metrics) {
        std::string told;
        const auto add
            = [&told](const std::string& text) { told += (told.empty() ? "" : ", ") + text; };
        for (const auto& [state, share] : metric.all.shares)
            add(state + " " + text::alignedPercent(share) + " of the time");
        if (metric.all.first)
            add("first " + text::aligned(metric.all.first, metric.metric.unit, name));
        if (metric.all.last)
            add("last " + text::aligned(metric.all.last, metric.metric.unit, name));
        if (!told.empty())
            addRow(table, {{"", {"metric", Left}, name}, {"", {"", Left}, told}});
    }
    printBelow(out, table);
}

// GPUs without readings have their row where others have some.
void printGpus(const analysis::RunSummary& summary, std::ostream& out) {
    const bool areRead = std::any_of(summary.gpus.begin(), summary.gpus.end(),
        [](const analysis::GpuSummary& gpu) { return !gpu.metrics.empty(); });
    if (!areRead)
        return;
    text::Table table = report::telemetryTable({}, {{"rank"}, {"node"}, {"local"}});
    for (const auto& gpu : summary.gpus) {
        const auto find = [&gpu](const std::string& name) {
            const auto found = gpu.metrics.find(name);
            return found == gpu.metrics.end() ? nullptr : &found->second;
        };
        report::addTelemetry(table, {gpu.gpu.rank, gpu.gpu.node, gpu.gpu.local}, find, gpu.energy);
    }
    printBelow(out, table);
}

void printNodeEnergy(const analysis::RunSummary& summary, std::ostream& out) {
    if (const auto& nodes = summary.nodeEnergy) {
        out << "\n  energy of nodes " << text::aligned(nodes->joules, "J") << ", covering "
            << text::alignedPercent(nodes->coverage);
        if (summary.restJoules && nodes->joules > 0.0)
            out << "; not of the GPUs: " << text::aligned(*summary.restJoules, "J") << " ("
                << text::alignedPercent(*summary.restJoules / nodes->joules) << ")";
    }
    if (const auto& switches = summary.switchEnergy)
        out << "\n  energy of switches " << text::aligned(switches->joules, "J");
}

// Nodes whose own power was measured.
void printNodes(const analysis::RunSummary& summary, std::ostream& out) {
    text::Table table;
    for (const auto& node : summary.nodes) {
        const auto power = node.metrics.find(metric::kNodePower);
        if (node.energy && power != node.metrics.end())
            addRow(table,
                {{"", {"node"}, node.node}, {"", inUnit("mean power", "W"), power->second.mean},
                    {"", inUnit("peak power", "W"), power->second.max},
                    {"", inUnit("energy", "J"), node.energy->joules},
                    {"", inUnit("of its GPUs", "J"), node.gpuJoules},
                    {"", inUnit("the rest", "J"), node.restJoules}});
    }
    printBelow(out, table);
}

// "4.000 s from 2026-01-01 10:00:00.000 UTC"; of readings at one time, that time where it is known.
void printTime(const analysis::RunSummary& summary,
    const std::optional<analysis::SteadyState>& part, std::ostream& out) {
    const TimeNs begin = part ? part->window.begin : summary.run.range.begin;
    if (summary.duration.ns == 0) {
        out << (text::isDated(begin) ? "at " + text::moment(begin) : "at one moment");
        return;
    }
    out << text::alignedDuration(summary.duration);
    if (!summary.run.range.isEmpty())
        out << " from " << text::moment(begin);
}

// " of 2 of 4 GPUs" where the others tell no power; " of 2 packages of two GPUs", of which one
// tells it.
std::string metered(const analysis::RunSummary& summary) {
    if (!summary.secondDies.empty())
        return " of " + text::counted(std::ssize(summary.secondDies), "package") + " of two GPUs";
    const auto count = std::count_if(summary.gpus.begin(), summary.gpus.end(),
        [](const analysis::GpuSummary& gpu) { return gpu.energy.has_value(); });
    return static_cast<std::size_t>(count) == summary.gpus.size()
        ? std::string()
        : " of " + std::to_string(count) + " of " + text::counted(std::ssize(summary.gpus), "GPU");
}

// Sources without time stamps, whose readings are as far apart as was assumed.
Result<std::vector<std::string>> assumptionsOf(const analysis::RunStudy& study) {
    std::vector<std::string> sentences;
    ASSIGN_OR_RETURN(const auto sources, study.store.sources());
    for (const store::Source& source : sources) {
        const auto period = source.report.facts.find("assumed_period");
        if (period == source.report.facts.end()
            || std::ranges::count(source.runs, study.run.id) == 0)
            continue;
        sentences.push_back(source.path.substr(source.path.rfind('/') + 1)
            + " has no time stamps: " + period->second
            + " between its readings was assumed, and energy and duration rest on it; say --period "
              "on import");
    }
    return sentences;
}

void printText(const RunFigures& figures, std::ostream& out) {
    const analysis::RunSummary& summary = figures.summary;
    const std::optional<analysis::SteadyState>& part = figures.part;
    const Run& run = summary.run;
    out << run.name << "  (" << (run.simulated ? "simulated" : toString(run.kind)) << ", "
        << toString(run.status) << ")\n  ";
    if (run.gpuCount > 0 || run.nodeCount == 0)
        out << text::counted(run.gpuCount, "GPU") << " on ";
    out << text::counted(run.nodeCount, "node") << ", ";
    printTime(summary, part, out);
    if (part)
        out << (part->basis == analysis::SteadyBasis::Capture ? "\n  only " : "\n  steady state: ")
            << part->wording;
    if (summary.energy) {
        out << "\n  energy " << text::aligned(summary.energy->joules, "J") << metered(summary)
            << ", covering " << text::alignedPercent(summary.energy->coverage)
            << (part && !part->isWholeRun ? " of this time, " : " of the run, ")
            << analysis::sourceText(*summary.energy);
    }
    printNodeEnergy(summary, out);
    for (const std::string& assumption : figures.assumptions)
        out << "\n  " << assumption;
    out << "\n\n";
    printMetrics(summary, out);
    printStates(summary, out);
    printNodes(summary, out);
    printGpus(summary, out);
}

Result<analysis::EnergyByPhase> tracedEnergy(
    const analysis::RunStudy& study, const analysis::RunIterations& iterations, TimeRange window) {
    analysis::EnergyOptions options;
    options.window = window;
    options.iterations.all = iterations.everyOne();
    return analysis::energyByPhase(study, options);
}

// The part that was asked for, with what counts as its iterations.
struct AskedPart {
    analysis::RunIterations iterations;
    std::optional<analysis::CaptureIterations> captured;
    std::optional<analysis::SteadyState> state; // absent: the whole run
    [[nodiscard]] TimeRange window() const {
        return state && !state->isWholeRun ? state->window : kAllTime;
    }
};

Result<AskedPart> askedPart(const analysis::RunStudy& study, const SummaryOptions& options) {
    AskedPart part;
    ASSIGN_OR_RETURN(part.iterations, analysis::iterationsOf(study));
    if (options.steady) {
        ASSIGN_OR_RETURN(part.state, analysis::steadyStateOf(study));
    } else if (!options.part.capture.empty()) {
        ASSIGN_OR_RETURN(const auto capture, analysis::captureWindows(study, options.part.capture));
        ASSIGN_OR_RETURN(part.captured, analysis::captureIterations(study, capture));
        part.iterations = part.captured->iterations;
        part.state = part.captured->state;
    } else if (options.part.isGiven()) {
        ASSIGN_OR_RETURN(const auto window, givenWindow(options.part, study.run));
        part.state.emplace().window = window;
        part.state->basis = analysis::SteadyBasis::Capture;
        part.state->isWholeRun = false;
        part.state->wording = fmt::format("{} to {} of the run",
            text::duration(window.begin - study.run.range.begin),
            text::duration(window.end - study.run.range.begin));
    }
    return part;
}

Result<RunFigures> figuresOf(
    const analysis::RunStudy& study, const SummaryOptions& options, const Console& console) {
    RunFigures figures;
    ASSIGN_OR_RETURN(const auto part, askedPart(study, options));
    const auto& iterations = part.iterations;
    const TimeRange window = part.window();
    figures.part = part.state;
    figures.isWindow = options.part.fromS || options.part.toS;
    ASSIGN_OR_RETURN(figures.summary, analysis::summarise(study, window));
    ASSIGN_OR_RETURN(figures.efficiency,
        part.captured ? analysis::efficiencyOf(study, *part.captured)
                      : analysis::efficiencyOf(study, window));
    ASSIGN_OR_RETURN(
        figures.aboveLimit, analysis::aboveLimits(study, window, analysis::KeepSteps::No));
    ASSIGN_OR_RETURN(figures.assumptions, assumptionsOf(study));
    if (const auto& problem = figures.efficiency.catalogueProblem)
        console.warn("The models of your own are not used: " + problem->describe());
    if (!figures.part) {
        ASSIGN_OR_RETURN(figures.host, analysis::hostSelfTime(study));
        ASSIGN_OR_RETURN(figures.goodput, analysis::goodputOf(study));
    }
    if (!options.detail)
        return figures;
    const analysis::DetailQuery query{
        .window = window, .powerLimitW = options.powerLimitW, .energyPerGpu = options.perGpu};
    ASSIGN_OR_RETURN(figures.detail, analysis::detailOf(study, iterations, query));
    ASSIGN_OR_RETURN(figures.energy, tracedEnergy(study, iterations, window));
    const auto gpus = std::count_if(figures.summary.gpus.begin(), figures.summary.gpus.end(),
        [](const auto& gpu) { return gpu.energy.has_value(); });
    analysis::takeTraced(
        *figures.energy, static_cast<std::size_t>(gpus), figures.detail->iterationFigures);
    return figures;
}

Result<std::vector<RunFigures>> computeFigures(const store::Store& store,
    const std::vector<Run>& runs, const SummaryOptions& options, const Console& console) {
    ProgressLine line(console);
    std::vector<RunFigures> result;
    for (const Run& run : runs) {
        const Progress progress = [&](const ProgressState& state) {
            line.updateCount(
                std::string(state.phase) + ", " + run.name, state.bytesDone, state.bytesTotal);
            return !console.isCancelled();
        };
        ASSIGN_OR_RETURN(auto figures, figuresOf({store, run, progress}, options, console));
        result.push_back(std::move(figures));
    }
    return result;
}

std::optional<double> inTera(const std::optional<double>& value) {
    constexpr double kTera = 1e12;
    return value ? std::optional(*value / kTera) : std::nullopt;
}

// "efficiency": the known values, and "efficiency_missing": reasons why others are not known.
void addEfficiency(Json& run, const analysis::Efficiency& made) {
    Json json = object({{"step_time_s", made.stepTimeS}, {"samples_per_s", made.samplesPerS},
        {"tokens_per_s", made.tokensPerS}, {"tokens_per_s_per_gpu", made.tokensPerSPerGpu},
        {"tokens_per_j", made.tokensPerJ}, {"samples_per_s_per_mj", made.samplesPerSPerMj},
        {"energy_per_step_j", made.energyPerStepJ},
        {"energy_between_steps_j", made.energyBetweenStepsJ}, {"step_power_w", made.stepPowerW},
        {"tflops_per_gpu", inTera(made.flopsPerGpu)}, {"mfu", made.mfu},
        {"flop_per_step", made.flopPerStep}, {"parameters", made.parameters},
        {"active_parameters", made.activeParameters}, {"peak_tflops", inTera(made.peakFlops)},
        {"gpus", when(made.gpus > 0, made.gpus)}, {"steps", when(made.steps > 0, made.steps)},
        {"step_window", given(made.stepWindow)},
        {"steps_from", made.stepTimeS ? given(made.stepTimeOrigin) : std::nullopt},
        {"model_from", given(made.modelOrigin)}, {"formula", given(made.formula)}});
    if (made.asCharllm)
        json["charllm"] = {{"samples_per_s", made.asCharllm->samplesPerS},
            {"samples_per_s_per_mj", made.asCharllm->samplesPerSPerMj}};
    run["efficiency"] = std::move(json);
    if (!made.missing.empty())
        run["efficiency_missing"] = made.missing;
    if (analysis::isImplausibleMfu(made.mfu))
        run["efficiency_warnings"]
            = Json::array({analysis::implausibleMfuText(text::alignedPercent(*made.mfu))});
}

void printEfficiency(
    const std::string& run, const analysis::Efficiency& efficiency, std::ostream& out) {
    const auto table = report::efficiencyTable({{run, efficiency}});
    const auto& cells = table.rows.front();
    if (std::all_of(
            cells.begin() + 1, cells.end(), [](const auto& one) { return one.isMissing(); }))
        return;
    printBelow(out, table);
}

Row callRow(const analysis::HostSelfTime& host, const analysis::HostCalls& one) {
    const double share
        = host.selfTime.ns == 0 ? 0.0 : one.selfTime.seconds() / host.selfTime.seconds();
    return {{"self_time_us", inUnit("self time", "s"), one.selfTime},
        {"", inUnit("of all", "%"), share}, {"count", {"calls"}, one.calls},
        {"name", {"call", Left}, one.name}};
}

Json hostJson(const analysis::HostSelfTime& host) {
    return object({{"ranks", host.ranks}, {"threads", host.threads}, {"calls", host.calls},
        {"self_time_us", host.selfTime},
        {"operators", rowsJson(host.byName, [&](const auto& one) { return callRow(host, one); })}});
}

void printHost(const analysis::HostSelfTime& host, std::ostream& out) {
    constexpr std::size_t kShownCalls = 10;
    out << fmt::format("\nOnly the host was traced: {} of self time in {}, {}\n",
        text::duration(host.selfTime), text::counted(host.calls, "call"),
        analysis::hostPlaceText(host));
    const auto rowOf = [&host](const auto& one) { return callRow(host, one); };
    printTable(out, tableOf(host.byName, rowOf, kShownCalls, "more call"));
}

// "goodput": share, wall time and parts, or "goodput_missing": the reason.
void addGoodput(Json& json, const analysis::Goodput& goodput) {
    if (!goodput.isKnown()) {
        json["goodput_missing"] = goodput.whyNone;
        return;
    }
    json["goodput"] = {{"fraction", goodput.share()}, {"wall_s", goodput.wallS},
        {"restarts", goodput.restarts}, {"steps_done_again", goodput.repeats},
        {"parts_s", objectOf(analysis::kJobParts, [&](analysis::JobPart part) {
             return Member(std::string(toString(part)), goodput.seconds[part]);
         })}};
}

Json figuresJson(const RunFigures& figures) {
    Json json = summaryJson(figures.summary);
    if (!figures.assumptions.empty())
        json["assumptions"] = figures.assumptions;
    addAboveLimit(json, figures.aboveLimit);
    if (figures.part)
        addWindow(json, *figures.part);
    if (figures.isWindow)
        json["window"]["basis"] = "window";
    addEfficiency(json, figures.efficiency);
    if (figures.detail)
        addDetail(json, *figures.detail);
    if (figures.energy)
        addEnergy(json, *figures.energy);
    if (figures.host)
        json["host"] = hostJson(*figures.host);
    if (figures.goodput)
        addGoodput(json, *figures.goodput);
    return json;
}

void printFigures(const RunFigures& figures, std::ostream& out) {
    printText(figures, out);
    if (const auto above = analysis::together(figures.aboveLimit))
        out << "\n  power " << report::aboveLimitText(*above) << '\n';
    if (figures.goodput && figures.goodput->isKnown())
        out << "\n  " << analysis::goodputText(*figures.goodput) << '\n';
    printEfficiency(figures.summary.run.name, figures.efficiency, out);
    if (figures.detail)
        printDetail(figures.summary, *figures.detail, out);
    if (figures.energy)
        printEnergy(*figures.energy, out);
    if (figures.host)
        printHost(*figures.host, out);
}

Outcome printSummary(
    const SummaryOptions& options, const Console& console, const store::Store& store) {
    ASSIGN_OR_RETURN(const auto runs, selectRuns(store, options.runs));
    ASSIGN_OR_RETURN(const auto all, computeFigures(store, runs, options, console));
    for (const RunFigures& figures : all) {
        for (const auto& line : report::groupedWarnings(report::warningsOf(figures.summary)))
            console.warn(line.text);
    }
    return show(
        console, options.json,
        [&] {
            return Json{{"runs", listOf(all, figuresJson)}};
        },
        [&](std::ostream& out) {
            for (std::size_t i = 0; i < all.size(); ++i) {
                out << (i == 0 ? "" : "\n");
                printFigures(all[i], out);
            }
        });
}

} // namespace

Result<Json> summaryAnswer(const analysis::RunStudies& studies, const Run& run) {
    std::ostringstream unread;
    ASSIGN_OR_RETURN(const auto figures, figuresOf(studies.of(run), {}, {unread, unread}));
    return figuresJson(figures);
}

void addSummaryCommand(CLI::App& app, CommandContext& context) {
    const auto [command, options] = addCommand<SummaryOptions>(app, "summary",
        "Means, extremes, totals, energy and efficiency of runs, their nodes and GPUs",
        {"numbers#time-weighted-mean", "numbers#iterations"});
    addRuns(*command, *options, "Only this run; may be given several times");
    command->add_flag("--detail", options->detail,
        "Also throttling, airflow, settling, bursts, spectrum, thermal time constants, and where "
        "the "
        "energy of traced GPUs went");
    command->add_flag("--steady", options->steady,
        "Leave out warm-up iterations and those before the temperatures settled");
    addWindow(*command, options->part);
    for (const char* name : {"--from", "--to", "--capture"})
        command->get_option(name)->excludes("--steady");
    addOption(*command, "--power-limit", options->powerLimitW,
        "With --detail: count what the summed power is above; else the boards' limits together",
        "W")
        ->check(aboveZero())
        ->needs("--detail");
    auto* perGpu = command->add_flag("--per-gpu", options->perGpu,
        "With --detail and --json: the energy of each iteration for each GPU");
    addJson(*command, options->json);
    perGpu->needs("--detail")->needs("--json");
    runsOnDatabase(*command, context, options, printSummary);
}

} // namespace trainscope::cli
