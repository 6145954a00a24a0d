#pragma once
// Settings of the views of figures. Plain functions; any thread.

#include <QJsonObject>

#include "app/viewmodels/workspace/Setting.h"
#include "app/viewmodels/workspace/Views.h"

#include <optional>
#include <vector>

namespace trainscope::app {

struct FigureSettings {
    plot::FigureQuery query; // without runs
    bool shownRunsOnly = true; // else all runs of the database
    bool operator==(const FigureSettings&) const = default;
};

// The view of figures that shows those of that kind; absent: none.
std::optional<Views::View> viewOf(plot::FigureKind kind);
// Settings of a view before anything is chosen.
FigureSettings defaultSettings(Views::View view);
// The settings of these views, with what metrics the database has.
using FigureSettingList = SettingList<FigureSettings, std::vector<plot::FigureChoice>>;
const FigureSettingList& figureSettings();
// Those of another view become the default.
FigureSettings restoredSettings(Views::View view, const QJsonObject& json);

} // namespace trainscope::app
