#include "app/sample/SampleTelemetry.h"

#include "app/sample/GpuModel.h"
#include "app/sample/Noise.h"

#include <array>
#include <cmath>
#include <limits>

namespace trainscope::app::sample {

namespace {

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
    {"gpu_power", &GpuReading::powerMilliwatts, 1e-3, 0},
    {"mem_power", &GpuReading::memoryPowerMilliwatts, 1e-3, 0},
    {"gpu_temperature", &GpuReading::temperature, 1.0, 0},
    {"mem_temperature", &GpuReading::memoryTemperature, 1.0, 0},
    {"sm_clock", &GpuReading::smClock, 1e6, 0},
    {"mem_clock", &GpuReading::memoryClock, 1e6, 0},
    {"gpu_utilization", &GpuReading::utilization, 0.01, 0},
    {"mem_utilization", &GpuReading::memoryUtilization, 0.01, 0},
    {"mem_used", &GpuReading::memoryUsed, 1048576.0, 0},
    {"nvlink_rx", &GpuReading::nvlinkRx, 1024.0, 32},
    {"nvlink_tx", &GpuReading::nvlinkTx, 1024.0, 32},
    {"pcie_rx", &GpuReading::pcieRx, 1.0, 32},
    {"pcie_tx", &GpuReading::pcieTx, 1.0, 32},
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
    const auto series = sink.series(run, description);
    if (!series.hasValue())
        return series.error();
    report.rows += static_cast<std::int64_t>(values.size());
    report.samples += static_cast<std::int64_t>(values.size());
    for (const double value : values)
        report.missing += std::isnan(value) ? 1 : 0;
    return sink.samples(series.value(), times, values);
}

Status writeGpu(const ClusterParameters& cluster, const PipelineRun& pipeline, int rank, RunId run,
    Sink& sink, ImportReport& report) {
    const auto allTimes = sampleTimes(cluster, rank);
    std::vector<TimeNs> times;
    std::array<std::vector<double>, kChannels.size()> values;
    GpuModel gpu(cluster, rank);
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
        const auto written = writeSeries(run, description, times, values[c], sink, report);
        if (!written.hasValue())
            return written;
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
        for (const char* metric : {"ib_rx", "ib_tx"}) {
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
            const auto written = writeSeries(run, description, times, values, sink, report);
            if (!written.hasValue())
                return written;
        }
    }
    return {};
}

} // namespace

Status writeTelemetry(const ClusterParameters& cluster, const PipelineRun& pipeline, RunId run,
    Sink& sink, ImportReport& report) {
    for (int rank = 0; rank < cluster.gpus(); ++rank) {
        const auto written = writeGpu(cluster, pipeline, rank, run, sink, report);
        if (!written.hasValue())
            return written;
    }
    for (int node = 0; node < cluster.nodes; ++node) {
        const auto written = writeInfiniband(cluster, pipeline, node, run, sink, report);
        if (!written.hasValue())
            return written;
    }
    return {};
}

} // namespace trainscope::app::sample
