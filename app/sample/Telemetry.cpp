#include "app/sample/Simulation.h"
#include "core/model/Metric.h"

#include "core/model/Try.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace trainscope::app::sample {

namespace {

constexpr double kThermalResistance = 0.0535; // °C per W, junction to local air
constexpr double kThermalSeconds = 16.0; // time constant
constexpr double kSlowdownCelsius = 86.0;
constexpr double kClockStepMHz = 15.0;
// Activations of a micro-batch at a layer's border, which tensor parallelism reduces four times and
// gathers twice more per layer, forward and backward together (core/layout/Traffic.h).
constexpr double kActivationBytes = 2.0 * kActivations;
constexpr double kPassesSeconds = 3.0; // forward and backward, in forward passes
constexpr double kPcieBytesPerSecond = 1.1e9;
constexpr double kCounterRange = 4294967296.0; // 32-bit counters

// The bytes per second that a GPU sends to the others of its node while it computes.
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

// One GPU, stepped at the sampling period: utilisation → power → temperature → clock, and the
// traffic it causes. A first-order thermal model; clocks fall in steps of 15 MHz above the slowdown
// temperature.
class SimulatedGpu {
public:
    SimulatedGpu(const ClusterParameters& cluster, int rank);

    // Advances one sampling period in which the GPU computed for that fraction of the time.
    GpuReading step(double busyFraction, std::int64_t index);

private:
    [[nodiscard]] double jitter(std::int64_t index, std::uint64_t channel) const;
    [[nodiscard]] bool isRear() const;

    const ClusterParameters& m_cluster;
    int m_rank;
    int m_node;
    int m_local;
    double m_watts;
    double m_celsius;
    double m_memoryCelsius;
    double m_clockMHz;
    double m_nvlinkBytes;
    double m_pcieBytes;
};

SimulatedGpu::SimulatedGpu(const ClusterParameters& cluster, int rank)
    : m_cluster(cluster)
    , m_rank(rank)
    , m_node(rank / cluster.gpusPerNode)
    , m_local(rank % cluster.gpusPerNode)
    , m_watts(cluster.idleWatts)
    , m_celsius(cluster.inletCelsius + 12.0)
    , m_memoryCelsius(cluster.inletCelsius + 15.0)
    , m_clockMHz(cluster.maxClockMHz)
    , m_nvlinkBytes((1.0 + noise(cluster.seed, 11, static_cast<std::uint64_t>(rank))) * 1e12)
    , m_pcieBytes((1.0 + noise(cluster.seed, 12, static_cast<std::uint64_t>(rank))) * 1e9) { }

bool SimulatedGpu::isRear() const {
    return m_local >= m_cluster.gpusPerNode / 2;
}

double SimulatedGpu::jitter(std::int64_t index, std::uint64_t channel) const {
    return noise(m_cluster.seed + channel, static_cast<std::uint64_t>(m_rank),
        static_cast<std::uint64_t>(index));
}

GpuReading SimulatedGpu::step(double busyFraction, std::int64_t index) {
    const auto rank = static_cast<std::uint64_t>(m_rank);
    const double chip = 1.0 + 0.018 * noise(m_cluster.seed, 1, rank);
    const bool endStage = m_node == 0 || m_node + 1 == m_cluster.nodes;
    const double load = chip * (endStage ? 1.025 : 1.0) * (m_clockMHz / m_cluster.maxClockMHz);
    const double swing = 1.0 + 0.045 * jitter(index, 2);
    const double target = m_cluster.idleWatts
        + busyFraction * (m_cluster.busyWatts * load * swing - m_cluster.idleWatts);
    m_watts = std::min(target + 6.0 * jitter(index, 3), 1.03 * m_cluster.powerLimitWatts);

    const double fullPower = m_cluster.busyWatts;
    const double preheat
        = (isRear() ? m_cluster.rearPreheatCelsius : 1.5 * (m_local % 4)) * m_watts / fullPower;
    const double inlet = m_cluster.inletCelsius + (m_node == m_cluster.hotNode ? 3.5 : 0.0);
    const double settled = inlet + preheat
        + kThermalResistance * m_watts * (1.0 + 0.03 * noise(m_cluster.seed, 4, rank));
    m_celsius += (settled - m_celsius) * kSampleSeconds / kThermalSeconds;
    m_memoryCelsius += (settled + 6.0 - m_memoryCelsius) * kSampleSeconds / (2.0 * kThermalSeconds);

    const double excess = std::max(0.0, m_celsius - kSlowdownCelsius);
    const double allowed
        = m_cluster.maxClockMHz - std::min(24.0, std::ceil(excess * 6.0)) * kClockStepMHz;
    m_clockMHz += std::clamp(allowed - m_clockMHz, -3.0 * kClockStepMHz, kClockStepMHz);
    m_nvlinkBytes
        += kSampleSeconds * nvlinkRate(m_cluster) * busyFraction * (1.0 + 0.05 * jitter(index, 5));
    m_pcieBytes += kSampleSeconds * kPcieBytesPerSecond * (0.03 + busyFraction)
        * (1.0 + 0.2 * jitter(index, 6));

    GpuReading reading;
    reading.powerMilliwatts = std::round(m_watts * 1000.0);
    reading.memoryPowerMilliwatts
        = std::round((38.0 + 62.0 * busyFraction + 2.0 * jitter(index, 7)) * 1000.0);
    reading.temperature = std::round(m_celsius);
    reading.memoryTemperature = std::round(m_memoryCelsius);
    reading.smClock = std::round(m_clockMHz / kClockStepMHz) * kClockStepMHz;
    reading.memoryClock = m_cluster.memoryClockMHz;
    reading.utilization = std::round(100.0 * std::min(1.0, 1.15 * busyFraction));
    reading.memoryUtilization
        = std::round(std::max(0.0, 44.0 * busyFraction + 3.0 * jitter(index, 8)));
    reading.memoryUsed = m_cluster.memoryUsedMiB;
    reading.nvlinkRx = wrapped(m_nvlinkBytes / 1024.0);
    reading.nvlinkTx = wrapped((m_nvlinkBytes + 7e10) / 1024.0);
    reading.pcieRx = wrapped(m_pcieBytes);
    reading.pcieTx = wrapped(0.8 * m_pcieBytes + 3e8);
    return reading;
}

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
    return sink.samples(series, times, values);
}

Status writeGpu(const ClusterParameters& cluster, const PipelineRun& pipeline, int rank, RunId run,
    Sink& sink, ImportReport& report) {
    const auto allTimes = sampleTimes(cluster, rank);
    std::vector<TimeNs> times;
    std::array<std::vector<double>, kChannels.size()> values;
    SimulatedGpu gpu(cluster, rank);
    const int stage = rank / cluster.gpusPerNode;
    for (std::int64_t i = 0; i < kSamples; ++i) {
        const double now = static_cast<double>(i) * kSampleSeconds;
        const auto reading = gpu.step(pipeline.busyFraction(stage, now - kSampleSeconds, now), i);
        if (isHole(rank, i))
            continue;
        times.push_back(allTimes[static_cast<std::size_t>(i)]);
        const bool failed = isFailedRead(cluster, rank, i);
        for (std::size_t c = 0; c < kChannels.size(); ++c)
            values[c].push_back(failed && c < 2 ? kMissing : reading.*kChannels[c].field);
    }
    for (std::size_t c = 0; c < kChannels.size(); ++c) {
        SeriesDescription description;
        description.metric = *findMetric(kChannels[c].metric);
        description.subject.rank = rank;
        description.scale = kChannels[c].scale;
        description.counterBits = kChannels[c].counterBits;
        description.sensor = c == 0 ? SensorKind::Instant : SensorKind::Unknown;
        RETURN_IF_ERROR(writeSeries(run, description, times, values[c], sink, report));
    }
    return {};
}

// Activations of a micro-batch cross each stage boundary once forward and once back.
Status writeInfiniband(const ClusterParameters& cluster, const PipelineRun& pipeline, int node,
    RunId run, Sink& sink, ImportReport& report) {
    constexpr int kDevices = 4;
    const double perPass = 2.0 * kActivations / kDevices;
    const bool hasBoth = node > 0 && node + 1 < cluster.nodes;
    const double bytesPerBusySecond
        = perPass * (hasBoth ? 2.0 : 1.0) / (3.0 * cluster.forwardSeconds);
    const auto times = sampleTimes(cluster, 1000 + node);
    for (int device = 0; device < kDevices; ++device) {
        for (const char* metric : {metric::kIbRx, metric::kIbTx}) {
            std::vector<double> values;
            double total = 1e12 * (1 + node) + 1e9 * device;
            for (std::int64_t i = 0; i < kSamples; ++i) {
                const double now = static_cast<double>(i) * kSampleSeconds;
                total += bytesPerBusySecond * kSampleSeconds
                    * pipeline.busyFraction(node, now - kSampleSeconds, now);
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
    for (int rank = 0; rank < cluster.gpus(); ++rank) {
        RETURN_IF_ERROR(writeGpu(cluster, pipeline, rank, run, sink, report));
    }
    for (int node = 0; node < cluster.nodes; ++node) {
        RETURN_IF_ERROR(writeInfiniband(cluster, pipeline, node, run, sink, report));
    }
    return {};
}

} // namespace trainscope::app::sample
