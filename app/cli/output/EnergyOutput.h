#pragma once
// Energy of traced GPUs by use, as `summary --detail` and `kernels` print it.

#include "app/cli/text/Rows.h"
#include "core/analysis/energy/EnergyByPhase.h"

#include <iosfwd>

namespace trainscope::cli {

// Into the object of the run; nothing where no GPU was traced. Joules, summed over the GPUs that
// have both trace and power; beside each map "energy_by_X" stand "energy_by_X_interval", the bounds
// of the 90 % intervals, and "energy_by_X_unknown", why one of that name is not known.
void addEnergy(Json& run, const analysis::EnergyByPhase& energy);

// "energy_j", "energy_low_j" and "energy_high_j", or why it is not known; in the text one column.
Row energyRow(const analysis::PartEnergy& energy);

void printEnergy(const analysis::EnergyByPhase& energy, std::ostream& out);

} // namespace trainscope::cli
