#pragma once
// Mapping: statements of a user about the metrics and labels of an engine, beside those known of
// exporters. A text of one statement a line, # begins a remark:
//
//   gpu_power = my_gpu_watts                   a metric of ours from one of the engine
//   gpu_temperature = my_gpu_celsius
//   gpu_energy = my_gpu_energy_mj * 0.001      SI value = exposed value × number
//   my_pressure = rack_pressure_pa of node     of gpu (unless said), node
//   keep rack_doors_open                       under its own name
//   leave DCGM_FI_DEV_FB_FREE                  not imported
//   node = host_name                           the label that names the node
//   gpu = card                                 … the GPU in its node
//   uuid = serial                              … the GPU everywhere
//   model = product                            … its model
//
// Pure; any thread.

#include "importers/common/ExporterMetrics.h"
#include "importers/engine/Answer.h"

namespace trainscope::importers::engine {

struct MappedMetric {
    std::string metric; // ours; empty: as the table of exporters has it, or its own name
    std::string engineName;
    double scale = 1.0;
    SubjectKind subject = SubjectKind::Gpu;
    bool isLeft = false; // not imported
    bool operator==(const MappedMetric&) const = default;
};

struct Mapping {
    std::vector<MappedMetric> metrics;
    std::string nodeLabel; // empty: as exporters have it; so are the others
    std::string gpuLabel;
    std::string uuidLabel;
    std::string modelLabel;
    bool operator==(const Mapping&) const = default;
    [[nodiscard]] const MappedMetric* find(std::string_view engineName) const;
};

// Usage with the line that makes no sense.
Result<Mapping> mappingFrom(std::string_view text);
std::string textOf(const Mapping& mapping); // it reads as the same

// Meaning of a series of the engine; absent for unwanted ones: unknown metrics, parts of GPUs,
// series without a subject.
std::optional<ExporterSeries> meaningOf(const Labels& labels, const Mapping& mapping);

// Names of metrics that have a meaning, by the table of exporters and the mapping.
bool isWantedMetric(std::string_view name, const Mapping& mapping);

} // namespace trainscope::importers::engine
