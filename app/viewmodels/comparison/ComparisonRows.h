#pragma once
// Settings of the Compare view, as rows of controls. Plain functions; any thread.

#include <QString>
#include <QStringList>

#include "app/comparing/ComparisonSettings.h"
#include "app/viewmodels/workspace/FigureSettings.h"

#include <vector>

namespace trainscope::app {

// Choices of the controls besides fixed ones.
struct ComparisonOffers {
    std::vector<plot::FigureChoice> metrics; // of the database
    std::vector<plot::FigureChoice> quantities; // that the compared runs have
    std::vector<std::int64_t> iterations; // that all compared runs have, ascending
    std::size_t runs = 0; // that are compared
};
std::vector<SettingRow> comparisonRows(
    const ComparisonSettings& settings, const ComparisonOffers& offers);
// The settings after that choice; unknown keys and choices change nothing.
ComparisonSettings withChoice(const ComparisonSettings& settings, const ComparisonOffers& offers,
    const QString& key, int choice);

// "Aligned timelines": for the menu of panels, in the order of plot::kComparisonPanels.
QStringList panelTitles();

} // namespace trainscope::app
