#include "core/predict/prediction/MeasuredRuns.h"

#include "core/analysis/energy/Efficiency.h"
#include "core/analysis/iterations/Iterations.h"
#include "core/analysis/machine/RunLayout.h"
#include "core/analysis/statistics/Means.h"
#include "core/analysis/statistics/TimeRanges.h"
#include "core/model/Gather.h"
#include "core/model/Try.h"
#include "core/predict/prediction/RunRequest.h"

#include <fmt/format.h>

namespace trainscope::predict {
namespace {

// The constants of power and heat of a kind of GPU from several measured runs (MeasuredRuns.h).
// Pure; any thread.

// Between GPUs and days of one machine.
constexpr double kRunWatts = 0.03;
constexpr double kRunInletC = 1.5;
constexpr double kRunRise = 0.15;
constexpr double kRunResistance = 0.06;
constexpr double kRunLeft = 0.05; // share of the mean power of other jobs
constexpr double kSameLimit = 0.03; // share of the catalogue's, which a plateau then is
constexpr double kLeastFactor = 0.25;
constexpr double kMostFactor = 4.0;
constexpr std::size_t kMostNamed = 3;

// Over the runs that tell it.
template <typename Part>
std::optional<double> medianOver(const std::vector<const MeasuredRun*>& runs, const Part& part) {
    std::vector<double> values;
    for (const MeasuredRun* run : runs) {
        if (const std::optional<double> value = part(*run))
            values.push_back(*value);
    }
    return values.empty() ? std::nullopt : std::optional(analysis::medianOf(std::move(values)));
}

// As of one run.
RunPower mergedPower(const std::vector<const MeasuredRun*>& runs) {
    const auto state = [&runs](std::optional<double> StatePowers::*member) {
        return medianOver(
            runs, [member](const MeasuredRun& one) { return one.power.states.*member; });
    };
    const auto known
        = [&runs]<typename Whole>(std::optional<Whole> RunPower::*whole, double Whole::*member) {
              return medianOver(runs, [whole, member](const MeasuredRun& one) {
                  const auto& told = one.power.*whole;
                  return told ? std::optional((*told).*member) : std::nullopt;
              });
          };
    RunPower out;
    out.states.idleW = state(&StatePowers::idleW);
    out.states.parkedW = state(&StatePowers::parkedW);
    out.states.limitW = state(&StatePowers::limitW);
    if (const auto resistance = known(&RunPower::thermal, &GpuThermal::resistance)) {
        out.thermal = GpuThermal{*resistance, *known(&RunPower::thermal, &GpuThermal::seconds)};
        out.air = NodeAir{
            *known(&RunPower::air, &NodeAir::inletC), *known(&RunPower::air, &NodeAir::risePerW)};
    }
    if (const auto clock = known(&RunPower::activities, &ActivityPowers::clock)) {
        out.activities.emplace().clock = *clock;
        for (const Activity activity : kAllActivities)
            out.activities->watts[activity] = medianOver(runs, [activity](const MeasuredRun& one) {
                return one.power.activities ? one.power.activities->watts[activity] : std::nullopt;
            });
    }
    return out;
}

GpuPower withDemand(GpuPower gpu, double factor) {
    for (const Activity activity : kAllActivities)
        gpu.activeW[activity] *= factor;
    return gpu;
}

// The factor at which a value that grows with it is what was measured; bisection.
template <typename ValueAt>
std::optional<double> factorFor(double measured, const ValueAt& valueAt) {
    double low = kLeastFactor;
    double high = kMostFactor;
    if (valueAt(low) > measured || valueAt(high) < measured)
        return std::nullopt;
    constexpr int kHalvings = 24;
    for (int i = 0; i < kHalvings; ++i) {
        const double middle = std::sqrt(low * high);
        (valueAt(middle) > measured ? high : low) = middle;
    }
    return std::sqrt(low * high);
}

std::string namesOf(const std::vector<const MeasuredRun*>& runs) {
    std::string text;
    for (std::size_t i = 0; i < std::min(kMostNamed, runs.size()); ++i)
        text += (i == 0 ? "" : ", ") + runs[i]->name;
    if (runs.size() > kMostNamed)
        text += fmt::format(" and {} more", runs.size() - kMostNamed);
    return text;
}

void takeSpreads(const RunPower& power, PowerSpread& spread) {
    if (power.states.idleW)
        spread.idle = kRunWatts;
    if (power.activities)
        spread.product = spread.memory = spread.communication = spread.waiting = 2.0 * kRunWatts;
    if (!power.thermal)
        return;
    spread.resistance = kRunResistance;
    spread.rise = kRunRise;
    spread.inletC = kRunInletC;
    spread.inletBiasC = 0.0;
}

// Factor on the power beyond idle of all work, with which the job, played in its measured seconds,
// draws the measured mean power; fitted to the measured clock where the power limit holds that
// power. Absent where neither is known or no factor does.
std::optional<double> demandFactor(
    const MeasuredRun& run, const PowerBasis& basis, const Predictor& predictor) {
    if (!run.job || !run.meanW)
        return std::nullopt;
    const auto made = predictor.predict(run.job->job);
    if (!made.hasValue())
        return std::nullopt;
    const auto outlookAt = [&](double factor) {
        PowerBasis moved = basis;
        moved.gpu = withDemand(basis.gpu, factor);
        return outlookOf(run.job->job, made.value().step, moved);
    };
    const Outlook usual = outlookAt(1.0);
    // At the limit power no longer grows with the demand; the clock falls.
    if (usual.limit == ClockLimit::Power && *run.meanW >= (1.0 - kSameLimit) * usual.meanW)
        return run.busyHz
            ? factorFor(-*run.busyHz, [&](double factor) { return -outlookAt(factor).clockHz; })
            : std::nullopt;
    return factorFor(*run.meanW, [&](double factor) { return outlookAt(factor).meanW; });
}

// Absent where no run tells more than the catalogue.
std::optional<PowerBasis> fittedBasis(const catalogue::GpuModel& model,
    const std::vector<const MeasuredRun*>& runs, const Predictor& predictor) {
    PowerBasis basis = powerBasisOf(model);
    RunPower power = mergedPower(runs);
    const double limitW = basis.gpu.limitW;
    if (power.states.limitW && std::abs(*power.states.limitW / limitW - 1.0) < kSameLimit)
        power.states.limitW.reset();
    basis.gpu = calibrated(basis.gpu, power);
    basis.air = power.air;
    takeSpreads(power, basis.spread);
    const auto demand
        = power.activities ? std::nullopt : medianOver(runs, [&](const MeasuredRun& run) {
              return demandFactor(run, basis, predictor);
          });
    if (demand) {
        basis.gpu = withDemand(basis.gpu, *demand);
        basis.demandFactor = *demand;
        basis.spread.product = 2.0 * kRunWatts;
        basis.spread.memory = basis.spread.communication = basis.spread.waiting = 0.2;
        basis.spread.watts = kRunLeft;
    }
    const bool isTold = power.states.idleW || power.states.parkedW || power.states.limitW
        || power.thermal || power.activities || demand;
    if (!isTold)
        return std::nullopt;
    basis.source = namesOf(runs);
    return basis;
}

// From the first iteration that is not warm-up to the end of the last; without any, the run.
TimeRange steppedWindow(const analysis::RunIterations& found, const Run& run) {
    TimeRange window = analysis::kNoTime;
    for (const Iteration& iteration : found.iterations) {
        if (!iteration.warmup)
            window = analysis::spanned(window, iteration.range);
    }
    return window.isEmpty() ? run.range : window;
}

std::string configurationOf(const Job& job) {
    return fmt::format("{} {} {} {} {} {} {} {}", job.model.name, job.machine.gpu.name, job.gpus(),
        textOf(job.layout), job.microBatch, job.globalBatch, job.sequence, textOf(job.stated()));
}

Status takeJob(const analysis::RunStudy& study, const analysis::RunIterations& found,
    const analysis::Efficiency& efficiency, MeasuredRun& into) {
    if (!efficiency.stepTimeS) {
        into.refused = efficiency.stepTimeOrigin;
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
    MeasuredJob measured{
        std::move(job).value(), *efficiency.stepTimeS, kMeasuredRunsSource, 0.0, false, {}};
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
    const double sum = summed<double>(into.gpus, &MeasuredGpu::watts);
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
    ASSIGN_OR_RETURN(const auto efficiency, analysis::efficiencyOf(study));
    RETURN_IF_ERROR(takeJob(study, found, efficiency, out));
    ASSIGN_OR_RETURN(out.power, powerOfRun(study));
    RETURN_IF_ERROR(takeGpus(study.store, study.run, steppedWindow(found, study.run), out));
    if (efficiency.stepPowerW && !out.gpus.empty())
        out.meanW = *efficiency.stepPowerW / static_cast<double>(out.gpus.size());
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
        const auto made = predictor.predict(run.job->job);
        if (!made.hasValue())
            continue;
        residual.predictedSeconds = made.value().seconds;
        residual.predictedW = made.value().outlook.meanW;
        addGpus(run, made.value(), residual);
    }
    return out;
}

} // namespace trainscope::predict
