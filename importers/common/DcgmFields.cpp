#include "importers/common/DcgmFields.h"

#include "core/model/Metric.h"

#include <cmath>

namespace trainscope::importers {

namespace {

// Integers of 31 and 32 bits.
constexpr std::array kHighest{2147483647.0, 4294967295.0};

// SI; generous, since units may be meant otherwise than they are read.
double mostOf(std::string_view name, std::string_view unit) {
    if (unit == "1" && name.ends_with("_utilization")) // processors and processes, over all cores
        return name.starts_with("cpu_") || name.starts_with("process_") ? 1e4 : 1.5;
    if (unit == "W")
        return name.starts_with("gpu_") ? 1e6 : 1e9;
    return unit == "°C" ? 1e3 : unit == "Hz" ? 5e10 : std::numeric_limits<double>::infinity();
}

constexpr double kFieldMega = 1e6;
constexpr double kFieldMebi = 1024.0 * 1024.0;
constexpr double kFieldPercent = 0.01;

// clang-format off
constexpr auto kFields = std::to_array<DcgmField>({
    {"DCGM_FI_DEV_POWER_USAGE", "power_usage", "POWER", "gpu_power", "W"},
    {"DCGM_FI_DEV_BOARD_POWER_WATTS", "power_usage", "POWER", "gpu_power", "W"},
    {"DCGM_FI_DEV_POWER_USAGE_INSTANT", "power_usage_instant", "POWINST", "gpu_power", "W", 1.0, MetricKind::Gauge, SensorKind::Instant},
    {"DCGM_FI_DEV_BOARD_POWER_RAW_WATTS", "power_usage_instant", "POWINST", "gpu_power", "W", 1.0, MetricKind::Gauge, SensorKind::Instant},
    {"DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", "total_energy_consumption", "TOTEC", "gpu_energy", "J", 1e-3, MetricKind::Counter},
    {"DCGM_FI_DEV_POWER_MGMT_LIMIT", "power_management_limit", "PMLMT", "power_limit", "W"},
    {"DCGM_FI_DEV_ENFORCED_POWER_LIMIT", "enforced_power_limit", "EPLMT", "power_limit", "W"},
    {"DCGM_FI_DEV_GPU_TEMP", "gpu_temp", "TMPTR", "gpu_temperature", "°C"},
    {"DCGM_FI_DEV_GPU_TEMP_CELSIUS", "gpu_temp", "TMPTR", "gpu_temperature", "°C"},
    {"DCGM_FI_DEV_MEMORY_TEMP", "memory_temp", "MMTMP", "mem_temperature", "°C"},
    {"DCGM_FI_DEV_MEMORY_TEMP_CELSIUS", "memory_temp", "MMTMP", "mem_temperature", "°C"},
    {"DCGM_FI_DEV_SLOWDOWN_TEMP", "slowdown_temp", "SDTMP", "slowdown_temperature", "°C"},
    {"DCGM_FI_DEV_SHUTDOWN_TEMP", "shutdown_temp", "SHTMP", "shutdown_temperature", "°C"},
    {"DCGM_FI_DEV_SM_CLOCK", "sm_clock", "SMCLK", "sm_clock", "Hz", kFieldMega},
    {"DCGM_FI_DEV_MEM_CLOCK", "memory_clock", "MMCLK", "mem_clock", "Hz", kFieldMega},
    {"DCGM_FI_DEV_VIDEO_CLOCK", "video_clock", "VICLK", "video_clock", "Hz", kFieldMega},
    {"DCGM_FI_DEV_APP_SM_CLOCK", "sm_app_clock", "SACLK", "sm_app_clock", "Hz", kFieldMega},
    {"DCGM_FI_DEV_APP_MEM_CLOCK", "mem_app_clock", "MACLK", "mem_app_clock", "Hz", kFieldMega},
    {"DCGM_FI_DEV_GPU_UTIL", "gpu_utilization", "GPUTL", "gpu_utilization", "1", kFieldPercent},
    {"DCGM_FI_DEV_GPU_UTIL_RATIO", "gpu_utilization", "GPUTL", "gpu_utilization", "1", kFieldPercent},
    {"DCGM_FI_DEV_MEM_COPY_UTIL", "mem_copy_utilization", "MCUTL", "mem_utilization", "1", kFieldPercent},
    {"DCGM_FI_DEV_ENC_UTIL", "enc_utilization", "ECUTL", "encoder_utilization", "1", kFieldPercent},
    {"DCGM_FI_DEV_DEC_UTIL", "dec_utilization", "DCUTL", "decoder_utilization", "1", kFieldPercent},
    {"DCGM_FI_DEV_FB_USED", "fb_used", "FBUSD", "mem_used", "B", kFieldMebi},
    {"DCGM_FI_DEV_FB_TOTAL", "fb_total", "FBTTL", "mem_total", "B", kFieldMebi},
    {"DCGM_FI_DEV_FB_FREE", "fb_free", "FBFRE", "mem_free", "B", kFieldMebi},
    {"DCGM_FI_DEV_FB_RESERVED", "fb_resv", "FBRSV", "mem_reserved", "B", kFieldMebi},
    {"DCGM_FI_DEV_FAN_SPEED", "fan_speed", "FANSP", "fan_speed", "1", kFieldPercent},
    {"DCGM_FI_DEV_PSTATE", "power_state", "PSTAT", "pstate", "1"},
    {"DCGM_FI_DEV_CLOCK_THROTTLE_REASONS", "current_clock_throttle_reasons", "DVCCTR", "throttle_reasons", "1"},
    {"DCGM_FI_DEV_CLOCKS_EVENT_REASONS", "current_clocks_event_reasons", "DVCCER", "throttle_reasons", "1"},
    {"DCGM_FI_DEV_XID_ERRORS", "xid_errors", "XIDER", "xid", "1"},
    {"DCGM_FI_DEV_PCIE_TX_THROUGHPUT", "pcie_tx_throughput", "TXTPT", "pcie_tx_rate", "B/s", 1e3, MetricKind::Rate},
    {"DCGM_FI_DEV_PCIE_RX_THROUGHPUT", "pcie_rx_throughput", "RXTPT", "pcie_rx_rate", "B/s", 1e3, MetricKind::Rate},
    {"DCGM_FI_DEV_PCIE_REPLAY_COUNTER", "pcie_replay_counter", "RPCTR", "pcie_replays", "1", 1.0, MetricKind::Counter},
    {"DCGM_FI_DEV_ECC_SBE_VOL_TOTAL", "ecc_sbe_volatile_total", "ESVTL", "ecc_corrected", "1", 1.0, MetricKind::Counter},
    {"DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", "ecc_dbe_volatile_total", "EDVTL", "ecc_uncorrected", "1", 1.0, MetricKind::Counter},
    {"DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL", "nvlink_bandwidth_total", "NBWLT", "nvlink_bandwidth_total", "1", 1.0, MetricKind::Counter},
    {"DCGM_FI_DEV_POWER_VIOLATION", "power_violation", "PVIOL", "power_violation", "s", 1e-9, MetricKind::Counter},
    {"DCGM_FI_DEV_THERMAL_VIOLATION", "thermal_violation", "TVIOL", "thermal_violation", "s", 1e-9, MetricKind::Counter},
    {"DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS", "uncorrectable_remapped_rows", "URMPS", "uncorrectable_remapped_rows", "1", 1.0, MetricKind::Counter},
    {"DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS", "correctable_remapped_rows", "CRMPS", "correctable_remapped_rows", "1", 1.0, MetricKind::Counter},
    {"DCGM_FI_DEV_ROW_REMAP_FAILURE", "row_remap_failure", "RRF", "row_remap_failure", "1"},
    {"DCGM_FI_PROF_GR_ENGINE_ACTIVE", "gr_engine_active", "GRACT", "graphics_active", "1"},
    {"DCGM_FI_PROF_SM_ACTIVE", "sm_active", "SMACT", "sm_active", "1"},
    {"DCGM_FI_PROF_SM_OCCUPANCY", "sm_occupancy", "SMOCC", "sm_occupancy", "1"},
    {"DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", "tensor_active", "TENSO", "tensor_active", "1"},
    {"DCGM_FI_PROF_DRAM_ACTIVE", "dram_active", "DRAMA", "dram_active", "1"},
    {"DCGM_FI_PROF_PIPE_FP64_ACTIVE", "fp64_active", "FP64A", "fp64_active", "1"},
    {"DCGM_FI_PROF_PIPE_FP32_ACTIVE", "fp32_active", "FP32A", "fp32_active", "1"},
    {"DCGM_FI_PROF_PIPE_FP16_ACTIVE", "fp16_active", "FP16A", "fp16_active", "1"},
    {"DCGM_FI_PROF_PCIE_TX_BYTES", "pcie_tx_bytes", "PCITX", "pcie_tx_rate", "B/s", 1.0, MetricKind::Rate},
    {"DCGM_FI_PROF_PCIE_RX_BYTES", "pcie_rx_bytes", "PCIRX", "pcie_rx_rate", "B/s", 1.0, MetricKind::Rate},
    {"DCGM_FI_PROF_NVLINK_TX_BYTES", "nvlink_tx_bytes", "NVLTX", "nvlink_tx_rate", "B/s", 1.0, MetricKind::Rate},
    {"DCGM_FI_PROF_NVLINK_RX_BYTES", "nvlink_rx_bytes", "NVLRX", "nvlink_rx_rate", "B/s", 1.0, MetricKind::Rate},
    {"DCGM_FI_PROF_PIPE_TENSOR_IMMA_ACTIVE", "tensor_imma_active", "TIMMA", "tensor_imma_active", "1"},
    {"DCGM_FI_PROF_PIPE_TENSOR_HMMA_ACTIVE", "tensor_hmma_active", "THMMA", "tensor_hmma_active", "1"},
    {"DCGM_FI_PROF_PIPE_TENSOR_DFMA_ACTIVE", "tensor_dfma_active", "TDFMA", "tensor_dfma_active", "1"},
    {"DCGM_FI_PROF_PIPE_INT_ACTIVE", "integer_active", "INTAC", "integer_active", "1"},});
// clang-format on

const DcgmField* fieldBy(std::string_view DcgmField::*word, std::string_view text) {
    const auto found = std::find_if(kFields.begin(), kFields.end(),
        [&](const DcgmField& field) { return field.*word == text; });
    return found == kFields.end() ? nullptr : &*found;
}

} // namespace

double certainlyPossible(const SeriesDescription& what) {
    if (what.metric.name == metric::kThrottleReasons) // a mask
        return std::numeric_limits<double>::infinity();
    const double most = mostOf(what.metric.name, what.metric.unit) / what.scale;
    return std::min(most, kHighest.front() - 1.0);
}

bool isPossible(const SeriesDescription& what, double number) {
    return number <= mostOf(what.metric.name, what.metric.unit) / what.scale
        && number < kHighestReading && std::ranges::find(kHighest, number) == kHighest.end();
}

std::vector<NumberRange> impossibleNumbers(const SeriesDescription& what) {
    if (what.metric.name == metric::kThrottleReasons)
        return {};
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const double most = mostOf(what.metric.name, what.metric.unit) / what.scale;
    return {{kHighest[0], kHighest[0]}, {kHighest[1], kHighest[1]},
        {std::min(std::nextafter(most, infinity), kHighestReading)}};
}

std::span<const DcgmField> dcgmFields() {
    return kFields;
}

const DcgmField* dcgmFieldTagged(std::string_view tag) {
    return fieldBy(&DcgmField::tag, tag);
}

const DcgmField* dcgmFieldOfColumn(std::string_view column) {
    return fieldBy(&DcgmField::column, column);
}

std::span<const NumberRange> dcgmBlanks() {
    constexpr double reasons = 15.0; // beside the first
    constexpr double int32 = 2147483632.0; // 0x7ffffff0
    constexpr double double64 = 140737488355328.0; // 2^47
    static constexpr std::array<NumberRange, 3> blanks{
        {{int32, int32 + reasons}, {double64, double64 + reasons}, {kHighestReading}}};
    return blanks;
}

bool isDcgmBlank(double value) {
    return std::ranges::any_of(
        dcgmBlanks(), [value](const NumberRange& blank) { return blank.contains(value); });
}

} // namespace trainscope::importers
