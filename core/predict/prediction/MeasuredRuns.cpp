#include "core/predict/prediction/MeasuredRuns.h"

#include "core/analysis/RunStudy.h"
#include "core/analysis/iterations/Iterations.h"
#include "core/analysis/machine/RunMachine.h"
#include "core/analysis/statistics/Means.h"
#include "core/model/Metric.h"
#include "core/model/Try.h"
#include "core/predict/prediction/Outlook.h"
#include "core/predict/prediction/RunPowerFit.h"
#include "core/predict/prediction/RunRequest.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace trainscope::predict {

namespace {

// The iterations that are not warm-up: their median, and what they cover.
struct MeasuredSteps {
    double seconds = 0.0; // 0: there are none
    TimeRange window{{0}, {0}};
};

MeasuredSteps stepsOf(const analysis::RunIterations& found, const Run& run) {
    std::vector<double> seconds;
    MeasuredSteps steps{0.0, run.range};
    for (const Iteration& iteration : found.iterations) {
        if (iteration.warmup)
            continue;
        if (seconds.empty())
            steps.window = iteration.range;
        steps.window.end = std::max(steps.window.end, iteration.range.end);
        seconds.push_back(iteration.range.length().seconds());
    }
    if (!seconds.empty())
        steps.seconds = analysis::medianOf(std::move(seconds));
    return steps;
}

std::string configurationOf(const Job& job) {
    return fmt::format("{} {} {} {} {} {} {} {}", job.model.name, job.machine.gpu.name, job.gpus(),
        textOf(job.layout), job.microBatch, job.globalBatch, job.sequence, textOf(job.stated()));
}

Status takeJob(const analysis::RunStudy& study, const analysis::RunIterations& found,
    double seconds, MeasuredRun& into) {
    if (seconds <= 0.0) {
        into.refused = found.origin;
        return {};
    }
    auto made = requestOf(study);
    if (!made.hasValue() && made.error().code == ErrorCode::Cancelled)
        return made.error();
    auto job = made.hasValue() ? jobOf(made.value().request) : Result<Job>(made.error());
    if (!job.hasValue()) {
        into.refused = job.error().message;
        return {};
    }
    into.notes = std::move(made).value().notes;
    if (found.basis == analysis::IterationBasis::PowerPeriod)
        into.notes.push_back("Its iterations are those that the period of its power shows.");
    MeasuredJob measured{std::move(job).value(), seconds, kMeasuredRunsSource, 0.0, false, {}};
    measured.configuration = configurationOf(measured.job);
    into.job = std::move(measured);
    return {};
}

// Means of each GPU, where all of its node have power.
Status takeGpus(const store::Store& store, const Run& run, TimeRange window, MeasuredRun& into) {
    ASSIGN_OR_RETURN(const auto cluster, analysis::clusterOf({store, run}, nullptr));
    ASSIGN_OR_RETURN(const auto all, store.series(run.id));
    std::map<std::pair<int, std::string>, double> means;
    for (const Series& series : all) {
        const auto& subject = series.description.subject;
        if (subject.kind != SubjectKind::Gpu || subject.rank < 0 || !series.range.overlaps(window))
            continue;
        ASSIGN_OR_RETURN(const auto told, store.statistics(series.id, window));
        if (told.count > told.missing)
            means[{subject.rank, series.description.metric.name}] = told.mean;
    }
    for (const layout::ClusterNode& node : cluster.nodes) {
        for (std::size_t slot = 0; slot < node.gpus.size(); ++slot) {
            const int rank = node.gpus[slot].rank;
            const auto watts = means.find({rank, metric::kGpuPower});
            if (watts == means.end())
                continue;
            const auto celsius = means.find({rank, metric::kGpuTemperature});
            into.gpus.push_back({rank, static_cast<int>(slot), watts->second,
                celsius == means.end() ? std::nullopt : std::optional(celsius->second)});
        }
    }
    std::vector<double> clocks;
    for (const auto& [key, mean] : means) {
        if (key.second == metric::kSmClock)
            clocks.push_back(mean);
    }
    if (!clocks.empty())
        into.busyHz = analysis::medianOf(std::move(clocks));
    if (into.gpus.empty())
        return {};
    double sum = 0.0;
    for (const MeasuredGpu& gpu : into.gpus)
        sum += gpu.watts;
    into.meanW = sum / static_cast<double>(into.gpus.size());
    return {};
}

} // namespace

Result<MeasuredRun> measuredRun(const analysis::RunStudy& study) {
    MeasuredRun out;
    out.name = study.run.name;
    if (study.run.kind != RunKind::Measured)
        return usageError(fmt::format("{} was not measured.", study.run.name));
    const catalogue::GpuModel* gpu = catalogue::findGpuModel(study.run.gpuModel);
    if (gpu == nullptr)
        return Error{ErrorCode::NotFound,
            fmt::format("The kind of GPU of {} is not known.", study.run.name), {}};
    out.gpu = gpu->name;
    ASSIGN_OR_RETURN(const auto found, analysis::iterationsOf(study));
    const MeasuredSteps steps = stepsOf(found, study.run);
    RETURN_IF_ERROR(takeJob(study, found, steps.seconds, out));
    ASSIGN_OR_RETURN(out.power, powerOfRun(study));
    RETURN_IF_ERROR(takeGpus(study.store, study.run, steps.window, out));
    return out;
}

PowerBases powerBasesOf(const std::vector<MeasuredRun>& runs, const Predictor& predictor) {
    std::map<std::string, std::vector<const MeasuredRun*>> byGpu;
    for (const MeasuredRun& run : runs)
        byGpu[run.gpu].push_back(&run);
    PowerBases bases;
    for (const auto& [gpu, ofGpu] : byGpu) {
        if (auto basis = fittedBasis(*catalogue::findGpuModel(gpu), ofGpu, predictor))
            bases.emplace(gpu, std::move(*basis));
    }
    return bases;
}

Predictor RunCalibration::predictor() const {
    Predictor predictor
        = steps ? Predictor(RateTable::builtIn(), *steps) : Predictor(RateTable::builtIn());
    predictor.use(powers);
    return predictor;
}

RunCalibration calibrationOf(std::vector<MeasuredRun> runs, std::vector<MeasuredJob> rows) {
    RunCalibration out;
    for (const MeasuredRun& run : runs) {
        if (run.job)
            rows.push_back(*run.job);
    }
    if (!rows.empty())
        out.steps = std::make_shared<const Calibration>(Calibration::of(rows));
    out.powers = std::make_shared<const PowerBases>(powerBasesOf(runs, out.predictor()));
    out.runs = std::move(runs);
    return out;
}

Result<RunCalibration> calibrationOf(const store::Store& store, const Progress& progress) {
    ASSIGN_OR_RETURN(const auto runs, store.runs());
    std::vector<MeasuredRun> measured;
    for (const Run& run : runs) {
        if (run.kind != RunKind::Measured || run.status != RunStatus::Ok)
            continue;
        auto one = measuredRun({store, run, progress});
        if (one.hasValue())
            measured.push_back(std::move(one).value());
        else if (one.error().code == ErrorCode::Cancelled)
            return one.error();
    }
    return calibrationOf(std::move(measured));
}

namespace {

// Each in the node that its rank lies in.
void addGpus(const MeasuredRun& run, const Prediction& made, RunResidual& residual) {
    const Job& job = run.job->job;
    for (const layout::ClusterNode& node : clusterOf(job).nodes) {
        const auto predicted = nodeOutlook(job, made.outlook.stageW, made.power, node);
        for (const MeasuredGpu& gpu : run.gpus) {
            const auto slot = static_cast<std::size_t>(gpu.slot);
            if (job.layout.nodeOf(gpu.rank) == node.node && slot < predicted.size())
                residual.gpus.push_back({gpu.rank, gpu.watts, predicted[slot].watts, gpu.celsius,
                    predicted[slot].celsius});
        }
    }
}

} // namespace

std::vector<RunResidual> residualsOf(const RunCalibration& calibration) {
    const Predictor predictor = calibration.predictor();
    std::vector<RunResidual> out;
    for (const MeasuredRun& run : calibration.runs) {
        RunResidual& residual = out.emplace_back();
        residual.name = run.name;
        residual.meanW = run.meanW;
        if (!run.job)
            continue;
        residual.seconds = run.job->seconds;
        const auto made = predictor.predict(run.job->job, {run.job->source, 0.0});
        if (!made.hasValue())
            continue;
        residual.predictedSeconds = made.value().seconds;
        residual.predictedW = made.value().outlook.meanW;
        addGpus(run, made.value(), residual);
    }
    return out;
}

} // namespace trainscope::predict
