#pragma once
// Texts for QML: those of the core, which are UTF-8; texts of strangers as the window shows them
// (core/model/HarmlessText.h): names of files, cells of a query, answers of engines, and errors
// that quote any of these, while the store's texts are harmless already; tables for the clipboard,
// as lines of cells between tabs, which spreadsheets do not compute. Plain functions; any thread.

#include "core/model/Run.h"
#include "core/text/Names.h"

#include <QString>
#include <QStringList>

namespace trainscope {
struct Error;
namespace text {
struct Table;
}
} // namespace trainscope

namespace trainscope::app {

inline QString textOf(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

// Texts of all that is in `range`, by what `of` is of each.
template <typename Range, typename Of = std::identity>
QStringList listOf(const Range& range, const Of& of = {}) {
    QStringList texts;
    for (const auto& one : range) {
        const auto& text = std::invoke(of, one);
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(text)>, QString>)
            texts.append(text);
        else
            texts.append(textOf(text));
    }
    return texts;
}

QString joinedNumbers(std::span<const int> numbers, std::string_view between);

// Names of rows of one list, by place, without what all of them share (core/text/Names.h).
QStringList briefNames(const QStringList& names);

QString shownText(std::string_view text);
// "where: message".
QString shownText(const Error& error);
// On one line.
QString shownLine(std::string_view text);
QString shownLine(const QString& text);

// With the line's end.
QString tabbedLine(const QStringList& cells);
// Titles of the columns, and the rows in words.
QString tabbedText(const text::Table& table);

// Numbers of the model as people read them, for QML: what core/text words, as QString, and sizes,
// counts and waiting times in the same form, with this thread's marks (NumberMarks.h); dates, and
// numbers that the reader types, in the reader's locale.

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

// A run in words, for the run list, the status bar and the filter.

// Its name, with start and GPUs, which tell it from one that reads alike.
text::Named namedRun(const Run& run);
QString gpuText(const Run& run); // "32 × H200", maker's name left out
QString layoutText(const LaunchConfig& launch); // "TP8 · PP4 · DP1"
QString runDetail(const Run& run); // "gpt3-175b · 32 × H200"
QString runFacts(const Run& run); // "32 × H200 · 4 nodes · TP8 · PP4 · micro-batch 1"
QStringList runTags(const Run& run); // "simulated", "predicted", "out of memory", …
QString strongTag(const Run& run); // the tag that needs attention, or empty
QString runDescription(const Run& run);
QString runSearchText(const Run& run); // lower-case
// Words of a view that has nothing to show.
QString noRunsText(); // the database is empty
QString chooseRunText(); // no run is chosen

} // namespace trainscope::app
