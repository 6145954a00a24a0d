#include "app/cli/commands/Answers.h"
#include "app/cli/commands/Command.h"
#include "app/cli/options/TraceOptions.h"
#include "app/cli/output/RunOutput.h"
#include "core/analysis/energy/EnergyByPhase.h"
#include "core/analysis/energy/OperatorEnergy.h"
#include "core/analysis/iterations/Iterations.h"
#include "core/analysis/operators/HostSelfTime.h"
#include "core/analysis/traces/DeviceActivity.h"
#include "core/analysis/traces/DeviceWalk.h"
#include "core/analysis/traces/EarlyWork.h"
#include "core/analysis/traces/Pipeline.h"
#include "core/analysis/traces/TraceBreakdown.h"
#include "core/analysis/traces/TraceSelection.h"
#include "core/analysis/traces/TraceWindow.h"
#include "core/report/RunTables.h"
#include "core/report/SelectionTables.h"

namespace trainscope::cli {

namespace {

struct KernelsReport {
    Run run;
    std::string windowText; // names the part behind the figures; empty: all of the trace
    std::vector<analysis::DeviceBreakdown> devices;
    std::vector<analysis::DeviceActivity> activities; // in the order of `devices`
    std::optional<analysis::Pipeline> pipeline;
    analysis::EnergyByPhase energy; // by kernel too
    std::optional<analysis::EarlyWork> early; // left out of the figures
};

using analysis::AttributedEnergy;
using analysis::CategoryTime;
using analysis::DeviceBreakdown;
using analysis::TimeBreakdown;
using report::shareOf;

constexpr std::size_t kTopKernels = 15;
constexpr std::size_t kTracedIterationsShown = 20;
constexpr std::size_t kNameWidth = 80;

// Null where there is none; likewise of the energy of its rank.
const analysis::DeviceActivity* activityOf(
    const KernelsReport& report, const DeviceBreakdown& device) {
    const auto found = std::find_if(report.activities.begin(), report.activities.end(),
        [&](const auto& one) { return one.rank == device.rank && one.device == device.device; });
    return found == report.activities.end() ? nullptr : &*found;
}
const AttributedEnergy* energyOf(const KernelsReport& report, const DeviceBreakdown& device) {
    const auto found = std::find_if(report.energy.gpus.begin(), report.energy.gpus.end(),
        [&](const auto& one) { return one.rank == device.rank; });
    return found == report.energy.gpus.end() ? nullptr : &found->energy;
}

Row countRow(const CategoryTime& time) {
    return {{"count", {"count"}, time.count}, {"time_us", {"time"}, time.time}};
}

// Times that every window has.
Row timesRow(const TimeBreakdown& times) {
    return {{"window_us", {"time"}, times.traced}, {"kernel_count", times.kernelCount},
        {"kernel_time_us", times.kernelTime}, {"busy_us", times.busy},
        {"compute_us", {"compute"}, times.compute},
        {"communication_us", {"communication"}, times.communication},
        {"exposed_communication_us", {"exposed"}, times.exposedCommunication},
        {"overlap_us", {"overlap"}, times.overlap}, {"copy_us", {"copy"}, times.copy},
        {"idle_us", {"idle"}, times.idle}, {"copies", rowJson(countRow(times.copies))},
        {"memsets", rowJson(countRow(times.sets))},
        {"categories", objectOf(times.categories, [](const auto& one) {
             return Member(one.first, rowJson(countRow(one.second)));
         })}};
}

// Its energy where that of the rank is known.
Row categoryRow(const DeviceBreakdown& device, const AttributedEnergy* energy,
    const std::pair<std::string, CategoryTime>& one) {
    const auto& [category, time] = one;
    Row row = countRow(time);
    row.insert(row.begin(), {"", {"category", Left}, analysis::KernelCategories::label(category)});
    row.push_back({"", inUnit("of kernel time", "%"), shareOf(time.time, device.kernelTime)});
    if (energy == nullptr)
        return row;
    const auto found = energy->categories.find(category);
    return joined(std::move(row),
        energyRow(found == energy->categories.end() ? analysis::PartEnergy() : found->second));
}

Row kernelRow(const DeviceBreakdown& device, const AttributedEnergy* energy,
    const analysis::KernelRow& kernel) {
    Row row{{"count", {"count"}, kernel.count}, {"time_us", {"time"}, kernel.time},
        {"", inUnit("of kernel time", "%"), shareOf(kernel.time, device.kernelTime)}};
    if (energy != nullptr)
        row = joined(
            std::move(row), energyRow(analysis::energyOfName(energy->kernels, kernel.name).energy));
    return joined(std::move(row),
        {{"name", kernel.name, {"kernel", Left}, text::elided(kernel.name, kNameWidth)},
            {"category", kernel.category}});
}

void addPhases(Json& json, const analysis::WindowPhases& phases) {
    json["phases"] = objectOf(analysis::kAllPhases, [&](analysis::Phase phase) {
        return Member(std::string(toString(phase)) + "_us", phases.time[phase]);
    });
}

void addBubble(Json& json, const analysis::WindowPhases& phases) {
    add(json,
        {{"bubble_us", phases.waiting()},
            {"bubble_fraction", shareOf(phases.waiting(), phases.traced)}});
}

Json evidenceJson(const analysis::MarkEvidence& evidence) {
    return {{"launch", evidence.launches}, {"stream_annotation", evidence.streamAnnotations},
        {"host_annotation", evidence.hostAnnotations}, {"kernel_name", evidence.names},
        {"none", evidence.none}, {"none_counts_as", std::string(toString(evidence.unmarked()))}};
}

std::optional<Json> delayJson(const std::optional<analysis::DelayStatistics>& delay) {
    if (!delay)
        return std::nullopt;
    return Json{{"mean", delay->meanNs / 1e3}, {"median", delay->medianNs / 1e3},
        {"p99", delay->p99Ns / 1e3}, {"max", static_cast<double>(delay->maxNs) / 1e3}};
}

Json launchJson(const analysis::LaunchStatistics& launches, DurationNs window) {
    Json json{{"joined", launches.joined}, {"unjoined", launches.unjoined},
        {"before_call", launches.early}};
    if (launches.joined == 0)
        return json;
    add(json,
        {{"delay_us", delayJson(launches.delay)},
            {"delay_after_return_us", delayJson(launches.afterReturn)},
            {"host_bound_us", launches.hostBound},
            {"host_bound_fraction", shareOf(launches.hostBound, window)},
            {"queues", listOf(launches.queues, [](const auto& queue) {
                 return Json{{"stream", queue.stream}, {"mean_depth", queue.meanDepth},
                     {"max_depth", queue.maxDepth}};
             })}});
    return json;
}

Json copiesJson(const analysis::CopyStatistics& kinds) {
    return objectOf(kinds, [](const auto& one) {
        const auto& [name, kind] = one;
        return Member(name,
            object({{"count", kind.count}, {"time_us", kind.time},
                {"bytes", when(kind.withBytes > 0, kind.bytes)},
                {"bandwidth_b_per_s", kind.bandwidth()}}));
    });
}

Row tracedIterationRow(const analysis::IterationBreakdown& iteration) {
    Row row
        = joined({{"index", {"iteration"}, iteration.index}, {"start_ns", iteration.window.begin}},
            timesRow(iteration));
    row.push_back({"warmup", iteration.warmup, {"", Left}, iteration.warmup ? "warm-up" : ""});
    return row;
}

void addActivity(Json& json, const analysis::DeviceActivity& activity, bool hasPipeline) {
    json["copies"]["kinds"] = copiesJson(activity.copies);
    addPhases(json, activity.phases);
    json["phase_evidence"] = evidenceJson(activity.evidence);
    json["launch"] = launchJson(activity.launches, activity.phases.traced);
    if (hasPipeline)
        addBubble(json, activity.phases);
}

Json deviceJson(const KernelsReport& report, const analysis::DeviceBreakdown& device) {
    Json json{{"rank", device.rank}, {"device", device.device}};
    add(json, timesRow(device));
    const analysis::DeviceActivity* const activity = activityOf(report, device);
    const bool hasPipeline = report.pipeline.has_value();
    if (activity != nullptr)
        addActivity(json, *activity, hasPipeline);
    const AttributedEnergy* const energy = energyOf(report, device);
    json["kernels"] = rowsJson(device.kernels,
        [&, energy](const auto& kernel) { return kernelRow(device, energy, kernel); });
    if (energy != nullptr) {
        add(json, energyRow(energy->total));
        for (const auto& one : device.categories)
            add(json["categories"][one.first], categoryRow(device, energy, one));
        add(json["copies"], energyRow(energy->phases[analysis::Phase::Copy]));
    }
    json["iterations"] = rowsJson(device.iterations, tracedIterationRow);
    const std::size_t told = activity == nullptr ? 0 : activity->iterations.size();
    for (std::size_t i = 0; i < std::min(told, device.iterations.size()); ++i) {
        addPhases(json["iterations"][i], activity->iterations[i]);
        if (hasPipeline)
            addBubble(json["iterations"][i], activity->iterations[i]);
    }
    return json;
}

DurationNs wholeNs(double ns) {
    return {static_cast<std::int64_t>(std::llround(ns))};
}

Row pipelineStageRow(const analysis::StageTimes& stage) {
    const auto time = [](std::string_view key, std::string title, double ns) {
        return Quantity(key, ns / 1e3, {std::move(title)}, wholeNs(ns));
    };
    return {{"stage", {"stage"}, stage.stage},
        {"ranks", stage.ranks, {"ranks traced"}, stage.ranks.size()},
        {"window_us", stage.windowNs / 1e3}, time("compute_us", "compute", stage.computeNs),
        time("exposed_communication_us", "exposed communication", stage.exposedNs),
        time("copy_us", "copy", stage.copyNs), time("idle_us", "idle", stage.idleNs),
        time("bubble_us", "bubbles", stage.bubbleNs),
        {"bubble_fraction", inUnit("of time", "%"), stage.bubbleFraction()}};
}

Json pipelineJson(const analysis::Pipeline& pipeline) {
    return object({{"stage_count", pipeline.stageCount}, {"origin", pipeline.origin},
        {"basis", pipeline.isOfIterations ? "iterations" : "trace"},
        {"bubble_fraction", pipeline.bubbleFraction},
        {"ideal_bubble_fraction", pipeline.idealBubbleFraction},
        {"microbatches", pipeline.microbatches}, {"virtual_stages", pipeline.virtualStages},
        {"stages", rowsJson(pipeline.stages, pipelineStageRow)}});
}

void printPhases(const analysis::WindowPhases& phases, std::ostream& out) {
    text::Table table;
    for (const analysis::Phase phase : analysis::kAllPhases) {
        if (phases.time[phase].ns > 0)
            addRow(table,
                {{"", {"phase", Left}, analysis::phaseTitle(phase)},
                    {"", {"time"}, phases.time[phase]},
                    {"", inUnit("of traced time", "%"),
                        shareOf(phases.time[phase], phases.traced)}});
    }
    printBelow(out, table);
}

void printLaunches(
    const analysis::LaunchStatistics& launches, DurationNs window, std::ostream& out) {
    if (!launches.delay)
        return;
    out << "\n  launched " << launches.joined << " of "
        << text::counted(launches.joined + launches.unjoined, "kernel") << ": delay median "
        << text::alignedDuration(wholeNs(launches.delay->medianNs)) << ", p99 "
        << text::alignedDuration(wholeNs(launches.delay->p99Ns)) << ", max "
        << text::alignedDuration({launches.delay->maxNs}) << "\n  waited for the host "
        << text::alignedDuration(launches.hostBound) << " ("
        << text::alignedPercent(shareOf(launches.hostBound, window)) << ")\n";
    for (const auto& queue : launches.queues) {
        out << fmt::format("  queue of stream {}: {:.3g} deep on average, at most {}\n",
            queue.stream, queue.meanDepth, queue.maxDepth);
    }
}

void printCopies(const analysis::CopyStatistics& copies, std::ostream& out) {
    for (const auto& [name, kind] : copies) {
        out << "  copies " << name << ": " << kind.count << ", "
            << text::alignedDuration(kind.time);
        if (kind.withBytes > 0)
            out << ", " << text::aligned(static_cast<double>(kind.bytes), "B");
        if (const auto bandwidth = kind.bandwidth())
            out << " at " << text::aligned(*bandwidth, "B/s");
        out << '\n';
    }
}

std::vector<std::pair<std::string, CategoryTime>> byTime(const DeviceBreakdown& device) {
    std::vector<std::pair<std::string, CategoryTime>> all(
        device.categories.begin(), device.categories.end());
    std::stable_sort(all.begin(), all.end(),
        [](const auto& a, const auto& b) { return a.second.time > b.second.time; });
    return all;
}

void printDevice(const KernelsReport& report, const DeviceBreakdown& device, std::ostream& out) {
    const DurationNs window = device.traced;
    out << "rank " << device.rank << ", device " << device.device << ": "
        << text::counted(device.kernelCount, "kernel") << ", "
        << text::alignedDuration(device.kernelTime) << " in all, in a window of "
        << text::alignedDuration(window) << '\n';
    printTable(out, tableOf(report::kTracedTimes, [&device, window](const auto& one) -> Row {
        return {{"", {"", Left}, one.title}, {"", {"time"}, device.*one.time},
            {"", inUnit("of traced time", "%"), shareOf(device.*one.time, window)}};
    }));
    out << "  summed: " << text::counted(device.copies.count, "copy", "copies") << ", "
        << text::alignedDuration(device.copies.time) << "; "
        << text::counted(device.sets.count, "memset") << ", "
        << text::alignedDuration(device.sets.time) << '\n';
    if (const auto* activity = activityOf(report, device); activity != nullptr) {
        printCopies(activity->copies, out);
        printPhases(activity->phases, out);
        printLaunches(activity->launches, activity->phases.traced, out);
    }
    const AttributedEnergy* const energy = energyOf(report, device);
    const auto rowIn = [&](const auto& rowOf) {
        return [&](const auto& one) { return rowOf(device, energy, one); };
    };
    printBelow(out, tableOf(byTime(device), rowIn(categoryRow)));
    printBelow(out, tableOf(device.kernels, rowIn(kernelRow), kTopKernels, "more kernel"));
    printBelow(out,
        tableOf(device.iterations, tracedIterationRow, kTracedIterationsShown, "more iteration"));
}

void printPipeline(const analysis::Pipeline& pipeline, std::ostream& out) {
    out << fmt::format("pipeline of {}: bubbles {} of the {}",
        text::counted(pipeline.stageCount, "stage"), text::percent(pipeline.bubbleFraction),
        pipeline.isOfIterations ? "iterations" : "time from the first kernel to the last");
    if (pipeline.idealBubbleFraction) {
        out << fmt::format(", ideally {} ({}", text::percent(*pipeline.idealBubbleFraction),
            text::counted(*pipeline.microbatches, "micro-batch", "micro-batches"));
        if (pipeline.virtualStages > 1)
            out << ", " << text::counted(pipeline.virtualStages, "virtual stage");
        out << ')';
    }
    out << '\n';
    printTable(out, tableOf(pipeline.stages, pipelineStageRow));
    out << '\n';
}

Json kernelsJson(const KernelsReport& report) {
    Json json = object({{"run", report.run.name}, {"window", given(report.windowText)}});
    if (report.early)
        json["early_work"]
            = object({{"kernels", report.early->kernels}, {"copies", report.early->copies},
                {"kernel_time_s", report.early->time}, {"before_s", report.early->gap}});
    json["ranks"]
        = listOf(report.devices, [&](const auto& device) { return deviceJson(report, device); });
    if (report.pipeline)
        json["pipeline"] = pipelineJson(*report.pipeline);
    return json;
}

void printKernels(std::ostream& out, const KernelsReport& report) {
    if (!report.windowText.empty())
        out << report.windowText << "\n\n";
    if (report.devices.size() > 1) {
        printTable(out, titled("Ranks", tableOf(report.devices, [](const DeviceBreakdown& one) {
            return joined({{"", {"rank"}, one.rank}, {"", {"device"}, one.device}}, timesRow(one));
        })));
        out << '\n';
        if (text::compactRows(out) > 0) {
            out << "Say `rank` for the categories and kernels of one.\n";
            return;
        }
    }
    if (report.pipeline)
        printPipeline(*report.pipeline, out);
    for (std::size_t i = 0; i < report.devices.size(); ++i) {
        out << (i == 0 ? "" : "\n");
        printDevice(report, report.devices[i], out);
    }
}

using analysis::KernelCategories;

struct KernelsOptions : OneRunOptions {
    std::string categories;
    std::optional<int> rank; // absent: all
    std::optional<std::int64_t> iteration;
    bool steady = false;
    WindowOptions window;
    bool selection = false;
    bool csv = false;
    bool aboveLimit = false;
    std::string by = "energy";
};

Status compute(const analysis::RunStudy& study, const analysis::IterationChoice& choice,
    const analysis::RankWindow& windowOf, const KernelCategories& categories,
    KernelsReport& report) {
    analysis::EnergyOptions options;
    options.windowOf = windowOf;
    options.iterations = choice;
    options.byKernel = true;
    ASSIGN_OR_RETURN(auto read, analysis::tracesWithEnergy(study, categories, options));
    for (analysis::DeviceTrace& device : read.devices) {
        report.devices.push_back(std::move(device.breakdown));
        report.activities.push_back(std::move(device.activity));
    }
    report.energy = std::move(read.energy);
    ASSIGN_OR_RETURN(const auto stages, analysis::stagesOf(study));
    if (stages)
        report.pipeline = analysis::pipelineOf(*stages, report.activities);
    return {};
}

Result<KernelsReport> computeReport(
    const analysis::RunStudy& study, const KernelsOptions& options) {
    ASSIGN_OR_RETURN(const auto categories, chosenCategories(options.categories));
    ASSIGN_OR_RETURN(const auto iterations, analysis::iterationsOf(study));
    KernelsReport report{study.run, {}, {}, {}, {}, {}, {}};
    analysis::SteadyTraces shown; // all of them
    if (options.steady) {
        ASSIGN_OR_RETURN(shown, analysis::steadyTraces(study));
        report.windowText = shown.wording;
    }
    if (options.window.isGiven()) {
        ASSIGN_OR_RETURN(const auto windows,
            givenWindows(options.window, study.store, study.run, study.progress));
        shown.windowOf = [windows](int rank) { return windows.of(rank); };
        report.windowText = windows.wording(study.run);
    }
    const bool isWhole = !options.steady && !options.window.isGiven() && !options.iteration;
    if (isWhole) {
        ASSIGN_OR_RETURN(report.early, analysis::earlyWork(study));
    }
    if (report.early)
        report.windowText = analysis::earlyWorkText(*report.early);
    RETURN_IF_ERROR(compute(
        study, {iterations.everyOne(), options.iteration}, shown.windowOf, categories, report));
    if (options.rank) {
        std::erase_if(report.devices, [&](const auto& one) { return one.rank != *options.rank; });
        if (report.devices.empty())
            return Error{ErrorCode::NotFound,
                fmt::format("Rank {} has no kernels there.", *options.rank), study.run.name};
    }
    if (!options.iteration)
        return report;
    report.windowText = fmt::format("iteration {}", *options.iteration);
    if (report.devices.empty())
        return Error{ErrorCode::NotFound,
            fmt::format("There is no traced iteration {}; kernels without --iteration lists those "
                        "there are.",
                *options.iteration),
            study.run.name};
    return report;
}

Outcome printBreakdown(const KernelsOptions& options, const Console& console,
    const store::Store& store, const Run& run) {
    ASSIGN_OR_RETURN(const auto report, computeReport({store, run, shownOn(console)}, options));
    if (report.devices.empty()) {
        ASSIGN_OR_RETURN(const auto host, analysis::hostSelfTime({store, run}));
        console.warn(host ? "The run '" + run.name
                    + "' has no kernels: only its host was traced. operators tells the self time "
                      "of its calls."
                          : "The run '" + run.name
                    + "' has no kernels; import its Kineto traces to see some.");
    }
    return show(console, options.json, kernelsJson, printKernels, report);
}

// Prints the sums that the window shows of a selection.
Outcome printSelection(const KernelsOptions& options, const Console& console) {
    const Progress progress = shownOn(console);
    ASSIGN_OR_RETURN(const auto categories, chosenCategories(options.categories));
    RETURN_IF_ERROR(keepMissingSums(options, NeededSums::All, console, progress));
    ASSIGN_OR_RETURN(const auto store, openDatabase(options.database));
    ASSIGN_OR_RETURN(const auto run, selectRunOrOnly(store, options.run));
    ASSIGN_OR_RETURN(const auto windows, givenWindows(options.window, store, run, progress));
    ASSIGN_OR_RETURN(const auto selection,
        analysis::selectionOf(
            {store, run, progress}, [&windows](int rank) { return windows.of(rank); }, categories));
    if (const std::string note = windows.note(); !note.empty())
        console.err() << note << '\n';
    bool isFirst = true;
    for (const text::Table& table : report::selectionTables({&selection, 1})) {
        if (!std::exchange(isFirst, false))
            console.out() << '\n';
        if (options.csv)
            console.out() << text::csv(table);
        else
            printTable(console.out(), table);
    }
    return ExitStatus::Done;
}

// The kernels that ran while power was above its limit.
Outcome printAbove(const KernelsOptions& options, const Console& console, const store::Store& store,
    const Run& run) {
    const Progress progress = shownOn(console);
    ASSIGN_OR_RETURN(const auto categories, chosenCategories(options.categories));
    TimeRange window = kAllTime;
    if (options.window.isGiven()) {
        ASSIGN_OR_RETURN(const auto windows, givenWindows(options.window, store, run, progress));
        window = windows.window;
    }
    ASSIGN_OR_RETURN(const auto devices,
        analysis::kernelsAboveLimit({store, run, progress}, categories, window));
    if (devices.empty())
        console.warn("The run '" + run.name
            + "' has no GPU of which power, its limit and kernels are known.");
    const auto by = options.by == "time" ? report::RankedBy::Time : report::RankedBy::Energy;
    return show(console, options.json, aboveLimitJson, printAboveLimit, run, devices, by);
}

Outcome printFigures(const KernelsOptions& options, const Console& console) {
    if (options.selection)
        return printSelection(options, console);
    ASSIGN_OR_RETURN(const auto store, openDatabase(options.database));
    ASSIGN_OR_RETURN(const auto run, selectRunOrOnly(store, options.run));
    return options.aboveLimit ? printAbove(options, console, store, run)
                              : printBreakdown(options, console, store, run);
}

} // namespace

Result<Json> kernelsAnswer(const analysis::RunStudies& studies, const Run& run) {
    ASSIGN_OR_RETURN(const auto report, computeReport(studies.of(run), {}));
    return kernelsJson(report);
}

void addKernelsCommand(CLI::App& app, CommandContext& context) {
    const auto [command, options] = addCommand<KernelsOptions>(app, "kernels",
        "Kernels, categories, and busy, overlapped and idle time per rank",
        {"numbers#traces", "numbers#kernel-time", "numbers#compute-and-communication"});
    addOption(*command, "--rank", options->rank, "Only this rank", "R");
    addCategories(*command, options->categories);
    addOption(*command, "--iteration", options->iteration, "Only this iteration of each rank", "K");
    command
        ->add_flag("--steady", options->steady,
            "Leave out warm-up iterations and those before the temperatures settled")
        ->excludes("--iteration");
    addWindow(*command, options->window);
    for (const char* name : {"--from", "--to", "--capture"})
        command->get_option(name)->excludes("--iteration")->excludes("--steady");
    auto* selection = command->add_flag("--selection", options->selection,
        "The tables that the window shows of a selection: kernels, collectives with their waits, "
        "launches and host operators; at once for traces of any length");
    selection->excludes("--iteration")->excludes("--steady");
    command->add_flag("--csv", options->csv, "Print these tables as CSV")->needs(selection);
    auto* above = command->add_flag("--above-limit", options->aboveLimit,
        "Kernels that ran while the power of the GPUs was above its limit, with the joules drawn "
        "then");
    above->excludes("--iteration")->excludes("--steady")->excludes(selection);
    addOption(*command, "--by", options->by, "With --above-limit: rank by energy or time", "ORDER")
        ->check(CLI::IsMember({"energy", "time"}))
        ->needs(above);
    addJson(*command, options->json, "Print one JSON object with all kernels");
    selection->excludes("--json");
    runs(*command, context, options, printFigures);
}

} // namespace trainscope::cli
