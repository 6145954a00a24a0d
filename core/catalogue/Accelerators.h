#pragma once
// Facts of accelerators that are no GPUs and that no prediction is made for: the peaks of a TPU,
// for the roofline of what was traced on it. Source of the numbers: resources/hardware.json.

#include "core/catalogue/GpuModel.h"

#include <string_view>

namespace trainscope::catalogue {

// findGpuModel(), else the TPU of that name ("TPU v5 lite"), of which only the peak of bf16 and the
// memory are known. nullptr when it is none.
const GpuModel* findAccelerator(std::string_view deviceName);

} // namespace trainscope::catalogue
