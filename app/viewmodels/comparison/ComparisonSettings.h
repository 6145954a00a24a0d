#pragma once
// What can be chosen in the Compare view, as rows of controls and as JSON: remembered with the
// database's views, and kept in the database under a name. Plain functions; any thread.

#include <QJsonObject>
#include <QString>
#include <QStringList>

#include "app/viewmodels/bench/FigureSettings.h"
#include "core/plot/comparison/Comparison.h"

#include <map>
#include <string>
#include <vector>

namespace trainscope::app {

struct ComparisonSettings {
    // By name, so that they survive a new import. The first is what the others are compared with;
    // runs that are shown and not named here follow.
    std::vector<std::string> runs;
    std::map<std::string, DurationNs> moved; // to the right, by hand
    plot::ComparisonQuery query; // without runs and moves
    std::vector<plot::ComparisonPanel> panels; // empty: all
    bool stacked = false;
    bool perStage = false;
    QString theme; // "dark", "light"; empty: as the system has it

    bool operator==(const ComparisonSettings&) const = default;
    [[nodiscard]] bool shows(plot::ComparisonPanel panel) const;
};

QJsonObject encodeComparison(const ComparisonSettings& settings);
// What cannot be understood is that of the default.
ComparisonSettings decodeComparison(const QJsonObject& json);

// What the controls offer besides fixed choices.
struct ComparisonOffers {
    std::vector<plot::FigureChoice> metrics; // of the database
    std::vector<std::int64_t> iterations; // that all compared runs have, ascending
};
std::vector<SettingRow> comparisonRows(
    const ComparisonSettings& settings, const ComparisonOffers& offers);
// The settings after that choice; unknown keys and choices change nothing.
ComparisonSettings withChoice(const ComparisonSettings& settings, const ComparisonOffers& offers,
    const QString& key, int choice);

// The query with its runs: those ids in order, and what each was moved by.
plot::ComparisonQuery queryOf(const ComparisonSettings& settings, const std::vector<Run>& runs);

// "Aligned timelines": for the menu of panels, in the order of plot::kComparisonPanels.
QStringList panelTitles();

} // namespace trainscope::app
