#pragma once
// Meaning of the metrics of monitoring exporters: dcgm-exporter, AMD's device-metrics-exporter,
// nvidia_gpu_exporter, node-exporter and those of IPMI, Redfish and Kepler, by metric name and
// labels. Text files, answers of query engines and their HTTP interfaces share it. No state.
//
// Units: those of the exporters' own lists (dcgm-exporter's etc/*.csv, AMD's metricslist.md); of a
// name that is not known, those of its last word (_watts, _celsius, _bytes, _ratio …).

#include "core/model/Series.h"

#include <span>

namespace trainscope::importers {

struct MetricLabel {
    std::string_view name;
    std::string_view value;
};
// The value of that label; empty: there is none.
std::string_view labelOf(std::span<const MetricLabel> labels, std::string_view name);

// A metric that an exporter writes, and what it is here.
struct ExporterMetric {
    std::string_view name; // as exposed: "DCGM_FI_DEV_POWER_USAGE"
    std::string_view metric; // ours: "gpu_power"
    std::string_view unit; // SI
    double scale = 1.0; // SI value = exposed value × scale
    MetricKind kind = MetricKind::Gauge;
    SubjectKind subject = SubjectKind::Gpu;
    SensorKind sensor = SensorKind::Unknown;
    std::string_view device = {}; // labels that name the link, separated by blanks
    std::string_view label = {}; // it must have `labelValue`; empty: no condition
    std::string_view labelValue = {};
};
// All of them, for those who ask an engine for what it has.
const std::vector<ExporterMetric>& exporterMetrics();
// The known metric of that name and labels, or nullptr.
const ExporterMetric* findExporterMetric(
    std::string_view name, std::span<const MetricLabel> labels);

// Subject that labels name, as far as they do.
struct ExporterSubject {
    SubjectKind kind = SubjectKind::Run;
    std::string node; // name of the host, without its port
    int gpu = -1; // index in its node
    std::string uuid; // the GPU's, or its serial number
    std::string model;
    std::string address; // the GPU's on the PCI bus
    std::string device; // a link's; for a part of a GPU its instance: "GPU-I 3"
    std::string job; // Slurm's
};
ExporterSubject exporterSubject(SubjectKind kind, std::span<const MetricLabel> labels);

// Meaning of a sample: a known metric, or one under its own name. `exposedType` is the TYPE of the
// exposition ("counter"), empty where it is not told. The subject is left open, since nodes and
// ranks are numbered by the caller; `whom` names it.
struct ExporterSeries {
    SeriesDescription description;
    ExporterSubject whom;
    bool isKnown = false;
};
ExporterSeries exporterSeries(
    std::string_view name, std::span<const MetricLabel> labels, std::string_view exposedType = {});

// The labels by which the same GPU, node and job are named over exporters and clusters, the usual
// one first: "Hostname hostname node …". For mapping by hand.
enum class LabelRole { Node, Gpu, Uuid, Model, Instance, Job };
std::span<const std::string_view> labelsOf(LabelRole role);

// The fields of NVIDIA DCGM: their names in the API and in dcgm-exporter, their tags in DCGM's own
// CSV, the heads of their columns in `dcgmi dmon`, and what they are here. Source of names and
// units: dcgmlib/src/dcgm_fields.cpp and dcgm_fields.h of DCGM 3 and 4.

// Numbers that no reading has. Drivers and exporters give the highest number of an integer where
// they do not know the value, and counters that ran over give shares of thousands of percent
// (github.com/NVIDIA/DCGM/issues/199, github.com/NVIDIA/go-dcgm/issues/75).

// No reading is higher: 2^63, as engines give it that keep 15 digits of a number.
inline constexpr double kHighestReading = 9'223'372'036'854'770'000.0;

// Numbers of the source up to here are readings; those above may be.
double certainlyPossible(const SeriesDescription& what);
bool isPossible(const SeriesDescription& what, double number);

// Numbers from `least` to `most`, with both.
struct NumberRange {
    double least = 0.0;
    double most = std::numeric_limits<double>::infinity();
    [[nodiscard]] bool contains(double number) const { return least <= number && number <= most; }
};
// Numbers of the source for which isPossible() is false.
std::vector<NumberRange> impossibleNumbers(const SeriesDescription& what);

struct DcgmField {
    std::string_view name; // "DCGM_FI_DEV_POWER_USAGE"
    std::string_view tag; // "power_usage"
    std::string_view column; // "POWER"
    std::string_view metric; // ours: "gpu_power"
    std::string_view unit; // SI
    double scale = 1.0; // SI value = value × scale
    MetricKind kind = MetricKind::Gauge;
    SensorKind sensor = SensorKind::Unknown; // for power: Unknown is as nvidia-smi's power.draw
};

std::span<const DcgmField> dcgmFields();
const DcgmField* dcgmFieldTagged(std::string_view tag); // nullptr: not known
const DcgmField* dcgmFieldOfColumn(std::string_view column);

// DCGM's numbers for "no value": blank, not found, not supported, not permitted, of 32 and 64 bits
// and of doubles.
std::span<const NumberRange> dcgmBlanks();
bool isDcgmBlank(double value);

} // namespace trainscope::importers
