#include "core/model/Metric.h"

#include <algorithm>

namespace trainscope {

const std::vector<Metric>& metricRegistry() {
    using enum MetricKind;
    static const std::vector<Metric> registry{
        {"gpu_power", "W", Gauge, "GPU power"},
        {"gpu_power_average", "W", Gauge, "GPU power, averaged by the driver"},
        {"mem_power", "W", Gauge, "Memory power"},
        {"gpu_temperature", "°C", Gauge, "GPU temperature"},
        {"mem_temperature", "°C", Gauge, "Memory temperature"},
        {"sm_clock", "Hz", Gauge, "SM clock"},
        {"mem_clock", "Hz", Gauge, "Memory clock"},
        {"gpu_utilization", "1", Gauge, "GPU utilisation"},
        {"mem_utilization", "1", Gauge, "Memory utilisation"},
        {"mem_used", "B", Gauge, "Memory used"},
        {"mem_total", "B", Gauge, "Memory size"},
        {"nvlink_rx", "B", Counter, "NVLink received"},
        {"nvlink_tx", "B", Counter, "NVLink sent"},
        {"pcie_rx", "B", Counter, "PCIe received"},
        {"pcie_tx", "B", Counter, "PCIe sent"},
        {"ib_rx", "B", Counter, "InfiniBand received"},
        {"ib_tx", "B", Counter, "InfiniBand sent"},
        {"pcie_rx_rate", "B/s", Rate, "PCIe receive rate"},
        {"pcie_tx_rate", "B/s", Rate, "PCIe send rate"},
        {"nvlink_rx_rate", "B/s", Rate, "NVLink receive rate"},
        {"nvlink_tx_rate", "B/s", Rate, "NVLink send rate"},
        {"throttle_reasons", "1", Gauge, "Clock throttle reasons, bit mask"},
        {"fan_speed", "1", Gauge, "Fan speed"},
        {"power_limit", "W", Gauge, "Power limit"},
        {"cpu_power", "W", Gauge, "CPU power"},
        {"cpu_temperature", "°C", Gauge, "CPU temperature"},
        {"cpu_utilization", "1", Gauge, "CPU utilisation"},
        {"node_power", "W", Gauge, "Node power"},
    };
    return registry;
}

const Metric* findMetric(std::string_view name) {
    const auto& registry = metricRegistry();
    const auto found = std::find_if(registry.begin(), registry.end(),
        [name](const Metric& metric) { return metric.name == name; });
    return found == registry.end() ? nullptr : &*found;
}

std::string_view toString(MetricKind kind) {
    switch (kind) {
    case MetricKind::Counter:
        return "counter";
    case MetricKind::Rate:
        return "rate";
    case MetricKind::Gauge:
        break;
    }
    return "gauge";
}

MetricKind metricKindFromString(std::string_view text) {
    if (text == "counter")
        return MetricKind::Counter;
    return text == "rate" ? MetricKind::Rate : MetricKind::Gauge;
}

} // namespace trainscope
