#pragma once
// Settings of a comparison, and their JSON: remembered with a database's views, and kept in the
// database under a name, with what has become of their runs and captures since. With each run its
// data's fingerprint is kept (of its sources' content hashes), so that a run that was renamed is
// found and one whose data is another now is told. Any thread; what reads a store, on the one that
// owns it.

#include "core/analysis/comparison/Comparison.h"
#include "core/figures/Figure.h"
#include "core/plot/comparison/Comparison.h"

#include <QJsonObject>
#include <QString>

#include <compare>

namespace trainscope::app {

// A run or a capture of it, by name, so that it survives a new import.
struct ComparedName {
    std::string run;
    std::string capture = {}; // empty: the whole run

    auto operator<=>(const ComparedName&) const = default;
};
ComparedName comparedName(const analysis::ComparedRun& compared);

struct ComparisonSettings {
    // The first is what the others are compared with; runs that are shown and not named here
    // follow, as a whole.
    std::vector<ComparedName> runs;
    std::map<ComparedName, DurationNs> moved; // to the right, by hand
    plot::ComparisonQuery query; // without runs, captures and moves
    std::vector<plot::ComparisonPanel> panels; // empty: all
    bool stacked = false;
    bool perStage = false;
    QString theme; // "dark", "light"; empty: as the system has it
    double scroll = 0.0; // scroll position of the board, as a share of its height

    bool operator==(const ComparisonSettings&) const = default;
    [[nodiscard]] bool shows(plot::ComparisonPanel panel) const;
};

QJsonObject encodeComparison(const ComparisonSettings& settings);
// A setting that cannot be understood becomes the default.
ComparisonSettings decodeComparison(const QJsonObject& json);

// As the database keeps it.
std::string comparisonText(const QJsonObject& json);
QJsonObject comparisonJson(const std::string& text);

// The query with its runs and captures: those in order, and what each was moved by.
plot::ComparisonQuery queryOf(
    const ComparisonSettings& settings, const std::vector<analysis::ComparedRun>& runs);

struct SavedComparison {
    std::string name;
    QJsonObject spec; // as it is kept
    ComparisonSettings settings; // runs and moves under their present names, without what is gone
    std::vector<analysis::ComparedRun> runs; // and captures, that are there, in order
    std::vector<std::string> notes; // sentences: what is gone, renamed or imported anew
};

Result<std::vector<SavedComparison>> savedComparisons(const store::Store& store); // by name
// NotFound names those there are.
Result<SavedComparison> savedComparison(const store::Store& store, const std::string& name);

// As a figure or a report draws it; panels that are not shown are left out.
Result<figures::ComparisonBoard> savedBoard(const store::Store& store, const std::string& name);
// Those of which two or more are there and all that are there are among the chosen; none
// chosen: all.
Result<std::vector<figures::ComparisonBoard>> savedBoards(
    const store::Store& store, const std::vector<RunId>& chosen);

// Under that name, in the place of another of that name; needs a store that is open for writing.
Status saveComparison(
    store::Store& store, const std::string& name, const ComparisonSettings& settings);

} // namespace trainscope::app
