#pragma once
// Sizes, rates, durations and offsets as people read them, in the locale of the window. Any thread.

#include "core/model/Time.h"

#include <QString>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace trainscope::app {

QString bytesText(std::uint64_t bytes); // "1.4 GB", decimal prefixes
QString bytesRateText(double bytesPerSecond); // "85 MB/s"
QString wholeText(std::int64_t count); // "1,234,567"
QString waitText(double seconds); // "1 min 20 s"; whole seconds above ten, "0.4 s" below
QString momentText(TimeNs moment); // local date and time, "2026-03-01 14:05"
QString utcOffsetText(std::int64_t seconds); // "UTC+02:00"
QString linesOf(const std::vector<std::string>& texts); // one a line

// "+2", "UTC+02:00", "-05:30", "0", "Z" in seconds; absent for anything else and beyond ±18 h.
std::optional<std::int64_t> parseUtcOffset(const QString& text);

} // namespace trainscope::app
