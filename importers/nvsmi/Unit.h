#pragma once
// Units as nvidia-smi and the scripts around it write them, with their SI equivalents.

#include <optional>
#include <string_view>

namespace trainscope::importers::nvsmi {

struct Unit {
    std::string_view si; // W, °C, Hz, B, B/s, 1, s
    double scale = 1.0; // SI value = number × scale
};

// "W", "mhz", "MiB", "%", ...; case-insensitive. Absent for text that is no unit.
// MB and GB of memory are binary: nvidia-smi counts in MiB whatever a script writes above the
// column. The MB of a rate (MB/s, as `nvidia-smi dmon` prints it) is decimal.
std::optional<Unit> findUnit(std::string_view text);

} // namespace trainscope::importers::nvsmi
