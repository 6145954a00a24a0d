#pragma once
// Readings of one GPU by AMD SMI: a table of readings, its energy counter, and the driver's table
// of metrics, which is read in one call; with the kernel's file of PCIe traffic where there is one.

#include "importers/record/AmdApi.h"
#include "importers/record/Probe.h"

#include <filesystem>
#include <memory>

namespace trainscope::record {

// The functions live longer. `folder`: the GPU's in the kernel's tree; empty: not known.
std::unique_ptr<Probe> amdProbe(const amd::Functions& library, amd::Handle device, int index,
    const std::filesystem::path& folder);

namespace amd {

double powerCap(const Functions& library, Handle device); // W; NaN: not told

} // namespace amd

} // namespace trainscope::record
