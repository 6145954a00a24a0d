#include "core/predict/prediction/Intervals.h"

#include "core/predict/prediction/Prediction.h"

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

} // namespace trainscope::predict
