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

// Printed by torchtitan: nine runs without a pipeline −5.7 to +2.5 %; three with one −9 to −19 %,
// two of GPT-NeoX −12 and +8 %.
constexpr double kMemorySpread = 0.03;
constexpr double kPipelineMemorySpread = 0.13;
constexpr double kExpertMemorySpread = 0.1; // tokens are not routed evenly; estimated

constexpr double kAlwaysDrawnShare
    = 0.4; // share of the power beyond idle, by whatever runs; estimated
constexpr double kMoved = 0.02; // change of a logarithm, for derivatives
constexpr double kMovedK = 1.0;

// Standard deviations of what a node does: of logarithms, of the hottest GPU in K.
struct NodeSpread {
    double meanW = 0.0;
    double peakW = 0.0;
    double clock = 0.0;
    double hottestC = 0.0;
};

struct NodeState {
    double meanW = 0.0;
    double busyW = 0.0;
    double clock = 1.0;
    double hottestC = 0.0;
};

// A node whose GPUs all do the same.
class NodeModel {
public:
    NodeModel(const Job& job, const ActivityTimes& times)
        : m_job(job)
        , m_times(times)
        , m_node(clusterOf(job).nodes.front()) { }

    [[nodiscard]] NodeAir airOf(const PowerBasis& basis) const {
        return basis.airOf(m_node.gpus.size());
    }
    [[nodiscard]] NodeState stateOf(const GpuPower& gpu, const NodeAir& air, double limit) const {
        const double limitW = limit * m_job.machine.powerLimitW.value_or(gpu.limitW);
        const SteadyPower steady
            = playedPower(gpu, loadsOf(gpu, m_times), {limitW, m_job.machine.clockHz, air.inletC});
        const ThermalNetwork network(
            thermalNodeOf(m_node, m_job.machine.gpu.gpusPerCard, gpu, air));
        const std::vector<double> watts(m_node.gpus.size(), steady.watts);
        const auto celsius = network.steady(watts);
        return {steady.watts, steady.busyW, steady.clock,
            celsius.empty() ? air.inletC : *std::max_element(celsius.begin(), celsius.end())};
    }

private:
    const Job& m_job;
    const ActivityTimes& m_times;
    layout::ClusterNode m_node;
};

// Sums of squares of what each constant moves.
class SpreadSum {
public:
    SpreadSum(const NodeModel& model, const PowerBasis& basis)
        : m_model(model)
        , m_basis(basis)
        , m_air(model.airOf(basis))
        , m_usual(model.stateOf(basis.gpu, m_air, 1.0)) { }

    NodeSpread result() {
        const PowerSpread& spread = m_basis.spread;
        auto& active = m_gpu.activeW;
        addOf({&active[Activity::Gemm], &active[Activity::Attention]}, spread.product);
        addOf({&m_gpu.idleW, &m_gpu.parkedW}, spread.idle);
        addOf({&active[Activity::Memory]}, spread.memory);
        addOf({&active[Activity::Communication]}, spread.communication);
        addOf({&active[Activity::Waiting]}, spread.waiting);
        addOf({&m_gpu.voltage.slope}, spread.voltage);
        addOf({&m_gpu.thermal.resistance}, spread.resistance);
        addOf({&m_moved.risePerW}, spread.rise);
        addOf({&m_limit}, spread.limit);
        m_moved.inletC += kMovedK;
        add(spread.inletC / kMovedK);
        return {std::sqrt(m_squares.meanW), std::sqrt(m_squares.peakW), std::sqrt(m_squares.clock),
            std::sqrt(m_squares.hottestC)};
    }

private:
    // Constants that are known together.
    void addOf(std::initializer_list<double*> constants, double spread) {
        std::vector<double> before;
        for (double* const constant : constants) {
            before.push_back(*constant);
            *constant *= std::exp(kMoved);
        }
        add(spread / kMoved);
        std::size_t at = 0;
        for (double* const constant : constants)
            *constant = before[at++];
    }
    void add(double times) {
        const NodeState now = m_model.stateOf(m_gpu, m_moved, m_limit);
        const auto square = [times](double change) { return times * times * change * change; };
        m_squares.meanW += square(std::log(now.meanW / m_usual.meanW));
        m_squares.peakW += square(std::log(now.busyW / m_usual.busyW));
        m_squares.clock += square(std::log(now.clock / m_usual.clock));
        m_squares.hottestC += square(now.hottestC - m_usual.hottestC);
    }

    const NodeModel& m_model;
    const PowerBasis& m_basis;
    NodeAir m_air;
    NodeState m_usual;
    GpuPower m_gpu = m_basis.gpu;
    NodeAir m_moved = m_air;
    double m_limit = 1.0;
    NodeSpread m_squares;
};

// Spreads of a node that does a stage's activities. Their seconds are those at the clock that the
// limits leave.
NodeSpread nodeSpreadOf(
    const Job& job, const PowerBasis& basis, const ActivityTimes& times, bool isHeldByPower) {
    const NodeModel model(job, times);
    NodeSpread spread = SpreadSum(model, basis).result();
    spread.meanW = std::hypot(spread.meanW, basis.spread.watts);
    spread.peakW = std::hypot(spread.peakW, isHeldByPower ? basis.spread.held : basis.spread.watts);
    spread.clock = std::hypot(spread.clock, basis.spread.clock);
    spread.hottestC = std::hypot(spread.hottestC, basis.spread.celsius);
    return spread;
}

// The mean over stages.
ActivityTimes meanTimes(const Job& job, const Step& step) {
    const int stages = job.layout.grid.degrees().pipeline;
    ActivityTimes mean;
    for (int stage = 0; stage < stages; ++stage) {
        const ActivityTimes times = activitiesOf(job, step, stage);
        for (const Activity activity : kAllActivities) {
            const double before = mean[activity].seconds;
            mean[activity] = times[activity];
            mean[activity].seconds = before + times[activity].seconds / stages;
        }
    }
    return mean;
}

Interval inverse(double value, const Interval& seconds, double predicted) {
    return {value * predicted / seconds.high, value * predicted / seconds.low};
}

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

Interval intervalOf(double value, double spread) {
    return {value * std::exp(-kNinetyPercent * spread), value * std::exp(kNinetyPercent * spread)};
}

double memorySpreadOf(int stages, int experts) {
    return std::hypot(stages > 1 ? kPipelineMemorySpread : kMemorySpread,
        experts > 1 ? kExpertMemorySpread : 0.0);
}

double lastingShare(const PowerBasis& basis, double meanW, bool isHeldByPower) {
    if (isHeldByPower || meanW <= 0.0)
        return 1.0;
    const double idle = std::min(1.0, basis.gpu.idleW / meanW);
    return idle + kAlwaysDrawnShare * (1.0 - idle);
}

Intervals intervalsOf(const Job& job, const PowerBasis& basis, const Prediction& prediction) {
    const Outlook& outlook = prediction.outlook;
    const Interval seconds{prediction.low, prediction.high};
    const double stepSpread = std::log(prediction.high / prediction.low) / (2.0 * kNinetyPercent);
    const bool isHeld = outlook.limit == ClockLimit::Power;
    const NodeSpread node = nodeSpreadOf(job, basis, meanTimes(job, prediction.step), isHeld);
    const double lasting = lastingShare(basis, outlook.meanW, isHeld);
    Intervals out;
    out.tokensPerSecondPerGpu
        = inverse(prediction.tokensPerSecondPerGpu, seconds, prediction.seconds);
    out.flopsPerGpu = inverse(prediction.flopsPerGpu, seconds, prediction.seconds);
    out.mfu = inverse(prediction.mfu, seconds, prediction.seconds);
    out.memoryB = intervalOf(
        prediction.memoryB, memorySpreadOf(job.layout.grid.degrees().pipeline, job.model.experts));
    // ln P = e − (1 − λ)·t and ln E = e + λ·t, for the step's t and the power's own e.
    out.meanW = intervalOf(outlook.meanW, std::hypot(node.meanW, (1.0 - lasting) * stepSpread));
    out.energyJ = intervalOf(prediction.energyJ, std::hypot(node.meanW, lasting * stepSpread));
    out.peakW = intervalOf(outlook.peakW, node.peakW);
    // The limiter keeps the busy mean; a mean over waits besides is less.
    const double limitW = job.machine.powerLimitW.value_or(basis.gpu.limitW)
        * std::exp(kNinetyPercent * basis.spread.limit);
    out.peakW.high = std::max(outlook.peakW, std::min(out.peakW.high, limitW));
    out.meanW.high = std::max(outlook.meanW, std::min(out.meanW.high, limitW));
    out.clockHz = intervalOf(outlook.clockHz, node.clock);
    out.clockHz.high = std::max(outlook.clockHz, std::min(out.clockHz.high, basis.gpu.boostHz));
    const double reach = kNinetyPercent * node.hottestC;
    out.hottestC = {outlook.hottestC + std::min(0.0, basis.spread.inletBiasC - reach),
        outlook.hottestC + basis.spread.inletBiasC + reach};
    return out;
}

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
