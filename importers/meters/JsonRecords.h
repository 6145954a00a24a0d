#pragma once
// JSON of monitors, one record after the other: `amd-smi metric --json`, `rocm-smi --json`,
// `gpustat --json`, Weights & Biases' system metrics as JSON lines, and answers of Redfish services
// (Power, EnvironmentMetrics, Thermal). A record is an object that lies in no other object; it is
// held whole, as names and texts.
//
// Clocks: what the record says (timestamp, query_time, _timestamp …); else the records follow one
// another.

#include "importers/meters/MeterReader.h"

namespace trainscope::importers::meters {

std::unique_ptr<MeterReader> makeAmdJsonReader();
std::unique_ptr<MeterReader> makeRocmJsonReader();
std::unique_ptr<MeterReader> makeGpustatReader();
std::unique_ptr<MeterReader> makeWandbJsonReader();
std::unique_ptr<MeterReader> makeRedfishReader();
std::unique_ptr<MeterReader> makeMonitorJsonReader();
// True where JSON that begins so has stamps and readings that people's own monitors write.
bool isMonitorJson(std::string_view head);

} // namespace trainscope::importers::meters
