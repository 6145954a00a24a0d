#pragma once
// Warnings as lines for people: one line for each kind, what was lost first.

#include "core/analysis/statistics/Summary.h"

namespace trainscope::report {

struct WarningLine {
    Severity severity = Severity::Doubtful;
    std::string text; // "a.csv:17: 3 rows are cut (and 41 more, in 12 files)"
};

inline constexpr std::size_t kMostWarningLines = 20;

// Warnings that differ only in numbers, quoted words and names of files are one kind, of which the
// first is shown. The last of more than `most` lines says how much is not shown. `most` of 0: each
// warning by itself.
std::vector<WarningLine> groupedWarnings(
    const std::vector<ImportWarning>& warnings, std::size_t most = kMostWarningLines);

// Those of the report, and the number of those that it does not keep.
std::vector<ImportWarning> warningsOf(const ImportReport& report);
// Those of a run's summary, in whose lines the run stands as the file does in others.
std::vector<ImportWarning> warningsOf(const analysis::RunSummary& summary);

} // namespace trainscope::report
