#include "core/model/Metric.h"

#include "core/model/StepFacts.h"

#include <fmt/format.h>

#include <cmath>

namespace trainscope {

namespace {

constexpr const char* kNoReason = "none";
constexpr std::string_view kPState = "pstate";

// A bit of throttle_reasons: NVML, nvmlClocksEventReasons. Recorders and importers bring those of
// other vendors to the same bits.
struct MaskBit {
    std::uint64_t bit;
    std::string_view name; // "sw_power_cap"
    std::string_view label; // "Software power cap"
};

constexpr std::array<MaskBit, 9> kThrottleBits{{{0x1, "gpu_idle", "GPU idle"},
    {0x2, "applications_clocks_setting", "Applications clocks"},
    {0x4, "sw_power_cap", "Software power cap"}, {0x8, "hw_slowdown", "Hardware slowdown"},
    {0x10, "sync_boost", "Sync boost"}, {0x20, "sw_thermal_slowdown", "Software thermal slowdown"},
    {0x40, "hw_thermal_slowdown", "Hardware thermal slowdown"},
    {0x80, "hw_power_brake_slowdown", "Hardware power brake"},
    {0x100, "display_clock_setting", "Display clocks"}}};

// "lm_loss", "train/loss" and "loss", but not "packets_lost" or "lossless".
bool isLoss(std::string_view name) {
    if (!name.ends_with(metric::kLoss))
        return false;
    name.remove_suffix(std::string_view(metric::kLoss).size());
    return name.empty() || name.back() == '_' || name.back() == '/' || name.back() == ' ';
}

// "reasons", "clocks_event_reasons": a mask of NVML's under another name.
bool isThrottleMask(std::string_view name) {
    constexpr std::string_view kReasons = "reasons";
    if (!name.ends_with(kReasons))
        return false;
    name.remove_suffix(kReasons.size());
    return name.empty()
        || ((name.ends_with('_') || name.ends_with('.'))
            && (name.find("throttle") != std::string_view::npos
                || name.find("clock") != std::string_view::npos
                || name.find("event") != std::string_view::npos));
}

// One bit of such a mask, in a column of its own.
bool isThrottleBit(std::string_view name) {
    return name.starts_with("throttle_reason_") || name.starts_with("clocks_event_reason_");
}

// Switches that some tools write as 0 and 1.
bool isMode(std::string_view name) {
    return name == "ecc_mode" || name == "persistence_mode" || name == "mig_mode";
}

std::vector<std::string> namesOfMask(std::uint64_t mask, bool isThrottle) {
    if (mask == 0)
        return {kNoReason};
    std::vector<std::string> names;
    for (int bit = 0; bit < 64; ++bit) {
        const std::uint64_t one = std::uint64_t{1} << static_cast<unsigned>(bit);
        if ((mask & one) == 0)
            continue;
        const auto known = std::ranges::find(kThrottleBits, one, &MaskBit::bit);
        const bool isNamed = isThrottle && known != kThrottleBits.end();
        names.push_back(isNamed ? std::string(known->name) : "bit_" + std::to_string(bit));
    }
    return names;
}

} // namespace

const std::vector<KnownMetric>& metricRegistry() {
    using enum MetricKind;
    constexpr bool kPercent = true;
    // clang-format off
    static const std::vector<KnownMetric> registry{
        {{metric::kGpuPower, "W", Gauge, "GPU power"}, "Power", false, 0xE69F00},
        {{metric::kGpuPowerAverage, "W", Gauge, "GPU power, averaged by the driver"}, {}, false, 0xC98A00},
        {{metric::kMemPower, "W", Gauge, "Memory power"}, {}, false, 0xB89B5E},
        {{metric::kGpuTemperature, "°C", Gauge, "GPU temperature"}, "Temperature", false, 0xD55E00},
        {{metric::kMemTemperature, "°C", Gauge, "Memory temperature"}, {}, false, 0xE58A5C},
        {{metric::kSmClock, "Hz", Gauge, "SM clock"}, {}, false, 0x56B4E9},
        {{metric::kMemClock, "Hz", Gauge, "Memory clock"}, {}, false, 0x8CCDF0},
        {{metric::kGpuUtilization, "1", Gauge, "GPU utilisation"}, "Utilisation", kPercent, 0xCC79A7},
        {{metric::kMemUtilization, "1", Gauge, "Memory utilisation"}, {}, kPercent, 0xDDA5C4},
        {{metric::kMemUsed, "B", Gauge, "Memory used"}, {}, false, 0x999999},
        {{"mem_used_fraction", "1", Gauge, "Memory used, share"}, {}, kPercent, {}},
        {{metric::kMemTotal, "B", Gauge, "Memory size"}},
        {{metric::kTorchAllocated, "B", Gauge, "Memory allocated"}, {}, false, 0x7A5195},
        {{metric::kTorchReserved, "B", Gauge, "Memory reserved"}, {}, false, 0xA98BC0},
        {{metric::kTorchUnallocated, "B", Gauge, "Memory reserved, not allocated"}, {}, false, 0xBC5090},
        {{metric::kNvlinkRx, "B", Counter, "NVLink received"}, {}, false, 0x009E73},
        {{metric::kNvlinkTx, "B", Counter, "NVLink sent"}, {}, false, 0x5CC4A4},
        {{metric::kPcieRx, "B", Counter, "PCIe received"}, {}, false, 0x0072B2},
        {{metric::kPcieTx, "B", Counter, "PCIe sent"}, {}, false, 0x5BA3D0},
        {{metric::kIbRx, "B", Counter, "InfiniBand received"}, {}, false, 0x8A77C4},
        {{metric::kIbTx, "B", Counter, "InfiniBand sent"}, {}, false, 0xB2A5DC},
        {{metric::kPcieRxRate, "B/s", Rate, "PCIe receive rate"}, {}, false, 0x0072B2},
        {{metric::kPcieTxRate, "B/s", Rate, "PCIe send rate"}, {}, false, 0x5BA3D0},
        {{metric::kNvlinkRxRate, "B/s", Rate, "NVLink receive rate"}, {}, false, 0x009E73},
        {{metric::kNvlinkTxRate, "B/s", Rate, "NVLink send rate"}, {}, false, 0x5CC4A4},
        {{metric::kThrottleReasons, "1", Mask, "Clock throttle reasons"}, {}, false, 0xF0E442},
        {{metric::kFanSpeed, "1", Gauge, "Fan speed"}, {}, kPercent, {}},
        {{metric::kPowerLimit, "W", Gauge, "Power limit"}, {}, false, 0xA0522D},
        {{"power_fraction", "1", Gauge, "Power, share of the limit"}, {}, kPercent, {}},
        {{metric::kCpuPower, "W", Gauge, "CPU power"}, {}, false, 0x9C7A3C},
        {{metric::kCpuTemperature, "°C", Gauge, "CPU temperature"}},
        {{metric::kCpuUtilization, "1", Gauge, "CPU utilisation"}, {}, kPercent, {}},
        {{metric::kNodePower, "W", Gauge, "Node power"}, {}, false, 0xF0C050},
        {{metric::kModulePower, "W", Gauge, "Power of GPU and processor on one module"}, {}, false, 0xC8A040},
        {{metric::kGpuEnergy, "J", Counter, "GPU energy"}},
        {{metric::kHotspotTemperature, "°C", Gauge, "Hotspot temperature"}, {}, false, 0xB04A00},
        {{metric::kEccCorrected, "1", Counter, "Memory errors, corrected"}},
        {{metric::kEccUncorrected, "1", Counter, "Memory errors, not corrected"}},
        {{metric::kXid, "1", State, "Last Xid error"}},
        {{"pstate", "1", State, "Performance state"}},
        {{metric::kNvlinkLinkRx, "B", Counter, "NVLink received, one link"}},
        {{metric::kNvlinkLinkTx, "B", Counter, "NVLink sent, one link"}},
        {{metric::kNetRx, "B", Counter, "Network received"}},
        {{metric::kNetTx, "B", Counter, "Network sent"}},
        {{metric::kSamplingDelay, "s", Gauge, "Sampling delay"}},
        {{metric::kSwitchPower, "W", Gauge, "Switch power"}, {}, false, 0xD9B38C},
        {{metric::kDramPower, "W", Gauge, "Host memory power"}, {}, false, 0xBFA26A},
        {{metric::kNodeEnergy, "J", Counter, "Node energy"}},
        {{metric::kInletTemperature, "°C", Gauge, "Inlet air temperature"}},
        {{metric::kGraphicsActive, "1", Gauge, "Graphics engine active"}, {}, kPercent, {}},
        {{metric::kSmActive, "1", Gauge, "SMs active"}, {}, kPercent, {}},
        {{metric::kSmOccupancy, "1", Gauge, "SM occupancy"}, {}, kPercent, {}},
        {{metric::kTensorActive, "1", Gauge, "Tensor cores active"}, {}, kPercent, {}},
        {{metric::kDramActive, "1", Gauge, "GPU memory active"}, {}, kPercent, {}},
        {{metric::kFp64Active, "1", Gauge, "FP64 active"}, {}, kPercent, {}},
        {{metric::kFp32Active, "1", Gauge, "FP32 active"}, {}, kPercent, {}},
        {{metric::kFp16Active, "1", Gauge, "FP16 active"}, {}, kPercent, {}},
        {{metric::kXgmiRx, "B", Counter, "xGMI received"}, {}, false, 0x009E73},
        {{metric::kXgmiTx, "B", Counter, "xGMI sent"}, {}, false, 0x5CC4A4},
        {{"xgmi_link_rx", "B", Counter, "xGMI received, one link"}},
        {{"xgmi_link_tx", "B", Counter, "xGMI sent, one link"}},
        {{"pcie_rate", "B/s", Rate, "PCIe rate, both directions"}, {}, false, 0x0072B2},
        {{metric::kLoss, "1", Progress, "Loss"}, {}, false, 0x4477AA},
        {{metric::kGradNorm, "1", Gauge, "Gradient norm"}},
        {{metric::kLearningRate, "1", Progress, "Learning rate"}},
        {{metric::kStepTime, "s", Gauge, "Step time, as reported"}},
        {{metric::kTokenRate, "1/s", Rate, "Tokens per second, as reported"}},
        {{metric::kSampleRate, "1/s", Rate, "Samples per second, as reported"}},
        {{metric::kStepTokens, "1", Gauge, "Tokens of a step"}},
        {{metric::kStepSamples, "1", Gauge, "Samples of a step"}},
        {{metric::kReportedFlops, "FLOP/s", Rate, "Throughput of a GPU, as reported"}},
        {{metric::kReportedMfu, "1", Gauge, "Model FLOP utilisation, as reported"}, {}, kPercent, {}},
    };
    // clang-format on
    return registry;
}

const KnownMetric* findMetric(std::string_view name) {
    const auto& registry = metricRegistry();
    const auto found = std::ranges::find(registry, name, &KnownMetric::name);
    return found == registry.end() ? nullptr : &*found;
}

bool isShownAsPercent(std::string_view metricName, std::string_view unit) {
    if (unit != "1")
        return false;
    const KnownMetric* known = findMetric(metricName);
    return known != nullptr ? known->isPercent : metricName.ends_with("utilization");
}

MetricKind metricKindOf(std::string_view name, MetricKind said) {
    if (said != MetricKind::Gauge)
        return said;
    const KnownMetric* known = findMetric(name);
    if (known != nullptr)
        return isAveraged(known->kind) || known->kind == MetricKind::Counter ? said : known->kind;
    if (isThrottleMask(name))
        return MetricKind::Mask;
    if (isThrottleBit(name) || isMode(name) || name.ends_with("link_state"))
        return MetricKind::State;
    return isLoss(name) ? MetricKind::Progress : said;
}

std::vector<std::string> namesOfValue(const Metric& metric, double value) {
    if (std::isnan(value))
        return {};
    if (metric.kind == MetricKind::Mask) {
        constexpr double kMost = 18446744073709549568.0; // the largest double below 2^64
        const auto mask = static_cast<std::uint64_t>(std::clamp(value, 0.0, kMost));
        return namesOfMask(mask, isThrottleMask(metric.name));
    }
    if (metric.name == metric::kXid && value == 0.0)
        return {kNoReason};
    if (isThrottleBit(metric.name))
        return {value == 0.0 ? "not_active" : "active"};
    if (isMode(metric.name) && (value == 0.0 || value == 1.0))
        return {value == 0.0 ? "off" : "on"};
    std::string text = fmt::format("{:.15g}", value);
    return {metric.name == kPState ? "P" + text : std::move(text)};
}

std::string labelOfName(std::string_view name) {
    if (name == kNoReason)
        return "None";
    if (name == "not_active")
        return "not active";
    const auto known = std::ranges::find(kThrottleBits, name, &MaskBit::name);
    return std::string(known == kThrottleBits.end() ? name : known->label);
}

} // namespace trainscope
