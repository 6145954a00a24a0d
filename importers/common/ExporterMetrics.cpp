#include "importers/common/ExporterMetrics.h"

#include "core/model/AsciiText.h"
#include "core/model/WholeNumber.h"

#include <unordered_map>

namespace trainscope::importers {
namespace {

constexpr double kExportMega = 1e6;
constexpr double kExportMebi = 1024.0 * 1024.0;
constexpr double kExportPercent = 0.01;
constexpr std::string_view kClockLabel = "clock_type";

// clang-format off
constexpr std::array kExporters{
    // AMD device-metrics-exporter; its names may have the prefix amd_.
    ExporterMetric{"gpu_package_power", "gpu_power", "W"},
    ExporterMetric{"gpu_average_package_power", "gpu_power", "W", 1.0, MetricKind::Gauge, SubjectKind::Gpu, SensorKind::Averaged},
    ExporterMetric{"gpu_power_usage", "gpu_power_usage", "W"},
    ExporterMetric{"gpu_energy_consumed", "gpu_energy", "J", 1e-6, MetricKind::Counter},
    ExporterMetric{"gpu_edge_temperature", "gpu_temperature", "°C"},
    ExporterMetric{"gpu_junction_temperature", "hotspot_temperature", "°C"},
    ExporterMetric{"gpu_memory_temperature", "mem_temperature", "°C"},
    ExporterMetric{"gpu_gfx_activity", "gpu_utilization", "1", kExportPercent},
    ExporterMetric{"gpu_umc_activity", "mem_utilization", "1", kExportPercent},
    ExporterMetric{"gpu_used_vram", "mem_used", "B", kExportMebi},
    ExporterMetric{"gpu_total_vram", "mem_total", "B", kExportMebi},
    ExporterMetric{"gpu_free_vram", "mem_free", "B", kExportMebi},
    ExporterMetric{"gpu_clock", "sm_clock", "Hz", kExportMega, MetricKind::Gauge, SubjectKind::Gpu, SensorKind::Unknown, {}, kClockLabel, "GPU_CLOCK_TYPE_SYSTEM"},
    ExporterMetric{"gpu_clock", "mem_clock", "Hz", kExportMega, MetricKind::Gauge, SubjectKind::Gpu, SensorKind::Unknown, {}, kClockLabel, "GPU_CLOCK_TYPE_MEMORY"},
    ExporterMetric{"gpu_ecc_correct_total", "ecc_corrected", "1", 1.0, MetricKind::Counter},
    ExporterMetric{"gpu_ecc_uncorrect_total", "ecc_uncorrected", "1", 1.0, MetricKind::Counter},
    ExporterMetric{"pcie_bandwidth", "pcie_bandwidth", "B/s", kExportMega / 8.0, MetricKind::Rate},
    // nvidia_gpu_exporter, which asks nvidia-smi.
    ExporterMetric{"nvidia_smi_power_draw_watts", "gpu_power", "W"},
    ExporterMetric{"nvidia_smi_power_draw_instant_watts", "gpu_power", "W", 1.0, MetricKind::Gauge, SubjectKind::Gpu, SensorKind::Instant},
    ExporterMetric{"nvidia_smi_power_draw_average_watts", "gpu_power_average", "W", 1.0, MetricKind::Gauge, SubjectKind::Gpu, SensorKind::Averaged},
    ExporterMetric{"nvidia_smi_enforced_power_limit_watts", "power_limit", "W"},
    ExporterMetric{"nvidia_smi_energy_joules_total", "gpu_energy", "J", 1.0, MetricKind::Counter},
    ExporterMetric{"nvidia_smi_temperature_gpu", "gpu_temperature", "°C"},
    ExporterMetric{"nvidia_smi_temperature_memory", "mem_temperature", "°C"},
    ExporterMetric{"nvidia_smi_utilization_gpu_ratio", "gpu_utilization", "1"},
    ExporterMetric{"nvidia_smi_utilization_memory_ratio", "mem_utilization", "1"},
    ExporterMetric{"nvidia_smi_clocks_current_sm_clock_hz", "sm_clock", "Hz"},
    ExporterMetric{"nvidia_smi_clocks_current_memory_clock_hz", "mem_clock", "Hz"},
    ExporterMetric{"nvidia_smi_memory_used_bytes", "mem_used", "B"},
    ExporterMetric{"nvidia_smi_memory_total_bytes", "mem_total", "B"},
    ExporterMetric{"nvidia_smi_fan_speed_ratio", "fan_speed", "1"},
    // node-exporter.
    ExporterMetric{"node_network_receive_bytes_total", "net_rx", "B", 1.0, MetricKind::Counter, SubjectKind::Link, SensorKind::Unknown, "device"},
    ExporterMetric{"node_network_transmit_bytes_total", "net_tx", "B", 1.0, MetricKind::Counter, SubjectKind::Link, SensorKind::Unknown, "device"},
    ExporterMetric{"node_infiniband_port_data_received_bytes_total", "ib_rx", "B", 1.0, MetricKind::Counter, SubjectKind::Link, SensorKind::Unknown, "device port"},
    ExporterMetric{"node_infiniband_port_data_transmitted_bytes_total", "ib_tx", "B", 1.0, MetricKind::Counter, SubjectKind::Link, SensorKind::Unknown, "device port"},
    ExporterMetric{"node_memory_MemTotal_bytes", "host_mem_total", "B", 1.0, MetricKind::Gauge, SubjectKind::Node},
    ExporterMetric{"node_memory_MemAvailable_bytes", "host_mem_available", "B", 1.0, MetricKind::Gauge, SubjectKind::Node},
    ExporterMetric{"node_load1", "load1", "1", 1.0, MetricKind::Gauge, SubjectKind::Node},
    ExporterMetric{"node_rapl_package_joules_total", "cpu_energy", "J", 1.0, MetricKind::Counter, SubjectKind::Link, SensorKind::Unknown, "path index"},
    ExporterMetric{"node_rapl_dram_joules_total", "dram_energy", "J", 1.0, MetricKind::Counter, SubjectKind::Link, SensorKind::Unknown, "path index"},
    ExporterMetric{"node_hwmon_power_average_watt", "hwmon_power", "W", 1.0, MetricKind::Gauge, SubjectKind::Link, SensorKind::Averaged, "chip sensor"},
    ExporterMetric{"node_hwmon_temp_celsius", "hwmon_temperature", "°C", 1.0, MetricKind::Gauge, SubjectKind::Link, SensorKind::Unknown, "chip sensor"},
    // ipmi_exporter, exporters of Redfish and iDRAC, Kepler.
    ExporterMetric{"ipmi_dcmi_power_consumption_watts", "node_power", "W", 1.0, MetricKind::Gauge, SubjectKind::Node},
    ExporterMetric{"ipmi_power_watts", "sensor_power", "W", 1.0, MetricKind::Gauge, SubjectKind::Link, SensorKind::Unknown, "name"},
    ExporterMetric{"ipmi_temperature_celsius", "sensor_temperature", "°C", 1.0, MetricKind::Gauge, SubjectKind::Link, SensorKind::Unknown, "name"},
    ExporterMetric{"redfish_chassis_power_powercontrol_consumed_watts", "node_power", "W", 1.0, MetricKind::Gauge, SubjectKind::Node},
    ExporterMetric{"redfish_chassis_power_average_consumed_watts", "node_power_average", "W", 1.0, MetricKind::Gauge, SubjectKind::Node, SensorKind::Averaged},
    ExporterMetric{"idrac_power_control_consumed_watts", "node_power", "W", 1.0, MetricKind::Gauge, SubjectKind::Node},
    ExporterMetric{"idrac_power_supply_input_watts", "supply_power", "W", 1.0, MetricKind::Gauge, SubjectKind::Link, SensorKind::Unknown, "id"},
    ExporterMetric{"kepler_node_platform_joules_total", "node_energy", "J", 1.0, MetricKind::Counter, SubjectKind::Node},
};
// clang-format on

constexpr std::array<std::string_view, 9> kNodeLabels{"Hostname", "hostname", "node", "nodename",
    "kubernetes_node", "host", "hpc_host", "exported_instance", "instance"};
constexpr std::array<std::string_view, 8> kGpuLabels{
    "gpu", "gpu_id", "gpu_index", "minor_number", "index", "card", "device_id", "device"};
constexpr std::array<std::string_view, 4> kUuidLabels{"UUID", "uuid", "gpu_uuid", "serial_number"};
constexpr std::array<std::string_view, 6> kModelLabels{
    "modelName", "model", "card_model", "card_series", "gpu_name", "name"};
constexpr std::array<std::string_view, 1> kInstanceLabels{"GPU_I_ID"};
constexpr std::array<std::string_view, 6> kJobLabels{
    "hpc_job", "slurm_job_id", "slurmjobid", "job_id", "jobid", "slurm_jobid"};

const ExporterMetric& asExported(const DcgmField& field, ExporterMetric& out) {
    out = {field.name, field.metric, field.unit, field.scale, field.kind, SubjectKind::Gpu,
        field.sensor};
    return out;
}

struct UnitWord {
    std::string_view word;
    std::string_view unit;
    double scale = 1.0;
};
constexpr auto kUnitWords
    = std::to_array<UnitWord>({{"watts", "W"}, {"watt", "W"}, {"celsius", "°C"}, {"bytes", "B"},
        {"seconds", "s"}, {"ratio", "1"}, {"joules", "J"}, {"hertz", "Hz"}, {"hz", "Hz"},
        {"volts", "V"}, {"amperes", "A"}, {"percent", "1", kExportPercent}});

std::string_view firstOf(
    std::span<const MetricLabel> labels, std::span<const std::string_view> names) {
    for (const std::string_view name : names) {
        if (const std::string_view value = labelOf(labels, name); !value.empty())
            return value;
    }
    return {};
}

// "10.0.172.246:9400" → the address; IPv6 in brackets keeps its colons.
std::string_view withoutPort(std::string_view host) {
    const std::size_t colon = host.rfind(':');
    const bool isPort = colon != std::string_view::npos && colon + 1 < host.size()
        && std::all_of(host.begin() + static_cast<std::ptrdiff_t>(colon) + 1, host.end(), isDigit)
        && (host.find(':') == colon || host[colon - 1] == ']');
    return isPort ? host.substr(0, colon) : host;
}

// "3", "nvidia3", "card3".
std::optional<int> indexIn(std::string_view text) {
    const std::size_t digits = text.find_last_not_of("0123456789") + 1;
    return digits < text.size() && text.size() - digits <= 4 ? wholeNumber<int>(text.substr(digits))
                                                             : std::nullopt;
}

int gpuIndexIn(std::span<const MetricLabel> labels) {
    for (const std::string_view name : kGpuLabels) {
        const std::string_view value = labelOf(labels, name);
        const bool isDevice = name == "device";
        if (value.empty() || (isDevice && !value.starts_with("nvidia")))
            continue;
        if (const auto index = indexIn(value))
            return *index;
    }
    return -1;
}

SubjectKind subjectIn(std::span<const MetricLabel> labels) {
    if (!firstOf(labels, kUuidLabels).empty() || !labelOf(labels, "gpu").empty()
        || !labelOf(labels, "gpu_id").empty())
        return SubjectKind::Gpu;
    return firstOf(labels, kNodeLabels).empty() ? SubjectKind::Run : SubjectKind::Node;
}

std::string deviceIn(std::span<const MetricLabel> labels, std::string_view names) {
    std::string device;
    for (const std::string_view name : words(names, " ")) {
        const std::string_view value = labelOf(labels, name);
        // A path and an index say the same; the first port is the only one of most adapters.
        const bool isRepeated = name == "index" && !device.empty();
        if (value.empty() || isRepeated || (name == "port" && value == "1"))
            continue;
        device += (device.empty() ? "" : " ") + std::string(value);
    }
    return device;
}

ExporterSeries ownSeries(
    std::string_view name, std::span<const MetricLabel> labels, std::string_view type) {
    ExporterSeries out;
    std::string own = lowered(name);
    const bool isTotal = own.ends_with("_total");
    const auto parts = words(std::string_view(own).substr(0, own.size() - (isTotal ? 6 : 0)), "_");
    Metric& metric = out.description.metric;
    metric.unit = "1";
    for (const UnitWord& word : kUnitWords) {
        if (!parts.empty() && parts.back() == word.word) {
            metric.unit = word.unit;
            out.description.scale = word.scale;
        }
    }
    metric.kind
        = type == "counter" || (type.empty() && isTotal) ? MetricKind::Counter : MetricKind::Gauge;
    out.description.counterBits = metric.kind == MetricKind::Counter ? 64 : 0;
    metric.label = own;
    std::replace(metric.label.begin(), metric.label.end(), '_', ' ');
    metric.name = std::move(own);
    out.whom = exporterSubject(subjectIn(labels), labels);
    return out;
}

// An instance of MIG has activities and memory of its own; power, heat and clocks are the board's,
// and stand in the rows of all its instances.
bool isOfInstance(std::string_view name) {
    return name.starts_with("DCGM_FI_PROF_") || name.starts_with("DCGM_FI_DEV_FB_");
}

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

std::string_view labelOf(std::span<const MetricLabel> labels, std::string_view name) {
    const auto found = std::ranges::find(labels, name, &MetricLabel::name);
    return found == labels.end() ? std::string_view() : found->value;
}

const std::vector<ExporterMetric>& exporterMetrics() {
    static const auto all = [] {
        std::vector<ExporterMetric> metrics(kExporters.begin(), kExporters.end());
        for (const DcgmField& field : dcgmFields())
            asExported(field, metrics.emplace_back());
        return metrics;
    }();
    return all;
}

const ExporterMetric* findExporterMetric(
    std::string_view name, std::span<const MetricLabel> labels) {
    static const auto byName = [] {
        std::unordered_multimap<std::string_view, const ExporterMetric*> all;
        for (const ExporterMetric& metric : exporterMetrics())
            all.emplace(metric.name, &metric);
        return all;
    }();
    if (name.starts_with("amd_gpu_") || name.starts_with("amd_pcie_"))
        name.remove_prefix(4);
    const auto [begin, end] = byName.equal_range(name);
    for (auto at = begin; at != end; ++at) {
        const ExporterMetric& metric = *at->second;
        if (metric.label.empty() || labelOf(labels, metric.label) == metric.labelValue)
            return &metric;
    }
    return nullptr;
}

ExporterSubject exporterSubject(SubjectKind kind, std::span<const MetricLabel> labels) {
    ExporterSubject out;
    out.kind = kind;
    out.node = withoutPort(firstOf(labels, kNodeLabels));
    out.job = firstOf(labels, kJobLabels);
    if (kind != SubjectKind::Gpu)
        return out;
    out.gpu = gpuIndexIn(labels);
    out.uuid = firstOf(labels, kUuidLabels);
    out.model = firstOf(labels, kModelLabels);
    out.address = labelOf(labels, "pci_bus_id");
    if (const std::string_view part = firstOf(labels, kInstanceLabels); !part.empty())
        out.device = "GPU-I " + std::string(part);
    return out;
}

ExporterSeries exporterSeries(
    std::string_view name, std::span<const MetricLabel> labels, std::string_view exposedType) {
    const ExporterMetric* known = findExporterMetric(name, labels);
    if (known == nullptr)
        return ownSeries(name, labels, exposedType);
    ExporterSeries out;
    out.isKnown = true;
    const KnownMetric* registered = findMetric(known->metric);
    std::string label(known->metric);
    std::replace(label.begin(), label.end(), '_', ' ');
    out.description.metric = registered != nullptr
        ? Metric(*registered)
        : Metric{std::string(known->metric), std::string(known->unit), known->kind, label};
    out.description.scale = known->scale;
    out.description.counterBits = known->kind == MetricKind::Counter ? 64 : 0;
    out.description.sensor = known->sensor;
    out.whom = exporterSubject(known->subject, labels);
    if (known->subject == SubjectKind::Gpu && !isOfInstance(name))
        out.whom.device.clear();
    if (known->subject == SubjectKind::Link)
        out.whom.device = deviceIn(labels, known->device);
    return out;
}

std::span<const std::string_view> labelsOf(LabelRole role) {
    switch (role) {
    case LabelRole::Node:
        return kNodeLabels;
    case LabelRole::Gpu:
        return kGpuLabels;
    case LabelRole::Uuid:
        return kUuidLabels;
    case LabelRole::Model:
        return kModelLabels;
    case LabelRole::Instance:
        return kInstanceLabels;
    case LabelRole::Job:
        break;
    }
    return kJobLabels;
}

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
