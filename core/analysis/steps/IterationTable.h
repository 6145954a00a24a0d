#pragma once
// The iterations of a run as a table: time, what the GPUs did in each, energy, tokens and who came
// last; moments from which on they take longer or shorter for good; and one against another. The
// numbers are those of traceBreakdown(), iterationFigures() and forEachCollective(); SI; absent:
// not known.
//
// Change points: moments from which on the values of a series, as the lengths of iterations, stay
// at another level.
//
// Equal values in a row, as of a log that tells means, are one reading. Outliers are cut to what is
// usual around them. Levels are fitted by least squares, split after
// split; their number is the one whose residuals a first-order autoregression explains best for
// that number (BIC). A change stays if it is kCertain times its standard error, which counts
// neighbours that follow each other, at least kLeastChange of the level before, and surely
// closer than a line through both levels, as a drift is. Pure.

#include "core/analysis/RunStudy.h"
#include "core/text/Table.h"

namespace trainscope::analysis {

inline constexpr double kLeastChange = 0.02; // share of the level before
inline constexpr double kCertain = 6.0; // standard errors; false alarms: fewer than 1 of 100 series

struct LevelChange {
    std::size_t at = 0; // first value of the new level
    // Bounds of `at`, 90 %.
    std::size_t earliest = 0;
    std::size_t latest = 0;
    double before = 0.0; // levels: the means up to the change before, and to the next one
    double after = 0.0;
    double margin = 0.0; // ± of after − before, 90 %
    double errors = 0.0; // the change in standard errors, fewer where few values tell them

    [[nodiscard]] double ratio() const { return after / before; }
};

// In order. The values are positive; fewer than 12 tell nothing.
std::vector<LevelChange> levelChanges(std::span<const double> values);

// Iterations from one on take another time than those before.
struct IterationChange {
    LevelChange seconds; // its places count the iterations that are not warm-up
    std::int64_t index = 0; // first iteration of the new level, and the bounds of that
    std::int64_t earliest = 0;
    std::int64_t latest = 0;
    TimeRange range; // from it to the next change, or the end
    double cost = 0.0; // share of the time of all iterations that it takes; negative: saves
    // Medians, where the tokens of each iteration are known.
    std::optional<double> tokensPerSBefore;
    std::optional<double> tokensPerSAfter;
};
// Those of the run's iterations. A study looks once.
Result<std::vector<IterationChange>> iterationChangesOf(const RunStudy& study);
// "From iteration 2201 (2101 to 2201) on, …, each takes 141 ms, 46.2 ms more ± 0.3 ms (+48 %)."
std::string changeText(const IterationChange& change);

// Numbers of an iteration, means over the traced GPUs but for energy and tokens. Those before Host
// sum to what was traced of it; Host is the part of Idle that waits for launches.
enum class IterationValue { Compute, Exposed, Copies, Idle, Host, Energy, TokensPerS };

struct IterationRow {
    Iteration iteration;
    std::array<std::optional<double>, 7> values = {}; // SI, by IterationValue
    std::map<std::string, double> collectivesS = {}; // run time by category
    int lastRank = -1; // it kept the others waiting longest
    double causedWaitS = 0.0; // the waiting of all others that it caused

    [[nodiscard]] double seconds() const { return iteration.range.length().seconds(); }
    [[nodiscard]] const std::optional<double>& of(IterationValue value) const {
        return values[static_cast<std::size_t>(value)];
    }
};

struct IterationTable {
    Run run;
    std::optional<int> rank; // absent: the run
    std::vector<int> ranks; // those with work
    std::string origin; // as the iterations have it
    std::vector<IterationRow> rows; // in order of time
    // Those that are not warm-up, s; the middle nine of ten.
    double medianS = 0.0;
    double lowS = 0.0;
    double highS = 0.0;
    std::vector<IterationChange> changes;
    bool isPartial = false; // work and energy are still to be read

    // "173 iterations, 278 ms in the median (265 ms to 296 ms)".
    [[nodiscard]] std::string title() const;
};
// `tell` gets the times, tokens and changes, which take no pass over traces and telemetry, before.
// Cancelled by progress.
Result<IterationTable> iterationTableOf(const RunStudy& study, std::optional<int> rank = {},
    const std::function<void(IterationTable)>& tell = {});

// Columns of which something is known, for people and for CSV.
text::Table wordsOf(const IterationTable& table);

struct PartDifference {
    std::string name;
    double seconds = 0.0;
    double differenceS = 0.0; // to the same of the other
};
struct IterationComparison {
    std::string title; // "Iteration 112 against the median"
    std::string text;
    double differenceS = 0.0;
    std::vector<PartDifference> parts; // the largest first; empty: without a trace
};
// Compares rows of the table; without `other` the median: the mean of the middle fifth.
IterationComparison compareIterations(
    const IterationTable& table, std::size_t row, std::optional<std::size_t> other = {});

} // namespace trainscope::analysis
