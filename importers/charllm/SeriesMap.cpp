#include "importers/charllm/SeriesMap.h"

#include "core/model/Metric.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace trainscope::importers::charllm {

namespace {

constexpr double kPercent = 0.01;
constexpr double kMega = 1e6;
constexpr double kKibi = 1024.0;
constexpr double kKilo = 1000.0;

struct Rule {
    std::string_view file; // the metric in the file's name
    std::string_view metric; // in the registry
    double scale = 1.0;
    int counterBits = 0;
    SensorKind sensor = SensorKind::Unknown;
};

using enum SensorKind;

// gpu_power is NVML's instantaneous power field, mem_power its average over the memory scope.
constexpr auto kGpuRules = std::to_array<Rule>({
    {"gpu_power", metric::kGpuPower, 1.0, 0, Instant},
    {"power", metric::kGpuPower, 1.0, 0, Unknown},
    {"mem_power", metric::kMemPower, 1.0, 0, Averaged},
    {"gpu_thermal", metric::kGpuTemperature},
    {"thermal", metric::kGpuTemperature},
    {"gpu_temperature", metric::kGpuTemperature},
    {"mem_thermal", metric::kMemTemperature},
    {"mem_temperature", metric::kMemTemperature},
    {"sm_clock", metric::kSmClock, kMega},
    {"gpu_clock", metric::kSmClock, kMega},
    {"mem_clock", metric::kMemClock, kMega},
    {"gpu_util", metric::kGpuUtilization, kPercent},
    {"mem_util", metric::kMemUtilization, kPercent},
    {"nvlink_rx_throughput", metric::kNvlinkRx, kKibi, 32},
    {"nvlink_tx_throughput", metric::kNvlinkTx, kKibi, 32},
    {"pcie_rx_bytes", metric::kPcieRx, 1.0, 32},
    {"pcie_tx_bytes", metric::kPcieTx, 1.0, 32},
    {"pcie_rx_throughput", metric::kPcieRxRate, kKilo},
    {"pcie_tx_throughput", metric::kPcieTxRate, kKilo},
});

constexpr auto kSystemRules = std::to_array<Rule>({
    {"ib_rx_bytes", metric::kIbRx, 1.0, 64},
    {"ib_tx_bytes", metric::kIbTx, 1.0, 64},
    {"cpu_temp", metric::kCpuTemperature},
    {"cpu_temperature", metric::kCpuTemperature},
    {"cpu_power", metric::kCpuPower},
    {"node_power", metric::kNodePower},
    {"power", metric::kNodePower},
    {"cpu_util", metric::kCpuUtilization, kPercent},
    {"cpu_utilization", metric::kCpuUtilization, kPercent},
});

template <std::size_t N>
const Rule* findRule(const std::array<Rule, N>& rules, std::string_view file) {
    const auto found = std::ranges::find(rules, file, &Rule::file);
    return found == rules.end() ? nullptr : found;
}

// A metric that CharLLM-PPT's node exporter brings besides. Its memory_used is the memory the host
// has.
Metric ownMetric(const TelemetryName& name) {
    const bool isBytes = name.metric.ends_with("_bytes");
    const bool isMemory = name.isSystem && name.metric.starts_with("memory_");
    Metric metric{name.metric, isBytes || isMemory ? "B" : "1", MetricKind::Gauge, name.metric};
    if (isBytes)
        metric.kind = MetricKind::Counter;
    std::replace(metric.label.begin(), metric.label.end(), '_', ' ');
    return metric;
}

} // namespace

SeriesDescription describeSeries(const TelemetryName& name, int gpusPerNode) {
    SeriesDescription description;
    description.subject.kind = name.isSystem ? SubjectKind::Node : SubjectKind::Gpu;
    if (name.isSystem) {
        description.subject.node = name.rank / std::max(gpusPerNode, 1);
        description.subject.device = name.device;
        if (name.metric == "ib_rx_bytes" || name.metric == "ib_tx_bytes")
            description.subject.kind = SubjectKind::Link;
    } else {
        description.subject.rank = name.rank;
    }
    const Rule* rule
        = name.isSystem ? findRule(kSystemRules, name.metric) : findRule(kGpuRules, name.metric);
    if (rule == nullptr) {
        description.metric = ownMetric(name);
        description.counterBits = description.metric.kind == MetricKind::Counter ? 64 : 0;
        return description;
    }
    if (const Metric* metric = findMetric(rule->metric))
        description.metric = *metric;
    description.scale = rule->scale;
    description.counterBits = rule->counterBits;
    description.sensor = rule->sensor;
    return description;
}

} // namespace trainscope::importers::charllm
