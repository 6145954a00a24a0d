#pragma once
// One simulated GPU, stepped at the sampling period: utilisation → power → temperature → clock, and
// the traffic it causes. A first-order thermal model; clocks fall in steps of 15 MHz above the
// slowdown temperature.

#include "app/sample/SampleCluster.h"

#include <cstdint>

namespace trainscope::app::sample {

// What the sensors of one GPU show, in the numbers of NVML: mW, °C, MHz, %, MiB, KiB and bytes
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

class GpuModel {
public:
    GpuModel(const ClusterParameters& cluster, int rank);

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

} // namespace trainscope::app::sample
