#pragma once
// The energy of operators, modules, annotations and passes: of the kernels and copies that they
// launch, each with the part of its name's energy that it has of the time. Pure; any thread.

#include "core/analysis/energy/EnergyByPhase.h"
#include "core/analysis/operators/CallTree.h"
#include "core/analysis/operators/OperatorTable.h"

namespace trainscope::analysis {

// All kernels of a name, whatever their category.
KernelEnergy energyOfName(const KernelEnergies& kernels, const std::string& name);

// Energies of the rows of a table over the tree, in their order. kernels: of the tree's rank and
// window.
std::vector<PartEnergy> operatorEnergies(
    const CallTree& tree, const OperatorTable& table, const KernelEnergies& kernels);

} // namespace trainscope::analysis
