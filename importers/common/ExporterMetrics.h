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

} // namespace trainscope::importers
