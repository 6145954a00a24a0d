#pragma once
// What `summary --detail` says of where the energy of traced GPUs went, and the same as text.

#include "app/cli/text/Json.h"
#include "core/analysis/energy/EnergyByPhase.h"

#include <iosfwd>

namespace trainscope::cli {

// Into the object of the run; nothing where no GPU has both trace and power. Joules, summed over
// the GPUs that have; beside each map one of the same keys with the bounds, and one with the
// estimates and their 90 % intervals, of those that the readings tell.
void addEnergy(Json& run, const analysis::EnergyByPhase& energy);

void printEnergy(const analysis::EnergyByPhase& energy, std::ostream& out);

} // namespace trainscope::cli
