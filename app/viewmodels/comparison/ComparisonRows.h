#pragma once
// Settings of the Compare view. Plain functions; any thread.

#include <QString>
#include <QStringList>

#include "app/comparing/ComparisonSettings.h"
#include "app/viewmodels/workspace/Setting.h"

#include <vector>

namespace trainscope::app {

// Choices of the controls besides fixed ones.
struct ComparisonOffers {
    std::vector<plot::FigureChoice> metrics; // metrics in the database
    std::vector<plot::FigureChoice> quantities; // quantities of the compared runs
    std::vector<std::int64_t> iterations; // those that all compared runs have, ascending
    std::size_t runs = 0; // number of compared runs
};
// The board keeps them itself (ComparisonSettings.h).
using ComparisonSettingList = SettingList<ComparisonSettings, ComparisonOffers>;
const ComparisonSettingList& comparisonSettings();

// "Aligned timelines": for the menu of panels, in the order of plot::kComparisonPanels.
QStringList panelTitles();

} // namespace trainscope::app
