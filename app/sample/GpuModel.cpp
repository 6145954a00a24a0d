#include "app/sample/GpuModel.h"

#include "app/sample/Noise.h"

#include <algorithm>
#include <cmath>

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

// What a GPU sends to the others of its node while it computes, bytes per second.
double nvlinkRate(const ClusterParameters& cluster) {
    const double others = (cluster.gpusPerNode - 1.0) / cluster.gpusPerNode;
    const double layer = (4.0 * 2.0 + 2.0) * others * kActivationBytes;
    return layer * kLayers / cluster.stages() / (kPassesSeconds * cluster.forwardSeconds);
}

double wrapped(double total) {
    return std::floor(std::fmod(total, kCounterRange));
}
} // namespace

GpuModel::GpuModel(const ClusterParameters& cluster, int rank)
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

bool GpuModel::isRear() const {
    return m_local >= m_cluster.gpusPerNode / 2;
}

double GpuModel::jitter(std::int64_t index, std::uint64_t channel) const {
    return noise(m_cluster.seed + channel, static_cast<std::uint64_t>(m_rank),
        static_cast<std::uint64_t>(index));
}

GpuReading GpuModel::step(double busyFraction, std::int64_t index) {
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

} // namespace trainscope::app::sample
