#pragma once
// Numbers of the model as people read them, for QML: what core/text words, as QString, and sizes,
// counts and waiting times in the same form, with this thread's marks (NumberMarks.h); dates, and
// numbers that the reader types, in the reader's locale. Plain functions; any thread.

#include "core/model/Time.h"

#include <QString>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainscope::app {

QString noDataText();
// "not traced": between captures.
QString notTracedText();
// "688 W", "1.755 GHz", "97 %"; not finite: "no data"; absent: the sign for missing. The metric
// says what a plain number means.
QString metricText(std::string_view metric, double si, std::string_view unit);
QString metricText(std::string_view metric, const std::optional<double>& si, std::string_view unit);
// "1.84 ms", "2 h 3 min"; and with all digits down to the nanosecond, "1.842113 ms".
QString durationText(DurationNs duration);
QString exactDurationText(DurationNs duration);
// Offset of the system's time zone from UTC at that time.
std::int64_t localUtcOffsetSeconds(TimeNs time);

// QString::number() with this thread's marks.
QString decimalText(double value, char format, int precision);
QString bytesText(std::uint64_t bytes); // "1.4 GB", decimal prefixes
QString bytesRateText(double bytesPerSecond); // "85.0 MB/s"
QString wholeText(std::int64_t count); // "1,234,567"
QString countedText(std::int64_t count, std::string_view noun); // "1 run", "1,234 runs"
QString waitText(double seconds); // "2 min 20 s"; whole seconds above ten, "0.4 s" below
QString momentText(TimeNs moment); // local, with the reader's form of dates: "3/1/2026 14:05:09"
QString linesOf(const std::vector<std::string>& texts); // one a line

// Number that the reader typed, with the reader's decimal mark or a point, without groups; absent:
// no number.
std::optional<double> parseTyped(const QString& text);
// A typed number with a point, as it is kept, and a kept one with the reader's mark, as it is
// typed; other texts as they are.
QString keptNumber(const QString& typed);
QString typedNumber(const QString& kept);

// The text with point and comma where it has the reader's marks, for what leaves the screen.
QString forFiles(const QString& text);

} // namespace trainscope::app
