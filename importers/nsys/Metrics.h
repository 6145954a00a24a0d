#pragma once
// Samples of the GPUs' hardware counters (GPU_METRICS) and of network adapters (NET_NIC_METRIC).
// Counters that are a metric of Trainscope become it; the others keep their name, with the unit
// that stands behind it in brackets. Percentages are of what the hardware could do at most.

#include "importers/nsys/Session.h"

namespace trainscope::importers::nsys {

Status readGpuMetrics(Session& session);
Status readNetworkMetrics(Session& session);

// A counter's metric and the factor that makes its numbers SI.
struct CounterMetric {
    Metric metric;
    double scale = 1.0;
    bool isClock = false; // Hz in 32 bits, whatever the unit in the name says
};
// "SMs Active [Throughput %]", "DRAM Read Bandwidth [Throughput %]", "GPC Clock Frequency [MHz]"
CounterMetric gpuCounter(std::string_view name);
// "IB: Bytes sent" in "bytes/ms"
CounterMetric networkCounter(std::string_view name, std::string_view unit);

} // namespace trainscope::importers::nsys
