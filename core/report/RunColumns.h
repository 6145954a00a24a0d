#pragma once
// The columns that a table of all runs can have: what runs are, their figures, and what people say
// of them; with the words by which expressions name them (RunExpression.h). Pure; any thread.

#include "core/analysis/comparison/RunQuantities.h"
#include "core/plot/figures/Figure.h"
#include "core/store/RunNotes.h"
#include "core/text/Table.h"

namespace trainscope::report {

// A run with all that its row says.
struct RunRecord {
    RunRecord() = default;
    RunRecord(Run run, std::string folder, store::RunLabels labels);

    Run run;
    std::string folder; // imported from here
    store::RunLabels labels;
    plot::FigureRun named; // its name in figures
    std::optional<analysis::RunQuantities> figures; // absent: not measured yet
};

// Missing, a number in the column's SI unit, a text, or several.
using RunValue = std::variant<std::monostate, double, std::string, std::vector<std::string>>;
[[nodiscard]] bool isMissing(const RunValue& value);

struct RunColumn {
    std::string key; // "step_time_s"
    std::vector<std::string> words; // its names in expressions, the key among them
    std::string title;
    std::string unit; // SI; "1" for plain numbers, "%" for fractions; empty for texts
    std::string definition; // for people
    bool isUsual = false; // shown unless others are chosen
    bool isNumber = false;
    bool isWhole = false; // its numbers are counts
    bool isMeasured = false; // derived from the run's samples
    std::function<RunValue(const RunRecord& run)> value;

    // For tables: the number in SI, or the texts joined by commas.
    [[nodiscard]] text::Cell cell(const RunRecord& run) const;
    // The reason that there is no value; empty where there is one, or nothing to tell.
    [[nodiscard]] std::string absentWhy(const RunRecord& run) const;
};

const std::vector<RunColumn>& runColumns();
// Its place in that list, by its key; absent for an unknown one.
std::optional<std::size_t> runColumnIndex(std::string_view key);
// The same by a word of an expression, whatever its case.
std::optional<std::size_t> runColumnNamed(std::string_view word);

// The rows' places by that column: numbers by their value, texts naturally; runs without a value
// come last either way, equal ones stay as they were.
std::vector<std::size_t> sortedRuns(
    const std::vector<RunRecord>& runs, std::size_t column, bool isDescending);

// The table of those runs and columns, by their places.
text::Table runsTable(const std::vector<RunRecord>& runs, const std::vector<std::size_t>& rows,
    const std::vector<std::size_t>& columns);

} // namespace trainscope::report
