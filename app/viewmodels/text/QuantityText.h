#pragma once
// Numbers of the model as people read them, for QML. Axes, figures and readouts agree because all
// go through core/plot's texts. Plain functions; any thread.

#include "core/model/Time.h"

#include <QString>

#include <cstdint>
#include <string_view>

namespace trainscope::app {

QString noDataText();
// "688 W", "1.755 GHz", "97 %"; not finite: "no data". The metric decides what a plain number
// means.
QString metricText(std::string_view metric, double si, std::string_view unit);
// "1.84 ms", "2 h 3 min".
QString durationText(DurationNs duration);
// All digits down to the nanosecond: "1.842113 ms".
QString exactDurationText(DurationNs duration);
QString countText(std::int64_t count);
// Offset of the system's time zone from UTC at that time.
std::int64_t localUtcOffsetSeconds(TimeNs time);

} // namespace trainscope::app
