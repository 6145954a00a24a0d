#include "core/analysis/overview/Overview.h"

#include "core/analysis/findings/Rules.h"
#include "core/analysis/iterations/Iterations.h"
#include "core/analysis/traces/DeviceActivity.h"
#include "core/analysis/traces/KernelCategory.h"
#include "core/catalogue/GpuGuess.h"
#include "core/catalogue/GpuModel.h"
#include "core/model/AsciiText.h"
#include "core/model/Metric.h"
#include "core/model/Try.h"
#include "core/text/Names.h"
#include "core/text/Numbers.h"
#include "core/text/RunState.h"
#include "core/text/Times.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace trainscope::analysis {

namespace {

// Names of sources in a line, by the importer that read them.
struct SourceName {
    std::string_view importer;
    const char* one;
    const char* many;
};
constexpr std::array kSourceNames{
    SourceName{"kineto", "trace", "traces"},
    SourceName{"operations", "trace of operations", "traces of operations"},
    SourceName{"nsys", "Nsight report", "Nsight reports"},
    SourceName{"nsysstats", "Nsight table", "Nsight tables"},
    SourceName{"rocprof", "rocprof trace", "rocprof traces"},
    SourceName{"charllm", "result tree", "result trees"},
    SourceName{"exported", "recording", "recordings"},
    SourceName{"record", "recording", "recordings"},
    SourceName{"meters", "table of telemetry", "tables of telemetry"},
    SourceName{"power", "table of node power", "tables of node power"},
    SourceName{"nvsmi", "nvidia-smi log", "nvidia-smi logs"},
    SourceName{"replay", "replayed step", "replayed steps"},
    SourceName{"exectrace", "execution trace", "execution traces"},
    SourceName{"flightrecorder", "flight recorder dump", "flight recorder dumps"},
    SourceName{"memorysnapshot", "memory snapshot", "memory snapshots"},
    SourceName{"nccl-inspector", "NCCL inspector log", "NCCL inspector logs"},
    SourceName{"nccl", "NCCL log", "NCCL logs"},
    SourceName{"trainlog", "training log", "training logs"},
    SourceName{"topology", "node topology", "node topologies"},
};

std::string_view importerOf(std::string_view id) {
    return id.substr(0, id.find(' '));
}

// "4 traces, 2 nvidia-smi logs and 1 recording"
std::string sourcesText(const std::vector<std::string>& importers) {
    std::vector<std::string> parts;
    std::int64_t others = std::ssize(importers);
    for (const SourceName& name : kSourceNames) {
        const auto count = std::count_if(importers.begin(), importers.end(),
            [&name](const std::string& id) { return importerOf(id) == name.importer; });
        others -= count;
        if (count > 0)
            parts.push_back(text::counted(count, name.one, name.many));
    }
    if (others > 0)
        parts.push_back(text::counted(others, parts.empty() ? "source" : "other source"));
    return text::joined(parts);
}

// Iterations that are not warm-up, else all.
Result<std::optional<Spread>> stepSpread(const RunStudy& study) {
    ASSIGN_OR_RETURN(const auto iterations, iterationsOf(study));
    std::vector<double> seconds;
    for (const bool withWarmup : {false, true}) {
        for (const Iteration& one : iterations.iterations) {
            if (withWarmup || !one.warmup)
                seconds.push_back(one.range.length().seconds());
        }
        if (!seconds.empty())
            break;
    }
    return spreadOf(seconds);
}

// The same model, or where none is known, names that differ in their numbers alone.
bool areOfOneJob(const Run& one, const Run& other) {
    if (one.launch.model || other.launch.model)
        return one.launch.model == other.launch.model;
    std::string names[]{one.name, other.name};
    for (std::string& name : names)
        std::erase_if(name, isDigit);
    return names[0] == names[1];
}

Result<std::optional<RunBefore>> changeOf(const RunStudies& studies, const RunStudy& study) {
    ASSIGN_OR_RETURN(const auto runs, studies.store.runs());
    const Run* other = runBefore(runs, study.run);
    if (other == nullptr)
        return std::optional<RunBefore>();
    const RunStudy& before = studies.of(*other);
    RunBefore change{other->name, {}, {}, {}, {}, {}};
    ASSIGN_OR_RETURN(change.steps, stepSpread(study));
    ASSIGN_OR_RETURN(change.stepsBefore, stepSpread(before));
    ASSIGN_OR_RETURN(const auto now, timeEfficiencyOf(study));
    ASSIGN_OR_RETURN(const auto then, timeEfficiencyOf(before));
    change.stepTimeS = now.stepTimeS;
    change.stepTimeBeforeS = then.stepTimeS;
    if (!change.stepTimeS || !change.stepTimeBeforeS) {
        ASSIGN_OR_RETURN(
            const auto power, summarise(before, SummaryScope{kAllTime, {metric::kGpuPower}}));
        if (const auto found = power.metrics.find(metric::kGpuPower); found != power.metrics.end())
            change.meanPowerBeforeW = found->second.all.mean;
    }
    return std::optional(std::move(change));
}

Status addSources(const RunStudy& study, OverviewInputs& inputs) {
    ASSIGN_OR_RETURN(const auto sources, study.store.sources());
    for (const store::Source& source : sources) {
        if (std::find(source.runs.begin(), source.runs.end(), study.run.id) == source.runs.end())
            continue;
        inputs.sources.push_back(source.report.importer);
        inputs.hasFlightRecords
            = inputs.hasFlightRecords || importerOf(source.report.importer) == "flightrecorder";
    }
    return {};
}

} // namespace

const Run* runBefore(const std::vector<Run>& runs, const Run& run) {
    const Run* found = nullptr;
    for (const Run& other : runs) {
        const bool isAlike = other.id != run.id && other.kind == run.kind
            && other.simulated == run.simulated && other.gpuModel == run.gpuModel
            && other.gpuCount == run.gpuCount && areOfOneJob(other, run);
        const bool isBefore = !other.range.isEmpty() && other.range.begin < run.range.begin;
        if (isAlike && isBefore && (found == nullptr || found->range.begin < other.range.begin))
            found = &other;
    }
    return found;
}

TimeOfWork timeOfWork(std::span<const DeviceTrace> devices) {
    TimeOfWork work;
    for (const DeviceTrace& device : devices) {
        const WindowPhases& all = device.activity.phases;
        if (all.traced.seconds() <= 0.0)
            continue;
        if (work.devices++ == 0)
            work.window = all.window;
        work.tracedS += all.traced.seconds();
        work.idleS += all.time[Phase::Idle].seconds();
        work.copyS += all.time[Phase::Copy].seconds();
        work.exposedS += all.time[Phase::CommunicationExposed].seconds();
        for (const auto& [category, seconds] : device.activity.shares.seconds())
            work.categoriesS[category] += seconds;
    }
    work.busyS = work.tracedS - work.idleS;
    return work;
}

int overviewGpus(const OverviewInputs& inputs) {
    const RunFacts& facts = inputs.facts;
    return std::max({facts.run.gpuCount, facts.run.worldSize,
        static_cast<int>(facts.whole.gpus.size()), inputs.work.devices});
}

std::string overviewLine(const OverviewInputs& inputs) {
    const Run& run = inputs.facts.run;
    std::string line;
    const auto add = [&line](const std::string& part) {
        if (!part.empty())
            line += (line.empty() ? "" : " · ") + part;
    };
    add(run.launch.model.value_or(""));
    const int gpus = std::max(
        {run.gpuCount, static_cast<int>(inputs.facts.whole.gpus.size()), inputs.work.devices});
    if (gpus > 0 || !run.gpuModel.empty())
        add(catalogue::gpusText(gpus, run.gpuModel));
    if (run.nodeCount > 1)
        add(text::counted(run.nodeCount, "node"));
    if (!run.range.isEmpty()) {
        if (text::isDated(run.range.begin))
            add(fmt::format(
                "{} {} UTC", text::date(run.range.begin, 0), text::clock(run.range.begin, 0, 0)));
        add(text::seconds(text::runLength(run).seconds()));
    }
    if (run.kind == RunKind::Predicted)
        add("predicted");
    else if (run.simulated)
        add("simulated");
    add(sourcesText(inputs.sources));
    return line;
}

Overview overviewFrom(const OverviewInputs& inputs) {
    Overview overview;
    overview.run = inputs.facts.run;
    overview.line = overviewLine(inputs);
    overview.hasTrace = inputs.work.devices > 0 || inputs.host;
    for (const auto tell : {&timeSentence, &pathSentence, &energySentence, &heatSentence,
             &limitSentence, &ranksSentence, &changeSentence}) {
        if (auto told = tell(inputs))
            overview.sentences.push_back(*std::move(told));
    }
    while (overview.sentences.size() > kMostTold) {
        const auto least = std::min_element(overview.sentences.begin(), overview.sentences.end(),
            [](const auto& a, const auto& b) { return a.weight < b.weight; });
        overview.sentences.erase(least);
    }
    overview.checks = checksOf(inputs);
    return overview;
}

Result<std::optional<Overview>> firstSentences(
    const RunStudies& studies, const Run& run, std::int64_t few) {
    const RunStudy& study = studies.of(run);
    ASSIGN_OR_RETURN(const auto series, study.store.series(run.id));
    ASSIGN_OR_RETURN(const auto tracks, study.store.tracks(run.id));
    std::int64_t samples = 0;
    for (const Series& one : series)
        samples += one.count;
    if (!tracks.empty() || samples <= few)
        return std::optional<Overview>();
    OverviewInputs inputs;
    inputs.facts.run = study.run;
    const SummaryScope scope{kAllTime,
        {metric::kGpuPower, metric::kGpuEnergy, metric::kNodePower, metric::kGpuUtilization}};
    ASSIGN_OR_RETURN(inputs.facts.whole, summarise(study, scope));
    RETURN_IF_ERROR(addSources(study, inputs));
    Overview overview = overviewFrom(inputs);
    overview.checks = {};
    overview.isPartial = true;
    return std::optional(std::move(overview));
}

Result<Overview> overviewOf(const RunStudies& studies, const Run& run) {
    const RunStudy& study = studies.of(run);
    OverviewInputs inputs;
    ASSIGN_OR_RETURN(inputs.facts, factsOf(study));
    ASSIGN_OR_RETURN(auto traced, allTraced(study));
    inputs.work = timeOfWork(traced.devices);
    if (inputs.work.devices > 0) {
        inputs.energy = std::move(traced.energy);
    } else {
        ASSIGN_OR_RETURN(inputs.host, hostSelfTime(study));
    }
    ASSIGN_OR_RETURN(inputs.before, changeOf(studies, study));
    RETURN_IF_ERROR(addSources(study, inputs));
    return overviewFrom(inputs);
}

} // namespace trainscope::analysis
