#include "app/cli/commands/Command.h"
#include "app/cli/options/TraceOptions.h"
#include "app/cli/output/RunOutput.h"
#include "core/analysis/energy/Efficiency.h"
#include "core/analysis/energy/EstimatedEnergy.h"
#include "core/analysis/energy/OperatorEnergy.h"
#include "core/analysis/operators/CallFrames.h"
#include "core/analysis/operators/CallTrees.h"
#include "core/analysis/operators/OperatorTable.h"
#include "core/catalogue/GpuModel.h"
#include "core/model/JsonDepth.h"
#include "core/plot/operators/OperatorsText.h"
#include "core/report/RunTables.h"
#include "core/work/WorkTable.h"

namespace trainscope::cli {

namespace {

struct OperatorsReport {
    struct OfRank {
        int rank = -1;
        bool hasHost = false;
        bool isOfHost = false; // no device was traced: the time is self time of calls
        bool hasShapes = false;
        analysis::FrameSums all;
        analysis::OperatorTable table;
        std::optional<analysis::MeasuredBandwidth> bandwidth;
        std::optional<analysis::OperatorMfu> mfu; // over the window
        std::vector<analysis::IterationMfu> iterations; // those that are whole in it
        std::vector<analysis::PartEnergy> energies; // by row of the table; empty: not known
    };
    Run run;
    const catalogue::GpuModel* gpu = nullptr; // nullptr: not known
    analysis::OperatorGrouping by = analysis::OperatorGrouping::Shape;
    std::vector<OfRank> ranks;
    // By the model's formula: of the run's iterations, and of one that takes 1 s.
    std::optional<double> formulaMfu;
    std::optional<double> formulaMfuOfOneSecond;
    std::string windowNote; // empty: nothing to say
};

using analysis::OperatorEntry;
using analysis::OperatorGrouping;

constexpr std::size_t kShownRows = 25;
constexpr std::size_t kShownIterations = 8;

std::optional<double> inUnits(const std::optional<double>& value, double unit) {
    return value ? std::optional(*value / unit) : std::nullopt;
}

// A list of an operator's detail, as it was recorded.
std::optional<Json> recorded(const Json& detail, const char* key) {
    const auto found = detail.find(key);
    return found == detail.end() ? std::nullopt : std::optional<Json>(*found);
}

std::optional<double> formulaMfuOf(
    const OperatorsReport& report, const analysis::IterationMfu& iteration) {
    return report.formulaMfuOfOneSecond
        ? std::optional(*report.formulaMfuOfOneSecond / seconds(iteration.duration))
        : std::nullopt;
}

Json iterationsJson(const OperatorsReport& report, const OperatorsReport::OfRank& one) {
    return listOf(one.iterations, [&](const analysis::IterationMfu& iteration) {
        return object({{"iteration", iteration.iteration},
            {"duration_s", seconds(iteration.duration)}, {"mfu", iteration.mfu.mfu},
            {"hfu", iteration.mfu.hfu}, {"mfu_by_formula", formulaMfuOf(report, iteration)}});
    });
}

std::string titleOf(const OperatorsReport& report, const OperatorsReport::OfRank& one) {
    if (one.isOfHost)
        return fmt::format("rank {}: host only, {} of self time in {}", one.rank,
            text::duration(one.all.time), text::counted(one.all.works, "call"));
    return fmt::format("rank {}: {} launched, {} busy{}", one.rank,
        text::counted(one.all.works, "kernel or copy", "kernels and copies"),
        text::duration(one.all.busy),
        report.gpu == nullptr ? std::string() : ", roofline of " + report.gpu->name);
}

// Assumptions behind the shown rows; empty where nothing is assumed.
std::string assumptionText(const analysis::OperatorTable& table, std::size_t mostRows) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < std::min(mostRows, table.rows.size()); ++i) {
        const OperatorEntry& row = table.rows[i];
        const bool isNew = std::find(names.begin(), names.end(), row.name) == names.end();
        if (row.efficiency.isTypeAssumed && isNew)
            names.push_back(row.name);
    }
    return names.empty() ? std::string()
                         : fmt::format("traces write no element types of lists of tensors; "
                                       "counted in 32 bits: {}",
                             fmt::join(names, ", "));
}

// "MFU by operators 40.1 % …", a line for each iteration behind it; none where it is not known.
std::vector<std::string> mfuTexts(
    const OperatorsReport& report, const OperatorsReport::OfRank& one) {
    std::vector<std::string> lines;
    if (!one.mfu || !one.mfu->mfu)
        return lines;
    lines.push_back(plot::mfuText(*one.mfu, report.formulaMfu));
    for (const analysis::IterationMfu& iteration : one.iterations) {
        if (!iteration.mfu.mfu || lines.size() > kShownIterations)
            continue;
        std::string line = fmt::format("iteration {}: {} in {}", iteration.iteration,
            plot::sharesText(iteration.mfu),
            text::quantity(seconds(iteration.duration), "s", text::Digits::Three));
        if (const auto formula = formulaMfuOf(report, iteration))
            line += ", by the formula " + text::percent(*formula, 1);
        lines.push_back(std::move(line));
    }
    return lines;
}

text::Cell savableOf(const analysis::WorkEfficiency& work) {
    return work.savable ? text::Cell(DurationNs{std::llround(*work.savable * 1e9)}) : text::Cell();
}

// True where any row of any rank has energy.
bool isEnergyKnown(const OperatorsReport& report) {
    return std::ranges::any_of(report.ranks, [](const OperatorsReport::OfRank& one) {
        return std::ranges::any_of(one.energies,
            [](const analysis::PartEnergy& energy) { return energy.known.has_value(); });
    });
}

bool isOfHost(const OperatorsReport& report) {
    return !report.ranks.empty() && report.ranks.front().isOfHost;
}

Row operatorRow(const OperatorsReport& report, const OperatorsReport::OfRank& rank,
    const OperatorEntry& row, const analysis::PartEnergy& energy, bool hasEnergy) {
    Json read;
    if (!isNestedTooDeep(row.signature))
        read = Json::parse(row.signature, nullptr, false);
    const Json detail = read.is_object() ? read : Json::object();
    const analysis::WorkEfficiency& work = row.efficiency;
    const auto fused = analysis::fusedOperators(row.name);
    const bool isOnDevice = !rank.isOfHost;
    const double share = rank.all.time.ns == 0
        ? 0.0
        : static_cast<double>(row.time.ns) / static_cast<double>(rank.all.time.ns);
    Row all{{"name", row.name}, {"fused_operators", when(!fused.empty(), Json(fused))},
        {"input_dims", recorded(detail, "Input Dims")},
        {"input_types", recorded(detail, "Input type")},
        {"input_strides", recorded(detail, "Input Strides")},
        {"concrete_inputs", recorded(detail, "Concrete Inputs")},
        {"", inUnit(isOfHost(report) ? "self time" : "time", "s"), row.time},
        {"", inUnit("of all", "%"), share}, {"", inUnit("busy", "s"), row.busy}};
    if (hasEnergy)
        all.push_back({"", {"energy (90 %)", Left},
            when(energy.known.has_value(), report::energyText(energy))});
    const Row rest{{"count", {"calls"}, row.sums.calls},
        {"kernel_count", when(isOnDevice, row.sums.works),
            {isOfHost(report) ? "with self time" : "kernels"}, row.sums.works},
        {"kernel_time_us", when(isOnDevice, row.time)}, {"busy_us", when(isOnDevice, row.busy)},
        {"host_self_time_us", when(rank.isOfHost, row.time)}, {"flop", work.flop},
        {"bytes", work.bytes},
        {"tflops", inUnits(work.flopPerSecond, 1e12), inUnit("FLOP/s", "FLOP/s"),
            work.flopPerSecond},
        {"gb_per_s", inUnits(work.bytesPerSecond, 1e9), inUnit("moved", "B/s"),
            work.bytesPerSecond},
        {"flop_per_byte", work.intensity},
        {"roofline_fraction", inUnit("of roofline", "%"), work.rooflineFraction},
        {"savable_us", inUnits(work.savable, 1e-6), inUnit("savable", "s"), savableOf(work)},
        {"known_fraction", when(work.flop.has_value(), work.knownShare)},
        {"type_assumed", when(work.isTypeAssumed, true)},
        {"", {std::string(toString(report.by)), Left}, row.name}};
    all.insert(all.end(), rest.begin(), rest.end());
    if (report.by == OperatorGrouping::Shape)
        all.push_back({"", {"shapes", Left}, analysis::shapeText(row.signature)});
    for (Quantity& one : energyRow(energy)) {
        one.column.reset(); // it stands behind the times
        all.push_back(std::move(one));
    }
    return all;
}

// Row of the i-th operator.
auto rowsOf(const OperatorsReport& report, const OperatorsReport::OfRank& one) {
    return [&report, &one, hasEnergy = isEnergyKnown(report)](
               const OperatorEntry& row, std::size_t i) {
        return operatorRow(report, one, row,
            i < one.energies.size() ? one.energies[i] : analysis::PartEnergy(), hasEnergy);
    };
}

// Self time of a host that no row of operators holds; empty where they hold nearly all.
std::string outsideText(const OperatorsReport& report, const OperatorsReport::OfRank& one) {
    constexpr double kNearlyAll = 0.995;
    const bool isByOperator
        = report.by == OperatorGrouping::Operator || report.by == OperatorGrouping::Shape;
    if (!one.isOfHost || !isByOperator || one.all.time.ns == 0)
        return {};
    DurationNs told;
    for (const OperatorEntry& row : one.table.rows)
        told = told + row.time;
    const double share = told.seconds() / one.all.time.seconds();
    return share >= kNearlyAll ? std::string()
                               : text::roundedPercent(1.0 - share)
            + " is self time of annotations and functions outside of operators; "
              "--by annotation tells those";
}

Excerpt rankTable(
    const OperatorsReport& report, const OperatorsReport::OfRank& one, std::size_t mostRows) {
    auto table = tableOf(one.table.rows, rowsOf(report, one), mostRows);
    table.title = titleOf(report, one);
    if (one.bandwidth)
        table.notes.push_back(plot::bandwidthText(*one.bandwidth, *report.gpu->memoryBandwidth));
    for (std::string& line : mfuTexts(report, one))
        table.notes.push_back(std::move(line));
    if (std::string assumed = assumptionText(one.table, mostRows); !assumed.empty())
        table.notes.push_back(std::move(assumed));
    if (std::string rest = outsideText(report, one); !rest.empty())
        table.notes.push_back(std::move(rest));
    if (!report.windowNote.empty())
        table.notes.push_back(report.windowNote);
    return table;
}

std::vector<std::string> warningsOf(const OperatorsReport& report) {
    std::vector<std::string> warnings;
    if (report.ranks.empty())
        warnings.push_back("The run '" + report.run.name
            + "' has no traces; import its Kineto, Nsight or rocprof traces to see operators.");
    const auto any = [&](bool OperatorsReport::OfRank::*has) {
        return std::ranges::any_of(report.ranks, [&](const auto& one) { return one.*has; });
    };
    std::string gap = plot::gapText(any(&OperatorsReport::OfRank::hasHost),
        any(&OperatorsReport::OfRank::hasShapes), report.gpu != nullptr || isOfHost(report),
        report.run.gpuModel);
    if (!report.ranks.empty() && !gap.empty())
        warnings.push_back(std::move(gap));
    return warnings;
}

text::Table operatorTable(const OperatorsReport& report) {
    text::Table all;
    all.columns = columnsOf(operatorRow(report, {}, {}, {}, isEnergyKnown(report)));
    all.columns.insert(all.columns.begin(), text::Column{"rank"});
    for (const OperatorsReport::OfRank& one : report.ranks) {
        auto table = rankTable(report, one, one.table.rows.size());
        for (auto& cells : table.rows) {
            cells.insert(cells.begin(), text::Cell(one.rank));
            all.add(std::move(cells));
        }
    }
    return all;
}

void printOperators(std::ostream& out, const OperatorsReport& report) {
    bool isFirst = true;
    for (const OperatorsReport::OfRank& one : report.ranks) {
        if (!std::exchange(isFirst, false))
            out << '\n';
        printTable(out, rankTable(report, one, kShownRows));
    }
}

Json operatorsJson(const OperatorsReport& report) {
    return object({{"run", report.run.name}, {"by", std::string(toString(report.by))},
        {"window", given(report.windowNote)},
        {"gpu", when(report.gpu != nullptr, report.gpu == nullptr ? "" : report.gpu->name)},
        {"mfu_by_formula", report.formulaMfu},
        {"ranks", listOf(report.ranks, [&](const OperatorsReport::OfRank& one) {
             const auto mfu = one.mfu.value_or(analysis::OperatorMfu());
             return object({{"rank", one.rank},
                 {"kernel_time_us", when(!one.isOfHost, microseconds(one.all.time))},
                 {"busy_us", when(!one.isOfHost, microseconds(one.all.busy))},
                 {"host_self_time_us", when(one.isOfHost, microseconds(one.all.time))},
                 {"matrix_flop", when(one.mfu.has_value(), mfu.flop)},
                 {"recomputed_flop", when(one.mfu.has_value(), mfu.recomputedFlop)},
                 {"mfu", mfu.mfu}, {"hfu", mfu.hfu},
                 {"known_time_fraction", when(one.mfu.has_value(), mfu.knownShare)},
                 {"iterations", iterationsJson(report, one)},
                 {"measured_bandwidth_gb_per_s",
                     one.bandwidth ? std::optional(one.bandwidth->bytesPerSecond / 1e9)
                                   : std::nullopt},
                 {"operators", rowsJson(one.table.rows, rowsOf(report, one))}});
         })}});
}

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
    ASSIGN_OR_RETURN(const auto report, operatorsReport(options, console, shownOn(console)));
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
    return show(console, options.json, operatorsJson, printOperators, report);
}

} // namespace

void addOperatorsCommand(CLI::App& app, CommandContext& context) {
    const auto [command, options] = addCommand<OperatorsOptions>(app, "operators",
        "Time, work and efficiency by operator and shape, module, annotation or pass",
        {"kernels#work"});
    addOption(*command, "--rank", options->rank, "Only this rank", "R");
    std::map<std::string, OperatorGrouping> groupings;
    for (const OperatorGrouping grouping : allValues<OperatorGrouping>())
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
    runs(*command, context, options, showOperators);
}

} // namespace trainscope::cli
