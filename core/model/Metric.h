#pragma once
// The registry of metrics: names, SI units, kinds of the quantities that Trainscope knows, and how
// they are shown. A new metric is one row in Metric.cpp. Sources may bring further metrics under
// their own names.

#include "core/model/EnumNames.h"

#include <cstdint>
#include <vector>

namespace trainscope {

// Names of metrics that code asks for.
namespace metric {

inline constexpr const char* kGpuPower = "gpu_power";
inline constexpr const char* kGpuPowerAverage = "gpu_power_average";
inline constexpr const char* kMemPower = "mem_power";
inline constexpr const char* kGpuTemperature = "gpu_temperature";
inline constexpr const char* kMemTemperature = "mem_temperature";
inline constexpr const char* kSmClock = "sm_clock";
inline constexpr const char* kMemClock = "mem_clock";
inline constexpr const char* kGpuUtilization = "gpu_utilization";
inline constexpr const char* kMemUtilization = "mem_utilization";
inline constexpr const char* kMemUsed = "mem_used";
inline constexpr const char* kMemTotal = "mem_total";
inline constexpr const char* kTorchAllocated = "torch_mem_allocated";
inline constexpr const char* kTorchReserved = "torch_mem_reserved";
inline constexpr const char* kTorchUnallocated = "torch_mem_unallocated";
inline constexpr const char* kNvlinkRx = "nvlink_rx";
inline constexpr const char* kNvlinkTx = "nvlink_tx";
inline constexpr const char* kPcieRx = "pcie_rx";
inline constexpr const char* kPcieTx = "pcie_tx";
inline constexpr const char* kIbRx = "ib_rx";
inline constexpr const char* kIbTx = "ib_tx";
inline constexpr const char* kPcieRxRate = "pcie_rx_rate";
inline constexpr const char* kPcieTxRate = "pcie_tx_rate";
inline constexpr const char* kNvlinkRxRate = "nvlink_rx_rate";
inline constexpr const char* kNvlinkTxRate = "nvlink_tx_rate";
inline constexpr const char* kThrottleReasons = "throttle_reasons";
inline constexpr const char* kFanSpeed = "fan_speed";
inline constexpr const char* kPowerLimit = "power_limit";
inline constexpr const char* kCpuPower = "cpu_power";
inline constexpr const char* kCpuTemperature = "cpu_temperature";
inline constexpr const char* kCpuUtilization = "cpu_utilization";
inline constexpr const char* kNodePower = "node_power";
inline constexpr const char* kModulePower = "module_power";
inline constexpr const char* kGpuEnergy = "gpu_energy";
inline constexpr const char* kHotspotTemperature = "hotspot_temperature";
inline constexpr const char* kEccCorrected = "ecc_corrected";
inline constexpr const char* kEccUncorrected = "ecc_uncorrected";
inline constexpr const char* kXid = "xid";
inline constexpr const char* kNvlinkLinkRx = "nvlink_link_rx";
inline constexpr const char* kNvlinkLinkTx = "nvlink_link_tx";
inline constexpr const char* kNetRx = "net_rx";
inline constexpr const char* kNetTx = "net_tx";
inline constexpr const char* kSamplingDelay = "sampling_delay";
inline constexpr const char* kSwitchPower = "switch_power";
inline constexpr const char* kDramPower = "dram_power";
inline constexpr const char* kNodeEnergy = "node_energy";
inline constexpr const char* kInletTemperature = "inlet_temperature";
inline constexpr const char* kGraphicsActive = "graphics_active";
inline constexpr const char* kSmActive = "sm_active";
inline constexpr const char* kSmOccupancy = "sm_occupancy";
inline constexpr const char* kTensorActive = "tensor_active";
inline constexpr const char* kDramActive = "dram_active";
inline constexpr const char* kFp64Active = "fp64_active";
inline constexpr const char* kFp32Active = "fp32_active";
inline constexpr const char* kFp16Active = "fp16_active";
inline constexpr const char* kXgmiRx = "xgmi_rx";
inline constexpr const char* kXgmiTx = "xgmi_tx";
inline constexpr const char* kLoss = "loss";
inline constexpr const char* kGradNorm = "grad_norm";
inline constexpr const char* kLearningRate = "learning_rate";
inline constexpr const char* kStepTime = "step_time";
inline constexpr const char* kTokenRate = "token_rate";
inline constexpr const char* kSampleRate = "sample_rate";
inline constexpr const char* kReportedFlops = "reported_flops";
inline constexpr const char* kReportedMfu = "reported_mfu";

} // namespace metric

enum class MetricKind {
    Gauge, // holds until the next sample: power, temperature, clock
    Counter, // a running total that may wrap: bytes
    Rate, // a gauge that is already a derivative: B/s
    Mask, // bits that each name a reason, holds like a gauge: shares of time by reason, no mean
    State, // a number that only names something, as a p-state or an Xid: shares of time by value
    Progress, // a value on its way, as the loss: first, last and extremes, no mean
};
constexpr auto namesOf(MetricKind) {
    return enumNames("gauge", "counter", "rate", "mask", "state", "progress");
}

// Gauges and rates: their values may be averaged over time and compared as numbers.
constexpr bool isAveraged(MetricKind kind) {
    return kind == MetricKind::Gauge || kind == MetricKind::Rate;
}
// Masks and states: the shares of time of what they name are all that can be told.
constexpr bool isShared(MetricKind kind) {
    return kind == MetricKind::Mask || kind == MetricKind::State;
}

struct Metric {
    std::string name; // "gpu_power"
    std::string unit; // SI symbol: W, °C, Hz, B, B/s, J, s, or 1 for fractions and plain numbers
    MetricKind kind = MetricKind::Gauge;
    std::string label; // "GPU power", for people

    bool operator==(const Metric&) const = default;
};

// A row of the registry: a metric and how it is shown.
struct KnownMetric : Metric {
    std::string shortLabel = {}; // "Power", where it is clear whose; empty: the label
    bool isPercent = false; // a fraction that people read as %
    std::optional<std::uint32_t> color = {}; // 0xRRGGBB, of its lines
};

const std::vector<KnownMetric>& metricRegistry();

// The registered metric of that name, or nullptr.
const KnownMetric* findMetric(std::string_view name);

// True for values that are shown in %: where the registry says so, and, of metrics that only their
// source knows, plain numbers whose name ends in "utilization".
bool isShownAsPercent(std::string_view metricName, std::string_view unit);

// The kind that holds for a metric of that name, of a value that a source took for a gauge: as the
// registry knows it, Progress of a loss, Mask of throttle reasons, State of modes and of links.
MetricKind metricKindOf(std::string_view name, MetricKind said);

// The names of a value of a mask or state, whose shares of time are told under them: "sw_power_cap"
// for each bit of a mask, "bit_9" for one without a name, "none" for 0; "P2" of a p-state, else the
// number. Empty for missing values.
std::vector<std::string> namesOfValue(const Metric& metric, double value);
// The same for people: "Software power cap".
std::string labelOfName(std::string_view name);

} // namespace trainscope
