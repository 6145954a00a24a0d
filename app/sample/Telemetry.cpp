#include "app/sample/Simulation.h"

#include "core/model/Try.h"
#include "core/predict/power/PowerModel.h"
#include "core/predict/power/ThermalNetwork.h"

#include <cmath>

namespace trainscope::app::sample {

namespace {

constexpr double kThermalResistance = 0.0535; // °C per W, junction to local air
constexpr double kThermalSeconds = 16.0; // time constant
constexpr double kSlowdownCelsius = 86.0;
constexpr double kParkedShare = 0.6; // share of the idle power, at the lowest clock
constexpr double kClockStepMHz = 15.0;
// Activations of a micro-batch at a layer's border, which tensor parallelism reduces four times and
// gathers twice more per layer, forward and backward together (core/layout/Traffic.h).
constexpr double kActivationBytes = 2.0 * kActivations;
constexpr double kPassesSeconds = 3.0; // forward and backward, in forward passes
constexpr double kPcieBytesPerSecond = 1.1e9;
constexpr double kCounterRange = 4294967296.0; // 32-bit counters

// The bytes per second that a GPU sends to the others of its node during passes.
double nvlinkRate(const ClusterParameters& cluster) {
    const double others = (cluster.gpusPerNode - 1.0) / cluster.gpusPerNode;
    const double layer = (4.0 * 2.0 + 2.0) * others * kActivationBytes;
    return layer * kLayers / cluster.stages() / (kPassesSeconds * cluster.forwardSeconds);
}

double wrapped(double total) {
    return std::floor(std::fmod(total, kCounterRange));
}

// A reading of the sensors of one GPU, in the numbers of NVML: mW, °C, MHz, %, MiB, KiB and bytes
// modulo 2³².
struct GpuReading {
    double powerMilliwatts = 0.0;
    double memoryPowerMilliwatts = 0.0;
    double temperature = 0.0;
    double memoryTemperature = 0.0;
    double smClock = 0.0;
    double memoryClock = 0.0;
    double utilization = 0.0;
    double memoryUtilization = 0.0;
    double memoryUsed = 0.0;
    double nvlinkRx = 0.0;
    double nvlinkTx = 0.0;
    double pcieRx = 0.0;
    double pcieTx = 0.0;
};

// Work of a stage in one sampling period.
struct SampledWork {
    std::int64_t index = 0; // number of the period
    double busy = 0.0; // fractions of it, as PipelineRun has them
    double passes = 0.0;
};

SampledWork sampledWork(const PipelineRun& pipeline, int stage, std::int64_t index) {
    const double now = static_cast<double>(index) * kSampleSeconds;
    return {index, pipeline.busyFraction(stage, now - kSampleSeconds, now),
        pipeline.passFraction(stage, now - kSampleSeconds, now)};
}

predict::GpuPower powerOfGpu(const ClusterParameters& cluster) {
    predict::GpuPower gpu;
    gpu.limitW = cluster.powerLimitWatts;
    gpu.boostHz = cluster.maxClockMHz * 1e6;
    gpu.idleW = cluster.idleWatts;
    gpu.parkedW = kParkedShare * cluster.idleWatts;
    gpu.activeW[predict::Activity::Gemm] = cluster.busyWatts - cluster.idleWatts;
    gpu.clockBound[predict::Activity::Gemm] = 1.0;
    gpu.slowdownC = kSlowdownCelsius;
    gpu.thermal = {kThermalResistance, kThermalSeconds};
    return gpu;
}

// Local indices ascend from front to rear; chips differ in how they sit on their heat sinks.
predict::ThermalNode heatOfNode(
    const ClusterParameters& cluster, int node, const predict::GpuPower& gpu) {
    const int front = cluster.gpusPerNode / 2;
    predict::ThermalNode out;
    out.air.inletC = cluster.inletCelsius + (node == cluster.hotNode ? 3.5 : 0.0);
    out.air.risePerW = cluster.rearPreheatCelsius / (front * cluster.busyWatts);
    for (int local = 0; local < cluster.gpusPerNode; ++local) {
        predict::ThermalSlot slot{local < front ? 0 : 1, local, gpu.thermal};
        const int rank = node * cluster.gpusPerNode + local;
        slot.thermal.resistance
            *= 1.0 + 0.03 * noise(cluster.seed, 4, static_cast<std::uint64_t>(rank));
        out.slots.push_back(slot);
    }
    return out;
}

// The GPUs of a node, stepped at the sampling period: power, clock and heat by core/predict's
// model; chips that differ, stages that carry more, noise and traffic by the sample.
class SimulatedNode {
public:
    SimulatedNode(const ClusterParameters& cluster, int node)
        : m_cluster(cluster)
        , m_node(node)
        , m_power(powerOfGpu(cluster))
        , m_network(heatOfNode(cluster, node, m_power))
        , m_step(m_network, kSampleSeconds)
        , m_celsius(static_cast<std::size_t>(cluster.gpusPerNode), cluster.inletCelsius + 12.0) {
        for (std::size_t local = 0; local < m_celsius.size(); ++local) {
            const auto rank = static_cast<std::uint64_t>(rankOf(local));
            m_gpus.push_back(
                {cluster.inletCelsius + 15.0, (1.0 + noise(cluster.seed, 11, rank)) * 1e12,
                    (1.0 + noise(cluster.seed, 12, rank)) * 1e9});
        }
    }

    // Advances one sampling period; by local index.
    std::vector<GpuReading> step(const SampledWork& work) {
        std::vector<GpuReading> readings;
        std::vector<double> watts;
        for (std::size_t local = 0; local < m_gpus.size(); ++local) {
            const auto loads = loadsOf(local, work);
            const double celsius = m_celsius[local];
            const double clock
                = predict::clockOfPlayed(m_power, loads, m_cluster.powerLimitWatts, celsius)
                * predict::clockLeftByHeat(m_power, celsius);
            watts.push_back(predict::meanPowerPlayed(m_power, loads, clock, celsius).watts
                + 6.0 * jitter(local, work.index, 3));
            readings.push_back(read(local, work, watts.back(), clock));
        }
        m_step.advance(m_celsius, watts);
        return readings;
    }

private:
    struct SimulatedGpu {
        double memoryCelsius = 0.0;
        double nvlinkBytes = 0.0;
        double pcieBytes = 0.0;
    };

    [[nodiscard]] int rankOf(std::size_t local) const {
        return m_node * m_cluster.gpusPerNode + static_cast<int>(local);
    }
    [[nodiscard]] double jitter(
        std::size_t local, std::int64_t index, std::uint64_t channel) const {
        return noise(m_cluster.seed + channel, static_cast<std::uint64_t>(rankOf(local)),
            static_cast<std::uint64_t>(index));
    }
    [[nodiscard]] std::vector<predict::TimedLoad> loadsOf(
        std::size_t local, const SampledWork& work) const {
        const double chip
            = 1.0 + 0.018 * noise(m_cluster.seed, 1, static_cast<std::uint64_t>(rankOf(local)));
        const bool isEndStage = m_node == 0 || m_node + 1 == m_cluster.nodes;
        const double swing = 1.0 + 0.045 * jitter(local, work.index, 2);
        const double watts = m_cluster.busyWatts * chip * (isEndStage ? 1.025 : 1.0) * swing;
        return {{work.busy, watts - m_cluster.idleWatts, 1.0}, {1.0 - work.busy, 0.0, 0.0, true}};
    }
    [[nodiscard]] GpuReading read(
        std::size_t local, const SampledWork& work, double watts, double clock) {
        const std::int64_t index = work.index;
        SimulatedGpu& gpu = m_gpus[local];
        gpu.memoryCelsius += (m_celsius[local] + 6.0 - gpu.memoryCelsius) * kSampleSeconds
            / (2.0 * kThermalSeconds);
        gpu.nvlinkBytes += kSampleSeconds * nvlinkRate(m_cluster) * work.passes
            * (1.0 + 0.05 * jitter(local, index, 5));
        gpu.pcieBytes += kSampleSeconds * kPcieBytesPerSecond * (0.03 + work.busy)
            * (1.0 + 0.2 * jitter(local, index, 6));

        GpuReading reading;
        reading.powerMilliwatts = std::round(watts * 1000.0);
        reading.memoryPowerMilliwatts
            = std::round((38.0 + 62.0 * work.busy + 2.0 * jitter(local, index, 7)) * 1000.0);
        reading.temperature = std::round(m_celsius[local]);
        reading.memoryTemperature = std::round(gpu.memoryCelsius);
        reading.smClock = std::round(clock * m_cluster.maxClockMHz / kClockStepMHz) * kClockStepMHz;
        reading.memoryClock = m_cluster.memoryClockMHz;
        reading.utilization = std::round(100.0 * std::min(1.0, 1.15 * work.busy));
        reading.memoryUtilization
            = std::round(std::max(0.0, 44.0 * work.busy + 3.0 * jitter(local, index, 8)));
        reading.memoryUsed = m_cluster.memoryUsedMiB;
        reading.nvlinkRx = wrapped(gpu.nvlinkBytes / 1024.0);
        reading.nvlinkTx = wrapped((gpu.nvlinkBytes + 7e10) / 1024.0);
        reading.pcieRx = wrapped(gpu.pcieBytes);
        reading.pcieTx = wrapped(0.8 * gpu.pcieBytes + 3e8);
        return reading;
    }

    const ClusterParameters& m_cluster;
    int m_node;
    predict::GpuPower m_power;
    predict::ThermalNetwork m_network;
    predict::ThermalStep m_step;
    std::vector<double> m_celsius; // by local index
    std::vector<SimulatedGpu> m_gpus;
};

constexpr auto kSamples = static_cast<std::int64_t>(kRunSeconds / kSampleSeconds);
constexpr std::int64_t kPeriodNs = 100'000'000;
constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

// One stored metric of a GPU: where it stands in a reading and how it is scaled to SI.
struct Channel {
    const char* metric;
    double GpuReading::*field;
    double scale;
    int counterBits;
};
constexpr std::array<Channel, 13> kChannels{{
    {metric::kGpuPower, &GpuReading::powerMilliwatts, 1e-3, 0},
    {metric::kMemPower, &GpuReading::memoryPowerMilliwatts, 1e-3, 0},
    {metric::kGpuTemperature, &GpuReading::temperature, 1.0, 0},
    {metric::kMemTemperature, &GpuReading::memoryTemperature, 1.0, 0},
    {metric::kSmClock, &GpuReading::smClock, 1e6, 0},
    {metric::kMemClock, &GpuReading::memoryClock, 1e6, 0},
    {metric::kGpuUtilization, &GpuReading::utilization, 0.01, 0},
    {metric::kMemUtilization, &GpuReading::memoryUtilization, 0.01, 0},
    {metric::kMemUsed, &GpuReading::memoryUsed, 1048576.0, 0},
    {metric::kNvlinkRx, &GpuReading::nvlinkRx, 1024.0, 32},
    {metric::kNvlinkTx, &GpuReading::nvlinkTx, 1024.0, 32},
    {metric::kPcieRx, &GpuReading::pcieRx, 1.0, 32},
    {metric::kPcieTx, &GpuReading::pcieTx, 1.0, 32},
}};

// Sampling times of one GPU: the period with a jitter of a few ms, shared by its metrics.
std::vector<TimeNs> sampleTimes(const ClusterParameters& cluster, int rank) {
    std::vector<TimeNs> times;
    times.reserve(static_cast<std::size_t>(kSamples));
    for (std::int64_t i = 0; i < kSamples; ++i) {
        const double jitter = noise(
            cluster.seed + 21, static_cast<std::uint64_t>(rank), static_cast<std::uint64_t>(i));
        times.push_back(
            {kStart.ns + i * kPeriodNs + std::llround(jitter * 2000.0) * 1000 + 3'000'000});
    }
    return times;
}

// A hole of three seconds on one GPU, and failed reads here and there.
bool isHole(int rank, std::int64_t index) {
    return rank == 13 && index >= 700 && index < 730;
}
bool isFailedRead(const ClusterParameters& cluster, int rank, std::int64_t index) {
    return noise(cluster.seed + 22, static_cast<std::uint64_t>(rank),
               static_cast<std::uint64_t>(index))
        > 0.998;
}

Status writeSeries(RunId run, const SeriesDescription& description,
    const std::vector<TimeNs>& times, const std::vector<double>& values, Sink& sink,
    ImportReport& report) {
    ASSIGN_OR_RETURN(const auto series, sink.series(run, description));
    report.rows += static_cast<std::int64_t>(values.size());
    report.samples += static_cast<std::int64_t>(values.size());
    for (const double value : values)
        report.missing += std::isnan(value) ? 1 : 0;
    for (std::size_t i = 1; i < times.size(); ++i)
        report.gaps += (times[i] - times[i - 1]).ns > 10 * kPeriodNs ? 1 : 0;
    return sink.samples(series, times, values);
}

// Samples of a GPU, channel by channel.
struct GpuLog {
    std::vector<TimeNs> times;
    std::array<std::vector<double>, kChannels.size()> values;

    void add(const ClusterParameters& cluster, int rank, std::int64_t index, TimeNs time,
        const GpuReading& reading) {
        if (isHole(rank, index))
            return;
        times.push_back(time);
        const bool failed = isFailedRead(cluster, rank, index);
        for (std::size_t c = 0; c < kChannels.size(); ++c)
            values[c].push_back(failed && c < 2 ? kMissing : reading.*kChannels[c].field);
    }
};

Status writeGpu(int rank, const GpuLog& log, RunId run, Sink& sink, ImportReport& report) {
    for (std::size_t c = 0; c < kChannels.size(); ++c) {
        SeriesDescription description;
        description.metric = *findMetric(kChannels[c].metric);
        description.subject.rank = rank;
        description.scale = kChannels[c].scale;
        description.counterBits = kChannels[c].counterBits;
        description.sensor = c == 0 ? SensorKind::Instant : SensorKind::Unknown;
        RETURN_IF_ERROR(writeSeries(run, description, log.times, log.values[c], sink, report));
    }
    return {};
}

Status writeNode(const ClusterParameters& cluster, const PipelineRun& pipeline, int node, RunId run,
    Sink& sink, ImportReport& report) {
    const int first = node * cluster.gpusPerNode;
    std::vector<GpuLog> logs(static_cast<std::size_t>(cluster.gpusPerNode));
    std::vector<std::vector<TimeNs>> times;
    for (int local = 0; local < cluster.gpusPerNode; ++local)
        times.push_back(sampleTimes(cluster, first + local));
    SimulatedNode gpus(cluster, node);
    for (std::int64_t i = 0; i < kSamples; ++i) {
        const auto readings = gpus.step(sampledWork(pipeline, node, i));
        for (std::size_t local = 0; local < logs.size(); ++local)
            logs[local].add(cluster, first + static_cast<int>(local), i,
                times[local][static_cast<std::size_t>(i)], readings[local]);
    }
    for (std::size_t local = 0; local < logs.size(); ++local)
        RETURN_IF_ERROR(writeGpu(first + static_cast<int>(local), logs[local], run, sink, report));
    return {};
}

// Activations of a micro-batch cross each stage boundary once forward and once back. The first and
// the last stage reduce the gradients of the word embeddings that they share, in 32 bit: each sends
// them once.
Status writeInfiniband(const ClusterParameters& cluster, const PipelineRun& pipeline, int node,
    RunId run, Sink& sink, ImportReport& report) {
    constexpr int kDevices = 4;
    const double perPass = 2.0 * kActivations / kDevices;
    const bool hasBoth = node > 0 && node + 1 < cluster.nodes;
    const double bytesPerSecondOfPasses
        = perPass * (hasBoth ? 2.0 : 1.0) / (3.0 * cluster.forwardSeconds);
    const double bytesPerSecondOfOptimizer = hasBoth
        ? 0.0
        : 4.0 * kVocabulary * kHidden / kDevices / (kOptimizerBusy * cluster.optimizerSeconds);
    const auto times = sampleTimes(cluster, 1000 + node);
    for (int device = 0; device < kDevices; ++device) {
        for (const char* metric : {metric::kIbRx, metric::kIbTx}) {
            std::vector<double> values;
            double total = 1e12 * (1 + node) + 1e9 * device;
            for (std::int64_t i = 0; i < kSamples; ++i) {
                const SampledWork work = sampledWork(pipeline, node, i);
                total += kSampleSeconds
                    * (bytesPerSecondOfPasses * work.passes
                        + bytesPerSecondOfOptimizer * (work.busy - work.passes));
                values.push_back(std::floor(total));
            }
            SeriesDescription description;
            description.metric = *findMetric(metric);
            description.subject = {SubjectKind::Link, -1, node, "ib" + std::to_string(device)};
            description.counterBits = 64;
            RETURN_IF_ERROR(writeSeries(run, description, times, values, sink, report));
        }
    }
    return {};
}

} // namespace

Status writeTelemetry(const ClusterParameters& cluster, const PipelineRun& pipeline, RunId run,
    Sink& sink, ImportReport& report) {
    for (int node = 0; node < cluster.nodes; ++node) {
        RETURN_IF_ERROR(writeNode(cluster, pipeline, node, run, sink, report));
    }
    for (int node = 0; node < cluster.nodes; ++node) {
        RETURN_IF_ERROR(writeInfiniband(cluster, pipeline, node, run, sink, report));
    }
    return {};
}

} // namespace trainscope::app::sample
