#pragma once
// The fields of NVIDIA DCGM: their names in the API and in dcgm-exporter, their tags in DCGM's own
// CSV, the heads of their columns in `dcgmi dmon`, and what they are here. Source of names and
// units: dcgmlib/src/dcgm_fields.cpp and dcgm_fields.h of DCGM 3 and 4.

#include "core/model/Series.h"

#include <span>

namespace trainscope::importers {

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
