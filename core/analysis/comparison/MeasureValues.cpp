#include "core/analysis/comparison/RunMeasures.h"

#include "core/analysis/telemetry/Throttling.h"
#include "core/catalogue/GpuGuess.h"
#include "core/catalogue/GpuModel.h"
#include "core/text/Times.h"

#include <fmt/format.h>

#include <cmath>

namespace trainscope::analysis {

namespace {

constexpr double kLeastCoverage = 0.9; // share of an iteration or the window with power
constexpr double kFilled = 0.99; // share of the window: iterations that cover it speak for it

class Filler {
public:
    Filler(RunMeasures& measures, const Efficiency& efficiency, const RunDetail& detail)
        : m_measures(measures)
        , m_efficiency(efficiency)
        , m_detail(detail) {
        m_measures.values.assign(comparedQuantities().size(), std::nullopt);
        m_measures.absentWhy.assign(comparedQuantities().size(), std::string());
    }

    void fill() {
        takeEfficiency();
        takeEnergy();
        takePower();
        takeTemperature();
        takeThrottling();
        takeImbalance();
        takeTrace();
        takeTraffic();
    }

private:
    void set(std::string_view key, const std::optional<double>& value, const std::string& why,
        const std::optional<Spread>& spread = {}) {
        const std::size_t at = quantityIndex(key).value();
        // The iterations of a prediction vary by what its model says, if at all.
        const bool isPredicted = m_measures.run.kind == RunKind::Predicted;
        if (value && std::isfinite(*value))
            m_measures.values[at] = Measure{*value, isPredicted ? std::nullopt : spread};
        else
            m_measures.absentWhy[at] = why.empty() ? "The data does not give it." : why;
    }

    // of(iteration) is an optional; the spread of those that have it.
    template <typename Of>
    std::optional<Spread> spread(Of&& of) const {
        std::vector<double> values;
        for (const IterationFigures& one : m_measures.iterations) {
            if (const std::optional<double> value = of(one); value && std::isfinite(*value))
                values.push_back(*value);
        }
        return spreadOf(values);
    }
    // The spread for a value of the whole window; absent where it holds pauses too.
    template <typename Of>
    std::optional<Spread> spreadInWindow(Of&& of) const {
        double seconds = 0.0;
        for (const IterationFigures& one : m_measures.iterations)
            seconds += one.iteration.range.length().seconds();
        const bool isFilled = seconds >= kFilled * m_measures.summary.duration.seconds();
        return isFilled ? spread(of) : std::nullopt;
    }
    std::optional<Spread> spreadOfRate(double amount) const {
        return spread([amount](const IterationFigures& one) -> std::optional<double> {
            return amount / one.iteration.range.length().seconds();
        });
    }
    static std::optional<double> energyOf(const IterationFigures& one) {
        return one.energyCoverage >= kLeastCoverage ? one.energyJ : std::nullopt;
    }

    void takeEfficiency() {
        const Efficiency& made = m_efficiency;
        const auto why = [&made](const char* key) {
            const auto found = made.missing.find(key);
            return found == made.missing.end() ? std::string() : found->second;
        };
        set("step_time_s", made.stepTimeS, why("step_time_s"),
            spread([](const IterationFigures& one) -> std::optional<double> {
                return one.iteration.range.length().seconds();
            }));
        const Goodput& goodput = m_measures.goodput;
        const bool isOfRun = m_measures.capture.empty();
        set("goodput_fraction",
            isOfRun && goodput.isKnown() ? std::optional(goodput.share()) : std::nullopt,
            isOfRun ? goodput.whyNone : "A capture is a part of its job.");
        const auto rate = [&](const char* key, const std::optional<double>& value) {
            set(key, value, why(key),
                value && made.stepTimeS ? spreadOfRate(*value * *made.stepTimeS) : std::nullopt);
        };
        rate("samples_per_s", made.samplesPerS);
        rate("tokens_per_s", made.tokensPerS);
        rate("tokens_per_s_per_gpu", made.tokensPerSPerGpu);
        rate("mfu", made.mfu);
        // Its energy is that of all iterations together.
        set("samples_per_s_per_mj", made.samplesPerSPerMj, why("samples_per_s_per_mj"));
        const double tokens = made.tokensPerJ.value_or(0.0) * made.energyPerStepJ.value_or(0.0);
        set("tokens_per_j", made.tokensPerJ, why("tokens_per_j"),
            spread([tokens](const IterationFigures& one) -> std::optional<double> {
                const auto joules = energyOf(one);
                return tokens > 0.0 && joules && *joules > 0.0 ? std::optional(tokens / *joules)
                                                               : std::nullopt;
            }));
    }

    void takeEnergy() {
        const std::optional<double> step = m_efficiency.energyPerStepJ;
        const auto found = m_efficiency.missing.find("tokens_per_j");
        const std::string why = found == m_efficiency.missing.end() ? whyNoPower() : found->second;
        const auto ofStep = spread(energyOf);
        set("energy_per_step_j", step, why, ofStep);
        set("energy_between_steps_j", m_efficiency.energyBetweenStepsJ,
            step ? "Next to nothing lies between the iterations." : why);
        const std::optional<double> perJoule = m_efficiency.tokensPerJ;
        set("energy_per_token_j", perJoule ? std::optional(1.0 / *perJoule) : std::nullopt, why,
            ofStep && step && perJoule ? std::optional(ofStep->dividedBy(*step * *perJoule))
                                       : std::nullopt);
        const auto& energy = m_measures.summary.energy;
        const bool isCovered
            = energy && energy->coverage >= kLeastCoverage && hasAll(metric::kGpuPower);
        set("energy_j", isCovered ? std::optional(energy->joules) : std::nullopt,
            energy && hasAll(metric::kGpuPower) ? fmt::format(
                "Power was recorded of {} of the time only.", text::percent(energy->coverage))
                                                : whyNoPower());
    }

    // GPUs of the job that have the metric.
    [[nodiscard]] int recorded(const std::string& metric) const {
        return static_cast<int>(
            std::ranges::count_if(m_measures.summary.gpus, [&](const GpuSummary& gpu) {
                const auto found = gpu.metrics.find(metric);
                return found != gpu.metrics.end() && (found->second.mean || found->second.total);
            }));
    }
    // The power of a second die is in that of the first.
    [[nodiscard]] bool hasAll(const std::string& metric) const {
        const int gpus = recorded(metric);
        const bool isPower = metric == metric::kGpuPower;
        const int others = isPower ? static_cast<int>(m_measures.summary.secondDies.size()) : 0;
        return gpus > 0 && gpus >= m_measures.gpus - others;
    }
    // `all`: "8 GPUs".
    static std::string whyNotOfAll(int count, const std::string& all, const std::string& what) {
        return count == 0 ? "No " + what + " was recorded."
                          : fmt::format("The {} was recorded of {} of {} only.", what, count, all);
    }
    [[nodiscard]] std::string whyNotAll(const std::string& metric, const std::string& what) const {
        return whyNotOfAll(recorded(metric), text::counted(m_measures.gpus, "GPU"), what);
    }
    // Nodes of the job that have the counter.
    [[nodiscard]] int recordedNodes(const std::string& metric) const {
        return static_cast<int>(
            std::ranges::count_if(m_measures.summary.nodes, [&](const NodeSummary& node) {
                return statisticOf(node.metrics, metric, &SubjectStatistics::total).has_value();
            }));
    }
    [[nodiscard]] std::string whyNotAllNodes(
        const std::string& metric, const std::string& what) const {
        return whyNotOfAll(recordedNodes(metric), text::counted(m_measures.nodes, "node"), what);
    }
    [[nodiscard]] std::string whyNoPower() const {
        return whyNotAll(metric::kGpuPower, "GPU power");
    }

    using Statistic = std::optional<double> SubjectStatistics::*;
    [[nodiscard]] std::optional<double> ofAll(const std::string& metric, Statistic field) const {
        const auto found = m_measures.summary.metrics.find(metric);
        return found == m_measures.summary.metrics.end() ? std::nullopt : found->second.all.*field;
    }
    [[nodiscard]] std::optional<double> sumOfMeans(const std::string& metric) const {
        const auto mean = ofAll(metric, &SubjectStatistics::mean);
        return mean ? std::optional(*mean * recorded(metric)) : std::nullopt;
    }

    void takePower() {
        const bool isWhole = hasAll(metric::kGpuPower);
        const bool isTogether = isWhole && m_detail.whyNoBurst.empty();
        const std::string why = isWhole && !isTogether ? m_detail.whyNoBurst : whyNoPower();
        const auto& burst = m_detail.burst;
        const auto ofSum
            = [&](std::optional<double> value) { return isWhole ? value : std::nullopt; };
        if (const auto ofSteps = m_efficiency.stepPowerW)
            set("mean_power_w", ofSteps, why,
                spread([](const IterationFigures& one) -> std::optional<double> {
                    const auto joules = energyOf(one);
                    return joules ? std::optional(*joules / one.iteration.range.length().seconds())
                                  : std::nullopt;
                }));
        else
            set("mean_power_w", ofSum(sumOfMeans(metric::kGpuPower)), why);
        set("peak_power_w", ofSum(burst ? std::optional(burst->peak) : std::nullopt), why,
            spread([](const IterationFigures& one) { return one.peakPowerW; }));
        set("p99_gpu_power_w", ofAll(metric::kGpuPower, &SubjectStatistics::p99), why);
        set("peak_gpu_power_w", ofAll(metric::kGpuPower, &SubjectStatistics::max), why);
        set("peak_to_mean_power", ofSum(burst ? std::optional(burst->peakToMean) : std::nullopt),
            why);
        set("p99_to_p50_power", ofSum(burst ? std::optional(burst->p99ToP50) : std::nullopt), why);
        set("max_power_ramp_w_per_s", ofSum(burst ? burst->maxRampPerS : std::nullopt),
            isTogether && burst ? "No two neighbouring steps have the power of all GPUs." : why);
        const auto& lines = m_detail.spectrum;
        const std::string noLine = isTogether ? "No line stands out of the power's spectrum." : why;
        set("power_swing_w",
            ofSum(lines.empty() ? std::nullopt : std::optional(lines.front().amplitude)), noLine);
        set("power_swing_hz",
            ofSum(lines.empty() ? std::nullopt : std::optional(lines.front().frequencyHz)), noLine);
    }

    void takeTemperature() {
        const std::string why = "No GPU temperature was recorded.";
        set("mean_temperature_c", ofAll(metric::kGpuTemperature, &SubjectStatistics::mean), why,
            spreadInWindow([](const IterationFigures& one) { return one.meanTemperatureC; }));
        set("peak_temperature_c", ofAll(metric::kGpuTemperature, &SubjectStatistics::max), why,
            spread([](const IterationFigures& one) { return one.maxTemperatureC; }));
        const auto& gradient = m_detail.gradient;
        set("front_rear_gradient_c", gradient ? std::optional(gradient->celsius) : std::nullopt,
            recorded(metric::kGpuTemperature) == 0 ? why : "No node has GPUs in front and rear.");
    }

    void takeThrottling() {
        set("mean_sm_clock_hz", ofAll(metric::kSmClock, &SubjectStatistics::mean),
            "No SM clock was recorded.",
            spreadInWindow([](const IterationFigures& one) { return one.meanClockHz; }));
        set("mean_gpu_utilization", ofAll(metric::kGpuUtilization, &SubjectStatistics::mean),
            "No GPU utilisation was recorded.");
        const auto& found = m_detail.throttling;
        const std::string why = "Neither reasons of throttling were recorded, nor both sm_clock "
                                "and gpu_utilization.";
        set("throttled_fraction", found ? std::optional(found->fraction) : std::nullopt, why,
            spreadInWindow([](const IterationFigures& one) { return one.throttleFraction; }));
        const bool isToldApart
            = found && (found->basis == ThrottleBasis::Reasons || found->causes.empty());
        const auto ofCause = [&](ThrottleCause cause, bool isKnown) -> std::optional<double> {
            return found && isKnown ? std::optional(found->shareOf(cause)) : std::nullopt;
        };
        set("thermally_throttled_fraction",
            ofCause(ThrottleCause::Thermal, isToldApart || (found && found->slowdownTemperatureC)),
            found ? "The GPU's slowdown temperature is not known, nor did the source say why."
                  : why);
        set("power_throttled_fraction",
            ofCause(ThrottleCause::Power, isToldApart || (found && found->powerLimitW)),
            found ? "The GPU's power limit is not known, nor did the source say why." : why);
        const ClockLoss* lost = found && found->clockLost ? &*found->clockLost : nullptr;
        const std::string noClock = "Clock lost needs both sm_clock and gpu_utilization.";
        set("clock_lost_fraction", lost ? std::optional(lost->fraction) : std::nullopt, noClock);
        const double seconds = m_measures.summary.duration.seconds();
        set("slowest_gpu_clock_lost_fraction",
            lost && seconds > 0.0 ? std::optional(lostToSlowest(lost->episodes) / seconds)
                                  : std::nullopt,
            noClock);
        if (found)
            m_measures.throttleBasis = found->basis;
    }

    void takeImbalance() {
        const auto of = [this](const char* metric, std::optional<double> MetricSummary::*field) {
            const auto found = m_measures.summary.metrics.find(metric);
            return found == m_measures.summary.metrics.end() ? std::nullopt : found->second.*field;
        };
        const std::string noPower = "No GPU power was recorded, or of single GPUs only.";
        const std::string noHeat = "No GPU temperature was recorded, or of single GPUs only.";
        set("power_intra_node_std_w", of(metric::kGpuPower, &MetricSummary::intraNodeStd), noPower);
        set("power_inter_node_std_w", of(metric::kGpuPower, &MetricSummary::interNodeStd), noPower);
        set("temperature_intra_node_std_c",
            of(metric::kGpuTemperature, &MetricSummary::intraNodeStd), noHeat);
        set("temperature_inter_node_std_c",
            of(metric::kGpuTemperature, &MetricSummary::interNodeStd), noHeat);
    }

    void takeTrace() {
        const auto& traced = m_measures.traced;
        const auto& step = m_efficiency.stepTimeS;
        const bool isPart = traced && traced->basis == TraceBasis::Trace && step;
        const std::string why = isPart
            ? fmt::format("The traces last {} of a step of {}, too little to speak for all of it.",
                text::seconds(traced->tracedS), text::seconds(*step))
            : "No kernel trace was recorded.";
        const bool isTold = traced && !isPart;
        const auto share = [&](std::string_view key, double TracedShares::*field,
                               const std::optional<Spread>& spread = {}) {
            set(key, isTold ? std::optional(traced->shares.*field) : std::nullopt, why, spread);
        };
        share("busy_fraction", &TracedShares::busy);
        share("compute_fraction", &TracedShares::compute);
        share("communication_fraction", &TracedShares::communication);
        share("exposed_communication_fraction", &TracedShares::exposedCommunication,
            traced ? spreadOf(traced->exposedByIteration) : std::nullopt);
        share("overlap_fraction", &TracedShares::overlap);
        share("copy_fraction", &TracedShares::copy);
        share("idle_fraction", &TracedShares::idle);
        set("bubble_fraction", isTold ? traced->bubbleFraction : std::nullopt,
            isTold ? "The run has no pipeline of several stages, or its layout is not known."
                   : why);
    }

    void takeTraffic() {
        const double seconds = m_measures.summary.duration.seconds();
        const auto steps = m_measures.stepsOfWindow();
        for (const auto& [key, metric, what] :
            {std::tuple{"nvlink_bytes_per_step", metric::kNvlinkTx, "NVLink traffic"},
                std::tuple{"pcie_bytes_per_step", metric::kPcieTx, "PCIe traffic"},
                std::tuple{"ib_bytes_per_step", metric::kIbTx, "InfiniBand traffic"}}) {
            const auto perSecond = bytesPerSecond(metric);
            const bool isOfNodes = std::string_view(metric) == metric::kIbTx;
            set(key,
                perSecond && steps ? std::optional(*perSecond * seconds / *steps) : std::nullopt,
                perSecond       ? "The length of a step is not known."
                    : isOfNodes ? whyNotAllNodes(metric, what)
                                : whyNotAll(metric, what));
        }
        set("peak_memory_used_b", ofAll(metric::kMemUsed, &SubjectStatistics::max),
            "The memory used on the GPUs was not recorded.");
    }

    // Bytes per second that the whole machine sends, from running totals, else from sampled rates.
    [[nodiscard]] std::optional<double> bytesPerSecond(const std::string& metric) const {
        const double seconds = m_measures.summary.duration.seconds();
        const bool isOfNodes = metric == metric::kIbTx;
        const bool isWhole = isOfNodes ? recordedNodes(metric) >= m_measures.nodes : hasAll(metric);
        if (const auto total = ofAll(metric, &SubjectStatistics::total);
            total && seconds > 0.0 && isWhole)
            return *total / seconds;
        const std::string rate = metric + "_rate";
        return !isOfNodes && hasAll(rate) ? sumOfMeans(rate) : std::nullopt;
    }

    RunMeasures& m_measures;
    const Efficiency& m_efficiency;
    const RunDetail& m_detail;
};

} // namespace

void fillValues(RunMeasures& measures, const Efficiency& efficiency, const RunDetail& detail) {
    Filler(measures, efficiency, detail).fill();
}

GpuFacts gpuFactsOf(const Run& run) {
    GpuFacts facts{run.gpuModel, "recorded", {}, {}, {}, {}};
    const catalogue::GpuModel* model = catalogue::findGpuModel(run.gpuModel);
    if (model == nullptr && run.gpuModel.empty()) {
        model = catalogue::findGpuModel(run.name);
        facts.origin = "from the name of the run";
    }
    if (model == nullptr)
        return facts;
    const bool isInferred = catalogue::isInferredName(run.gpuModel);
    facts.name = isInferred ? run.gpuModel : model->name;
    if (isInferred)
        facts.origin = "inferred";
    facts.memoryBytes = model->memoryBytes;
    facts.bf16Flops = model->bf16Flops ? model->bf16Flops : model->fp16Flops;
    facts.powerLimitW = model->powerLimitW;
    facts.links = model->scaleUp;
    return facts;
}

} // namespace trainscope::analysis
