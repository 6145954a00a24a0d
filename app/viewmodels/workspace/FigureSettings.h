#pragma once
// Settings of the views of figures, as rows of controls and as JSON to be remembered. Plain
// functions; any thread.

#include <QJsonObject>
#include <QString>
#include <QStringList>

#include "app/viewmodels/workspace/SettingListModel.h"
#include "app/viewmodels/workspace/Views.h"

#include <vector>

namespace trainscope::app {

struct FigureSettings {
    plot::FigureQuery query; // without runs
    bool shownRunsOnly = false; // else all runs of the database
    bool operator==(const FigureSettings&) const = default;
};

// The view that shows figures of that kind.
Views::View viewOf(plot::FigureKind kind);
// Settings of a view before anything is chosen.
FigureSettings defaultSettings(Views::View view);
QJsonObject encodeSettings(const FigureSettings& settings);
// A setting that cannot be understood, or belongs to another view, becomes the default.
FigureSettings decodeSettings(Views::View view, const QJsonObject& json);

std::vector<SettingRow> settingRows(Views::View view, const FigureSettings& settings,
    const std::vector<plot::FigureChoice>& metrics);
// The settings after that choice; unknown keys and choices change nothing.
FigureSettings withSetting(const FigureSettings& settings,
    const std::vector<plot::FigureChoice>& metrics, const QString& key, int choice);

} // namespace trainscope::app
