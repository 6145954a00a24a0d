#pragma once
// Settings of a comparison, and their JSON: remembered with a database's views, and kept in the
// database under a name. Plain functions; any thread.

#include "core/analysis/comparison/Comparison.h"
#include "core/plot/comparison/Comparison.h"

#include <QJsonObject>
#include <QString>

#include <compare>
#include <map>
#include <string>
#include <vector>

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

} // namespace trainscope::app
