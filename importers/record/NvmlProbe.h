#pragma once
// Readings of one GPU by NVML: a table of functions, and fields that are read in one call.

#include "importers/record/NvmlApi.h"
#include "importers/record/Probe.h"

#include <memory>

namespace trainscope::record {

// Readings of one GPU. The functions live longer.
std::unique_ptr<Probe> nvmlProbe(const nvml::Functions& library, nvml::Device device, int index);

} // namespace trainscope::record
