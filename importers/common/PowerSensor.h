#pragma once
// Kind of nvidia-smi's power.draw, instant or average, by GPU model. Source: NVML API reference,
// nvmlDeviceGetPowerUsage: "On Ampere (except GA100) or newer GPUs, the API returns power averaged
// over 1 sec interval. On GA100 and older architectures, instantaneous power is returned."

#include "core/model/Series.h"

#include <string>
#include <string_view>

namespace trainscope::importers {

// Unknown where the model is not known.
SensorKind powerSensorOf(std::string_view gpuModel);

// For the report.
std::string describePowerSensor(SensorKind kind);

} // namespace trainscope::importers
