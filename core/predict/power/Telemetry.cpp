#include "core/predict/power/Telemetry.h"

#include "core/model/Try.h"

#include <cmath>

namespace trainscope::predict {

namespace {

constexpr double kMostSamples = 1e8;
constexpr double kClockStepHz = 15e6;

// Seconds that a rank has spent in each activity up to any moment of the run, plain and weighted by
// intensity.
class RankTimeline {
public:
    RankTimeline(const PredictedRank& rank, double stepSeconds, double restSeconds, int steps)
        : m_step(rank.step)
        , m_stepSeconds(stepSeconds)
        , m_lead(restSeconds)
        , m_steps(steps) {
        std::sort(m_step.begin(), m_step.end(),
            [](const auto& a, const auto& b) { return a.begin < b.begin; });
        m_before.emplace_back();
        for (const ActivitySegment& segment : m_step) {
            Sums sums = m_before.back();
            sums.add(segment, segment.end - segment.begin);
            m_before.push_back(sums);
        }
    }

    // Seconds of each activity in [begin, end), with its mean intensity. The rest of a step is a
    // wait, in which kernels of collectives poll.
    struct Window {
        ActivityTimes times;
        double seconds = 0.0;
        double stillSeconds = 0.0; // before the first step and after the last
    };
    [[nodiscard]] Window between(double begin, double end) const {
        const Sums from = until(begin);
        const Sums to = until(end);
        Window out;
        out.seconds = end - begin;
        double told = 0.0;
        for (const Activity activity : kAllActivities) {
            const double seconds = to.seconds[activity] - from.seconds[activity];
            const double weighted = to.weighted[activity] - from.weighted[activity];
            told += seconds;
            out.times[activity].seconds = std::max(0.0, seconds);
            out.times[activity].intensity = seconds > 0.0 ? weighted / seconds : 1.0;
        }
        const double played = playedUntil(end) - playedUntil(begin);
        out.stillSeconds = out.seconds - played;
        out.times[Activity::Waiting].seconds += std::max(0.0, played - told);
        return out;
    }

private:
    struct Sums {
        ByActivity<double> seconds;
        ByActivity<double> weighted;

        void add(const ActivitySegment& segment, double length) {
            seconds[segment.activity] += length * segment.share;
            weighted[segment.activity] += length * segment.share * segment.intensity;
        }
    };
    [[nodiscard]] double playedUntil(double time) const {
        return std::clamp(time - m_lead, 0.0, m_stepSeconds * m_steps);
    }
    [[nodiscard]] Sums until(double time) const {
        const double played = playedUntil(time);
        const double whole = std::floor(played / m_stepSeconds);
        const double rest = played - whole * m_stepSeconds;
        auto next = std::partition_point(m_step.begin(), m_step.end(),
            [rest](const ActivitySegment& segment) { return segment.end <= rest; });
        Sums sums = m_before[static_cast<std::size_t>(next - m_step.begin())];
        for (; next != m_step.end() && next->begin < rest; ++next)
            sums.add(*next, rest - next->begin);
        for (const Activity activity : kAllActivities) {
            sums.seconds[activity] += whole * m_before.back().seconds[activity];
            sums.weighted[activity] += whole * m_before.back().weighted[activity];
        }
        return sums;
    }

    std::vector<ActivitySegment> m_step;
    std::vector<Sums> m_before; // by segment; of the whole step at last
    double m_stepSeconds;
    double m_lead;
    int m_steps;
};

struct Reading {
    double watts = 0.0;
    double clock = 1.0;
    double utilization = 0.0;
};

// One GPU at a temperature, over a window of its timeline.
class GpuMeter {
public:
    GpuMeter(const TelemetryRequest& request, const PredictedRank& rank)
        : m_gpu(request.gpu)
        , m_timeline(rank, request.stepSeconds, request.restSeconds, request.steps)
        , m_limitW(request.limitW.value_or(request.gpu.limitW))
        , m_locked(lockedClock(m_gpu, request.clockHz)) { }

    [[nodiscard]] Reading over(double begin, double end, double celsius) const {
        const RankTimeline::Window window = m_timeline.between(begin, end);
        std::vector<TimedLoad> loads = loadsOf(m_gpu, window.times);
        if (window.stillSeconds > 0.0)
            loads.push_back({window.stillSeconds, 0.0, 0.0, true});
        Reading out;
        out.clock = std::min(m_locked, clockOfPlayed(m_gpu, loads, m_limitW, celsius));
        out.clock *= clockLeftByHeat(m_gpu, celsius);
        out.watts = meanPowerPlayed(m_gpu, loads, out.clock, celsius).watts;
        const double idle = window.stillSeconds + window.times[Activity::Waiting].seconds;
        out.utilization = std::clamp(1.0 - idle / window.seconds, 0.0, 1.0);
        return out;
    }

private:
    const GpuPower& m_gpu;
    RankTimeline m_timeline;
    double m_limitW;
    double m_locked;
};

Status checked(const TelemetryRequest& request, double samples) {
    if (request.stepSeconds <= 0.0 || request.steps <= 0 || request.periodSeconds <= 0.0
        || request.sensorSeconds <= 0.0)
        return usageError("A step, its number and the sampling period must be more than 0.");
    if (samples * static_cast<double>(request.ranks.size()) > kMostSamples)
        return usageError("The telemetry would have more than 100 million samples; sample less "
                          "often, or fewer steps.");
    return {};
}

// All GPUs of a node, sample by sample.
class NodeSimulation {
public:
    NodeSimulation(const TelemetryRequest& request, const layout::ClusterNode& node)
        : m_request(request)
        , m_network(thermalNodeOf(node, request.cluster.gpusPerCard, request.gpu, request.air))
        , m_step(m_network, request.periodSeconds)
        , m_meters(node.gpus.size())
        , m_samples(node.gpus.size()) {
        for (std::size_t slot = 0; slot < node.gpus.size(); ++slot) {
            for (const PredictedRank& rank : request.ranks) {
                if (rank.rank == node.gpus[slot].rank) {
                    m_meters[slot].emplace(request, rank);
                    m_samples[slot].memoryBytes = rank.memoryBytes;
                }
            }
            m_samples[slot].rank = node.gpus[slot].rank;
        }
        settleStart();
    }

    void sample(std::int64_t index) {
        const double now = static_cast<double>(index) * m_request.periodSeconds;
        std::vector<double> watts(m_meters.size());
        for (std::size_t slot = 0; slot < m_meters.size(); ++slot) {
            const Reading lasting = over(slot, now, now + m_request.periodSeconds);
            watts[slot] = lasting.watts;
            if (m_meters[slot])
                record(slot, over(slot, now - m_request.sensorSeconds, now), lasting.watts);
        }
        m_step.advance(m_celsius, watts);
    }

    void finish(std::vector<GpuSamples>& into) {
        for (std::size_t slot = 0; slot < m_meters.size(); ++slot) {
            if (m_meters[slot])
                into.push_back(std::move(m_samples[slot]));
        }
    }

private:
    // A GPU without a rank is idle.
    [[nodiscard]] Reading over(std::size_t slot, double begin, double end) const {
        if (m_meters[slot])
            return m_meters[slot]->over(begin, end, m_celsius[slot]);
        return {idlePower(m_request.gpu, 1.0, m_celsius[slot]), 1.0, 0.0};
    }

    void record(std::size_t slot, const Reading& shown, double lastingWatts) {
        GpuSamples& samples = m_samples[slot];
        const bool isRounded = m_request.isRounded;
        const auto rounded = [isRounded](double value, double unit) {
            return isRounded ? std::round(value / unit) * unit : value;
        };
        samples.watts.push_back(rounded(shown.watts, 1e-3));
        samples.celsius.push_back(rounded(m_celsius[slot], 1.0));
        samples.clockHz.push_back(rounded(shown.clock * m_request.gpu.boostHz, kClockStepHz));
        samples.utilization.push_back(rounded(shown.utilization, 0.01));
        samples.joules += lastingWatts * m_request.periodSeconds;
    }

    void settleStart() {
        m_celsius.assign(m_meters.size(), kReferenceC);
        const double lead = m_request.restSeconds;
        constexpr int kSettleRounds = 30; // leakage is a weak feedback: each round leaves a tenth
        for (int round = 0; round < kSettleRounds; ++round) {
            std::vector<double> watts;
            for (std::size_t slot = 0; slot < m_meters.size(); ++slot)
                watts.push_back(m_request.startsSettled
                        ? over(slot, lead, lead + m_request.stepSeconds).watts
                        : idlePower(m_request.gpu, 1.0, m_celsius[slot]));
            m_celsius = m_network.steady(watts);
        }
    }

    const TelemetryRequest& m_request;
    ThermalNetwork m_network;
    ThermalStep m_step;
    std::vector<std::optional<GpuMeter>> m_meters; // by slot
    std::vector<GpuSamples> m_samples;
    std::vector<double> m_celsius;
};

} // namespace

Result<PredictedTelemetry> predictTelemetry(
    const TelemetryRequest& request, const Progress& progress) {
    const double seconds = request.restSeconds + request.stepSeconds * request.steps;
    const double samples = std::floor(seconds / request.periodSeconds) + 1.0;
    RETURN_IF_ERROR(checked(request, samples));
    PredictedTelemetry out;
    out.periodSeconds = request.periodSeconds;
    for (const layout::ClusterNode& node : request.cluster.nodes) {
        NodeSimulation simulation(request, node);
        for (std::int64_t i = 0; i < static_cast<std::int64_t>(samples); ++i) {
            constexpr std::int64_t kBetweenReports = 256;
            if (i % kBetweenReports == 0 && progress && !progress({"Predicting telemetry", 0, 0}))
                return cancelled();
            simulation.sample(i);
        }
        simulation.finish(out.gpus);
    }
    std::sort(out.gpus.begin(), out.gpus.end(),
        [](const GpuSamples& a, const GpuSamples& b) { return a.rank < b.rank; });
    return out;
}

Status writeTelemetry(const PredictedTelemetry& telemetry, TimeNs start, RunId run, Sink& sink,
    ImportReport& report) {
    std::vector<TimeNs> times;
    for (const GpuSamples& gpu : telemetry.gpus) {
        times.clear();
        for (std::size_t i = 0; i < gpu.watts.size(); ++i)
            times.push_back(start
                + DurationNs{std::llround(static_cast<double>(i) * telemetry.periodSeconds * 1e9)});
        const std::vector<double> memory(gpu.watts.size(), gpu.memoryBytes);
        const std::array<std::pair<const char*, const std::vector<double>*>, 5> channels{
            {{metric::kGpuPower, &gpu.watts}, {metric::kGpuTemperature, &gpu.celsius},
                {metric::kSmClock, &gpu.clockHz}, {metric::kGpuUtilization, &gpu.utilization},
                {metric::kMemUsed, &memory}}};
        for (const auto& [name, values] : channels) {
            SeriesDescription description;
            description.metric = *findMetric(name);
            description.subject.rank = gpu.rank;
            ASSIGN_OR_RETURN(const auto series, sink.series(run, description));
            RETURN_IF_ERROR(sink.samples(series, times, *values));
            report.rows += static_cast<std::int64_t>(values->size());
            report.samples += static_cast<std::int64_t>(values->size());
        }
    }
    return {};
}

} // namespace trainscope::predict
