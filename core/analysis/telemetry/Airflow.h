#pragma once
// The order in which air passes a node's GPUs: as the user said it, else as temperatures tell it.

#include "core/analysis/telemetry/Temperature.h"

namespace trainscope::analysis {

enum class AirflowOrigin { Assumed, Inferred, Said };
constexpr auto namesOf(AirflowOrigin) {
    return enumNames("assumed", "inferred", "said");
}

struct Airflow {
    AirflowOrder order; // empty: assumed, local indices ascending
    AirflowOrigin origin = AirflowOrigin::Assumed;
    // A sentence: by what it is inferred, or why the temperatures do not tell; empty where there
    // is nothing to say.
    std::string evidence;
};

// Temperature and power of a GPU in the same steps of time as all others; NaN: not known.
struct GpuHeat {
    int node = 0;
    int local = 0;
    std::vector<double> temperatureC;
    std::vector<double> powerW;
};

// Positions of a node that are cool and positions that are hot at equal power. The steps in which
// a node draws at least half of its most count. A GPU's temperature is brought to the mean power
// of its node by the slope of temperature over power that all GPUs have in common. If powers
// hardly vary over time that slope is the mean rise above air of 25 °C over the mean power.
// The positions split at the widest gap between their temperatures (medians over the nodes).
// Inferred where that gap is 2 °C or more, at least as wide as either group, and found again in
// both halves of the time and in three quarters of the nodes, of two nodes in both. In a single
// node each group needs two GPUs: one alone may be a bad GPU; where the others part without it, it
// is put with the smaller group. The order is the cool positions and
// then the hot ones, each by local index; never Said. Pure.
Airflow inferAirflow(const std::vector<GpuHeat>& gpus);

// The same, consistent over runs: `others` are runs on nodes like these. If some of them tell,
// three quarters of the runs that do, this one among them, must split alike. A run that tells
// nothing itself, for want of data, takes what at least two others tell so.
Airflow inferAirflow(
    const std::vector<GpuHeat>& own, const std::vector<std::vector<GpuHeat>>& others);

// From gpu_temperature and gpu_power of the run, whatever is said of it, and of the runs next to it
// in time whose GPUs are of the same recorded model, as many on a node, and not known to be others.
Result<Airflow> inferredAirflow(const RunStudy& study);
// As said for the run, else inferred, else assumed.
Result<Airflow> airflowOf(const RunStudy& study);

} // namespace trainscope::analysis
