#include "core/analysis/overview/Overview.h"

#include "core/analysis/StudyPass.h"
#include "core/analysis/comparison/RunMeasures.h"
#include "core/analysis/comparison/Speed.h"
#include "core/analysis/findings/Rules.h"
#include "core/analysis/iterations/Iterations.h"
#include "core/analysis/statistics/SampleWalk.h"
#include "core/analysis/statistics/SeriesSelection.h"
#include "core/analysis/traces/CaptureIterations.h"
#include "core/analysis/traces/DeviceActivity.h"
#include "core/analysis/traces/KernelCategory.h"
#include "core/catalogue/GpuGuess.h"
#include "core/catalogue/GpuModel.h"
#include "core/model/AsciiText.h"
#include "core/text/Names.h"
#include "core/text/RunState.h"

#include <fmt/format.h>

namespace trainscope::analysis {

namespace {

constexpr const char* kLooking = "Looking at power";

struct PowerAndUse {
    Series power;
    std::optional<SeriesId> use; // utilisation
    double middle = 0.0; // W, in its place
};

Result<SubjectWork> workAndRestIn(
    const store::Store& store, const PowerAndUse& part, const Progress& progress) {
    SubjectWork made{subjectText(part.power.description.subject), {}, {}};
    std::optional<SampleWalk> use;
    if (part.use)
        use.emplace(store, *part.use, kAllTime.begin);
    SampleCursor cursor(store, part.power.id, kAllTime, [&progress] {
        return progress({kLooking, 0, 0});
    });
    RETURN_IF_ERROR(cursor.start());
    while (!cursor.atEnd()) {
        const TimeNs begin = cursor.time();
        const double watts = cursor.value();
        RETURN_IF_ERROR(cursor.next());
        if (cursor.atEnd() || std::isnan(watts))
            continue;
        double share = watts > part.middle ? 1.0 : 0.0;
        if (use)
            RETURN_IF_ERROR(assign(use->heldAt(begin), share));
        if (!std::isnan(share))
            (share < kRestUtilization ? made.rest : made.work).add(watts, cursor.time() - begin);
    }
    return made;
}

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
    SourceName{"nsys-stats", "Nsight table", "Nsight tables"},
    SourceName{"rocprof", "rocprof trace", "rocprof traces"},
    SourceName{"perfetto", "Perfetto trace", "Perfetto traces"},
    SourceName{"xplane", "XLA profile", "XLA profiles"},
    SourceName{"wandb", "W&B run", "W&B runs"},
    SourceName{"tensorboard", "TensorBoard run", "TensorBoard runs"},
    SourceName{"mlflow", "MLflow run", "MLflow runs"},
    SourceName{"charllm", "result tree", "result trees"},
    SourceName{"exported", "recording", "recordings"},
    SourceName{"record", "recording", "recordings"},
    SourceName{"meters", "table of telemetry", "tables of telemetry"},
    SourceName{"power", "table of node power", "tables of node power"},
    SourceName{"nvsmi", "nvidia-smi log", "nvidia-smi logs"},
    SourceName{"replay", "replayed step", "replayed steps"},
    SourceName{"exectrace", "execution trace", "execution traces"},
    SourceName{"flightrecorder", "flight recorder dump", "flight recorder dumps"},
    SourceName{"memory-snapshot", "memory snapshot", "memory snapshots"},
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
    ASSIGN_OR_RETURN(const auto steps, stepSpread(study));
    ASSIGN_OR_RETURN(const auto stepsBefore, stepSpread(before));
    ASSIGN_OR_RETURN(const auto now, timeEfficiencyOf(study));
    ASSIGN_OR_RETURN(const auto then, timeEfficiencyOf(before));
    if (!steps || !stepsBefore || !now.stepTimeS || !then.stepTimeS)
        return std::optional<RunBefore>();
    return std::optional(
        RunBefore{other->name, *stepsBefore, *steps, *then.stepTimeS, *now.stepTimeS});
}

// Each capture measured as a comparison measures it: the first, and the one that differs most.
Result<std::optional<CaptureChange>> captureChange(const RunStudy& study) {
    constexpr std::size_t mostMeasured = 8; // each is another pass over its traces
    ASSIGN_OR_RETURN(auto captures, study.store.captures(study.run.id));
    const auto parts = partsByCapture(std::move(captures));
    std::optional<CaptureChange> change;
    std::optional<RunMeasures> first;
    double most = 0.0;
    for (std::size_t i = 0; i < parts.size() && parts.size() <= mostMeasured; ++i) {
        ASSIGN_OR_RETURN(auto measured, measuresOf(study, {false, parts[i].name}));
        const auto step = measured.value("step_time_s");
        if (!step)
            continue;
        if (!first) {
            first = std::move(measured);
            change.emplace();
        } else if (const double apart = std::abs(std::log(*step / change->stepsS[0].value));
                   apart >= most) {
            most = apart;
            change->headline = speedOf(*first, measured).headline;
        }
        change->stepsS.push_back({{}, parts[i].name, *step});
    }
    return change && change->headline.empty() ? std::nullopt : std::move(change);
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

double SubjectWork::workShare() const {
    const double seconds = work.length().seconds() + rest.length().seconds();
    return seconds > 0.0 ? work.length().seconds() / seconds : 0.0;
}

SubjectWork WorkAndRest::together() const {
    SubjectWork all;
    for (const SubjectWork& one : subjects) {
        all.work.add(one.work);
        all.rest.add(one.rest);
    }
    return all;
}

Result<std::optional<WorkAndRest>> workAndRestOf(const RunStudy& study) {
    ASSIGN_OR_RETURN(const auto series, study.store.series(study.run.id));
    const auto gpus = gpuSeriesByRank(series);
    auto power = gpuSeriesOf(gpus, metric::kGpuPower);
    WorkAndRest told;
    told.isOfNodes = power.empty();
    if (told.isOfNodes)
        power = seriesByMetric(series)[metric::kNodePower];
    std::vector<PowerAndUse> parts;
    double least = INFINITY;
    double most = -INFINITY;
    for (const Series& one : power) {
        PowerAndUse& part = parts.emplace_back(PowerAndUse{one, {}});
        if (const auto gpu = gpus.find(one.description.subject.rank);
            gpu != gpus.end() && gpu->second.contains(metric::kGpuUtilization))
            part.use = gpu->second.at(metric::kGpuUtilization).id;
        least = std::min(least, one.min);
        most = std::max(most, one.max);
    }
    told.isByUtilization
        = std::ranges::all_of(parts, [](const PowerAndUse& part) { return part.use.has_value(); });
    for (PowerAndUse& part : parts) {
        part.middle = (least + most) / 2.0;
        if (!told.isByUtilization)
            part.use.reset();
    }
    RETURN_IF_ERROR(forEachPart(
        study, kLooking, parts, workAndRestIn, [&told](const PowerAndUse&, SubjectWork&& one) {
            told.subjects.push_back(std::move(one));
            return Status();
        }));
    const SubjectWork all = told.together();
    const bool areTwo
        = all.work.mean() && all.rest.mean() && *all.work.mean() >= kLevelsApart * *all.rest.mean();
    const bool isTold = told.isByUtilization ? all.work.mean() || all.rest.mean() : areTwo;
    return isTold ? std::optional(std::move(told)) : std::nullopt;
}

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

std::string proofPlace(const Overview& overview, const OverviewSentence& told) {
    if (told.topic == Topic::Time && overview.hasTrace && told.evidence.metric.empty())
        return "Kernels";
    const bool isOfSteps = told.topic == Topic::Steps && told.evidence.metric.empty();
    if (isOfSteps || told.topic == Topic::Shift || told.topic == Topic::Goodput)
        return "Iterations";
    const bool isCompared = told.topic == Topic::Captures || told.topic == Topic::Change;
    return isCompared ? "Compare" : "Timeline";
}

Overview overviewFrom(const OverviewInputs& inputs) {
    Overview overview;
    overview.run = inputs.facts.run;
    overview.line = overviewLine(inputs);
    overview.hasTrace = inputs.work.devices > 0 || inputs.host;
    overview.window = overviewWindow(inputs);
    for (const auto tell : {&stepsSentence, &goodputSentence, &shiftSentence, &lossSentence,
             &timeSentence, &pathSentence, &energySentence, &heatSentence, &limitSentence,
             &memorySentence, &ranksSentence, &capturesSentence, &changeSentence}) {
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
    for (const Track& one : tracks)
        samples += one.count;
    if (samples <= few)
        return std::optional<Overview>();
    OverviewInputs inputs;
    inputs.facts.run = study.run;
    const SummaryScope scope{kAllTime,
        {metric::kGpuPower, metric::kGpuEnergy, metric::kNodePower, metric::kGpuUtilization}};
    ASSIGN_OR_RETURN(inputs.facts.whole, summarise(study, scope));
    if (tracks.empty()) {
        ASSIGN_OR_RETURN(inputs.workAndRest, study.once(workAndRestOf));
    }
    RETURN_IF_ERROR(addSources(study, inputs));
    Overview overview = overviewFrom(inputs);
    overview.checks = {};
    if (!tracks.empty())
        std::erase_if(overview.sentences,
            [](const OverviewSentence& told) { return told.topic == Topic::Time; });
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
    if (inputs.work.devices == 0) {
        ASSIGN_OR_RETURN(inputs.workAndRest, study.once(workAndRestOf));
    }
    ASSIGN_OR_RETURN(inputs.memory, measuredMemoryOf(study));
    ASSIGN_OR_RETURN(inputs.captures, captureChange(study));
    ASSIGN_OR_RETURN(inputs.before, changeOf(studies, study));
    ASSIGN_OR_RETURN(inputs.goodput, goodputOf(study));
    RETURN_IF_ERROR(addSources(study, inputs));
    return overviewFrom(inputs);
}

} // namespace trainscope::analysis
