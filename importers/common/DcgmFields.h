#pragma once
// The fields of NVIDIA DCGM: their names in the API and in dcgm-exporter, their tags in DCGM's own
// CSV, the heads of their columns in `dcgmi dmon`, and what they are here. Source of names and
// units: dcgmlib/src/dcgm_fields.cpp and dcgm_fields.h of DCGM 3 and 4.

#include "core/model/Series.h"
#include "importers/common/HighestValue.h"

#include <span>
#include <string_view>

namespace trainscope::importers {

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
