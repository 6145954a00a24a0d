#include "core/predict/prediction/Prediction.h"

#include "core/analysis/machine/KeptNumbers.h"
#include "core/analysis/machine/ModelShape.h"
#include "core/model/Gather.h"
#include "core/model/Try.h"
#include "core/predict/cost/Analytic.h"
#include "core/predict/power/ThermalNetwork.h"

#include <cmath>

namespace trainscope::predict {

namespace {

std::vector<int> stagesOf(const Job& job, const layout::ClusterNode& node) {
    return vectorOf(node.gpus,
        [&](const layout::ClusterGpu& gpu) { return job.layout.grid.position(gpu.rank).pipeline; });
}

// Nodes one after another often have the same stages, and then the same temperatures.
void addHottestNode(const Job& job, const PowerBasis& basis, Outlook& outlook) {
    std::vector<int> before;
    for (const layout::ClusterNode& node : clusterOf(job).nodes) {
        std::vector<int> stages = stagesOf(job, node);
        if (stages == before)
            continue;
        before = std::move(stages);
        std::vector<GpuOutlook> gpus = nodeOutlook(job, outlook.stageW, basis, node);
        for (const GpuOutlook& gpu : gpus)
            outlook.hottestC = std::max(outlook.hottestC, gpu.celsius);
        const bool hasHottest = std::any_of(gpus.begin(), gpus.end(),
            [&outlook](const GpuOutlook& gpu) { return gpu.celsius == outlook.hottestC; });
        if (hasHottest)
            outlook.node = std::move(gpus);
    }
}

} // namespace

layout::Cluster clusterOf(const Job& job) {
    layout::ClusterFacts facts;
    facts.gpuModel = job.machine.gpu.name;
    facts.gpusPerCard = job.machine.gpu.gpusPerCard;
    for (int rank = 0; rank < job.gpus(); ++rank)
        facts.gpus.push_back(
            {rank, job.layout.nodeOf(rank), job.layout.localOf(rank), job.machine.gpu.name, {}});
    return layout::makeCluster(facts);
}

Outlook outlookOf(const Job& job, const Step& step, const PowerBasis& basis) {
    const GpuPower& gpu = basis.gpu;
    const Surroundings around = surroundingsOf(job, basis);
    Outlook outlook;
    const int stages = job.layout.grid.degrees().pipeline;
    double clock = 0.0;
    for (int stage = 0; stage < stages; ++stage) {
        const ActivityTimes times = activitiesOf(job, step, stage);
        // The seconds are those at the clock that the limit leaves.
        const SteadyPower steady = playedPower(gpu, loadsOf(gpu, times), around);
        outlook.stageW.push_back(steady.watts);
        outlook.meanW += steady.watts / stages;
        outlook.peakW = std::max(outlook.peakW, steady.busyW);
        clock += steady.clockHz / stages;
        if (steady.limit != ClockLimit::None)
            outlook.limit = steady.limit;
    }
    outlook.clockHz = clock;
    addHottestNode(job, basis, outlook);
    return outlook;
}

std::vector<GpuOutlook> nodeOutlook(const Job& job, const std::vector<double>& stageW,
    const PowerBasis& basis, const layout::ClusterNode& node) {
    const ThermalNetwork network(
        thermalNodeOf(node, job.machine.gpu.gpusPerCard, basis.gpu, basis.airOf(node.gpus.size())));
    std::vector<double> watts;
    for (const int stage : stagesOf(job, node))
        watts.push_back(stageW[static_cast<std::size_t>(stage)]);
    const std::vector<double> celsius = network.steady(watts);
    std::vector<GpuOutlook> gpus;
    for (std::size_t slot = 0; slot < celsius.size(); ++slot)
        gpus.push_back({static_cast<int>(slot), watts[slot], celsius[slot]});
    return gpus;
}

namespace {

// Serving runs have a spread of their own, which training says nothing about: published batches of
// one software differ so.
constexpr double kServingSpread = 0.08;

// Steps of a source that is left out are off by a tenth, constants of its like known by 0.06: of
// rows whose software nobody says, its habits are open besides.
constexpr double kUnknownSoftware = 0.075;

void addServing(const Job& job, Prediction& prediction) {
    if (!prediction.step.inference)
        return;
    const InferenceTimes& times = *prediction.step.inference;
    const double factor = prediction.seconds / (times.prefillSeconds + times.decodeSeconds);
    prediction.serving = Serving{factor * times.firstTokenSeconds, factor * times.tokenSeconds,
        factor * times.prefillSeconds, factor * times.decodeSeconds,
        1.0 * job.globalBatch * job.generated / (prediction.seconds * job.gpus())};
}

void addRates(const Job& job, const Rates& rates, Prediction& prediction) {
    const analysis::ModelWork work
        = analysis::workOf(job.model, job.workload, job.sequence, job.generated);
    const double gpuSeconds = prediction.seconds * job.gpus();
    prediction.tokensPerSecondPerGpu = job.tokensPerStep() / gpuSeconds;
    prediction.flopsPerGpu = work.flopPerSample * job.globalBatch / gpuSeconds;
    prediction.mfu = prediction.flopsPerGpu / rates.peak;
    addServing(job, prediction);
}

void addMemory(const Job& job, Prediction& prediction) {
    prediction.memory = analysis::stageNeedsOf(memoryRequestOf(job));
    const analysis::StageNeed fullest = analysis::fullestOf(prediction.memory);
    prediction.memoryB = fullest.total();
    prediction.capacityB = job.machine.gpu.memoryBytes;
    prediction.isOom = prediction.capacityB && !fullest.fits(*prediction.capacityB);
}

} // namespace

Result<Rates> Predictor::ratesOf(const Job& job) const {
    return m_table->ratesOf(job, m_calibration ? m_calibration->factors() : RateFactors{});
}

Result<JobCosts> Predictor::costsOf(const Job& job) const {
    if (m_profile && !job.isInference()) { // its samples are of the shapes of training
        ASSIGN_OR_RETURN(const auto shipped, m_table->ratesOf(job));
        if (auto sampled = m_profile->costsOf(job, shipped))
            return *std::move(sampled);
    }
    ASSIGN_OR_RETURN(const auto rates, ratesOf(job));
    const auto formulas = std::make_shared<const AnalyticCosts>(rates);
    return JobCosts{rates, formulas, formulas, {}};
}

Slowing Predictor::slowingOf(const Job& job) const {
    const auto costs = costsOf(job);
    return costs.hasValue() ? slowingOf(job, costs.value()) : Slowing::None;
}

// Samples of a profile are taken as they are.
Slowing Predictor::slowingOf(const Job& job, const JobCosts& costs) {
    Rates rates = costs.rates;
    if (costs.spread)
        rates.alone = 0.0;
    return predict::slowingOf(job, rates);
}

PowerBasis Predictor::powerOf(const Job& job) const {
    const std::string& gpu = job.machine.gpu.name;
    if (m_powers && m_powers->contains(gpu))
        return m_powers->at(gpu);
    return powerBasisOf(job.machine.gpu);
}

Result<Step> Predictor::stepOf(const Job& job, const JobCosts& costs, bool simulate) const {
    return stepAtClock(job, costs.rates, *costs.operators, *costs.collectives,
        slowingOf(job, costs), powerOf(job), simulate);
}

const Residuals* Predictor::residualsFor(const Job& job, const JobCosts& costs) const {
    const bool areCorrected = !costs.spread && !job.isInference() && m_calibration
        && !m_calibration->residuals().isEmpty();
    return areCorrected ? &m_calibration->residuals() : nullptr;
}

double Predictor::correctionOf(const Job& job) const {
    const auto costs = costsOf(job);
    const Residuals* residuals = costs.hasValue() ? residualsFor(job, costs.value()) : nullptr;
    return residuals == nullptr ? 0.0 : residuals->logOf(job);
}

double Predictor::leastCorrectionOf(const Job& job) const {
    const auto costs = costsOf(job);
    const Residuals* residuals = costs.hasValue() ? residualsFor(job, costs.value()) : nullptr;
    return residuals == nullptr ? 0.0 : residuals->leastLogOf(job);
}

void Predictor::addInterval(const Job& job, const MeasurementContext& context,
    const JobCosts& costs, Prediction& prediction) const {
    StepSpread& spread = prediction.spread;
    double besides = 0.0; // from software and machine, the same for all layouts
    if (costs.spread) {
        spread.own = *costs.spread;
    } else if (residualsFor(job, costs) != nullptr) {
        Correction correction
            = m_calibration->correctionOf(job, *m_table, context.source, context.version);
        prediction.seconds *= std::exp(correction.log);
        spread = std::move(correction.spread);
    } else {
        spread = spreadOf(job, *m_table);
        besides = job.stack.empty() ? kUnknownSoftware : 0.0;
    }
    spread.own = std::hypot(spread.own, prediction.step.spread);
    if (job.isInference())
        besides = std::hypot(besides, kServingSpread);
    if (!costs.spread)
        besides = std::hypot(besides, costs.rates.runSpread);
    const Interval bounds = intervalOf(prediction.seconds, std::hypot(spread.total(), besides));
    prediction.low = bounds.low;
    prediction.high = bounds.high;
}

Result<Prediction> Predictor::predict(const Job& job, const MeasurementContext& context) const {
    Prediction prediction;
    ASSIGN_OR_RETURN(const auto costs, costsOf(job));
    ASSIGN_OR_RETURN(prediction.step, stepOf(job, costs, true));
    prediction.isSampled = costs.spread.has_value();
    prediction.isFromDataSheet = job.machine.gpu.isFromDataSheet && !prediction.isSampled;
    prediction.seconds = prediction.step.seconds;
    addInterval(job, context, costs, prediction);
    addRates(job, costs.rates, prediction);
    addMemory(job, prediction);
    prediction.power = powerOf(job);
    prediction.outlook = outlookOf(job, prediction.step, prediction.power);
    prediction.energyJ = prediction.outlook.meanW * job.gpus() * prediction.seconds;
    prediction.intervals = intervalsOf(job, prediction.power, prediction);
    return prediction;
}

Result<Prediction> Predictor::estimate(const Job& job) const {
    Prediction prediction;
    ASSIGN_OR_RETURN(const auto costs, costsOf(job));
    ASSIGN_OR_RETURN(prediction.step, stepOf(job, costs, false));
    prediction.isSampled = costs.spread.has_value();
    prediction.seconds = prediction.low = prediction.high = prediction.step.seconds;
    addRates(job, costs.rates, prediction);
    addMemory(job, prediction);
    return prediction;
}

std::vector<PredictedFigure> figuresOf(const Prediction& made) {
    const Intervals& bounds = made.intervals;
    const Outlook& outlook = made.outlook;
    const auto tera = [](const Interval& flops) {
        return Interval{flops.low / 1e12, flops.high / 1e12};
    };
    return {{"step_time", "s", "s", made.seconds, {made.low, made.high}},
        {"tokens_per_s_per_gpu", "", "", made.tokensPerSecondPerGpu, bounds.tokensPerSecondPerGpu},
        {"tflops_per_gpu", "", "", made.flopsPerGpu / 1e12, tera(bounds.flopsPerGpu)},
        {"mfu", "", "", made.mfu, bounds.mfu}, {"memory", "b", "B", made.memoryB, bounds.memoryB},
        {"energy", "j", "J", made.energyJ, bounds.energyJ},
        {"mean_power", "w", "W", outlook.meanW, bounds.meanW},
        {"peak_power", "w", "W", outlook.peakW, bounds.peakW},
        {"sm_clock", "hz", "Hz", outlook.clockHz, bounds.clockHz},
        {"hottest", "c", "°C", outlook.hottestC, bounds.hottestC}};
}

analysis::MemoryRequest memoryRequestOf(const Job& job) {
    analysis::MemoryRequest request{job, job.layout};
    request.widths = analysis::widthsOf(toString(job.precision));
    request.sequenceParallel = job.sequenceParallel;
    request.unfusedAttention = job.attention == AttentionKind::Unfused;
    request.dropout = job.dropout;
    request.recomputedParts = job.recomputedParts;
    request.adapters = job.adapters;
    const auto& convention = analysis::memoryConventionOf(
        job.stack.empty() ? RateTable::builtIn().stackOf(job) : job.stack);
    analysis::follow(convention, request);
    // Switched on where GPUs multiply in 4 bits too (FP8_ACT of the submissions).
    if (convention.keepsFrozenNarrow && job.workload == Workload::Lora && job.machine.gpu.fp4Flops)
        request.widths.function = std::min(request.widths.function, request.widths.product);
    job.kept.applyTo(request.widths);
    if (job.execution.attention8)
        request.widths.attention = std::min(request.widths.attention, request.widths.product);
    // Hopper's products of 8 bits take weights along rows and along columns: two copies. Frozen
    // ones are said to be kept alone.
    const bool hasOne = request.widths.weight <= request.widths.product;
    if (convention.keepsFrozenNarrow && job.workload == Workload::Training && hasOne
        && bytesOf(job.precision) == 1.0 && !job.machine.gpu.fp4Flops)
        request.widths.weight *= 2.0;
    return request;
}

} // namespace trainscope::predict
