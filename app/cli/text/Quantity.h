#pragma once
// Numbers for people: SI values scaled to a handy unit. JSON and CSV never go through here.

#include "core/model/Time.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace trainscope::cli {

// "412 W", "1.98 GHz", "87.3 %", "3.2 TB"; three significant digits or more. Metrics of unit 1
// whose name ends in utilization or fan_speed are shown as %.
std::string quantityText(double value, std::string_view unit, std::string_view metric = {});
// The same, or a dash where there is none.
std::string quantityText(
    const std::optional<double>& value, std::string_view unit, std::string_view metric = {});

std::string bytesText(double bytes); // "1.2 MB"
std::string durationText(DurationNs duration); // "3.2 µs", "2 min 3.4 s"
std::string timeText(TimeNs time); // "2026-01-31 12:00:00.123 UTC"

} // namespace trainscope::cli
