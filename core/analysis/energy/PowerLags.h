#pragma once
// How much later than its trace a rank's power is stamped, where that is known to differ from 0:
// from the rank's own power and kernels (PowerEdges.h) where the lag is beyond its error; else, for
// ranks of too short a trace, from those of the other ranks and the offsets of the traces' clocks
// (RankClocks.h), if two ranks or more agree that the power of all is on one clock. Part of a lag
// is that the sensor averages; it is within what SensorBlur.h allows for.

#include "core/analysis/energy/EnergyByPhase.h"

namespace trainscope::analysis {

// By rank, for EnergyOptions. Cancelled by progress.
Result<std::map<int, PowerLag>> powerLags(
    const store::Store& store, const Run& run, const Progress& progress = {});

} // namespace trainscope::analysis
