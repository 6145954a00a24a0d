#pragma once
// What is remembered of a timeline per database (by its uuid): lanes, marks and the time display,
// as a small JSON file in the user's state folder. Blocking; for a worker.

#include "core/model/Result.h"
#include "core/plot/Timeline.h"

#include <QString>

#include <optional>
#include <string>
#include <vector>

namespace trainscope::app {

// A stretch of a run that the user marked; a point when begin equals end.
struct Mark {
    std::string run; // by name, so that it survives a new import
    TimeRange range;
    QString label;
    bool operator==(const Mark&) const = default;
};

struct SavedView {
    std::optional<plot::Arrangement> arrangement; // absent: never changed by the user
    std::vector<Mark> marks;
    plot::TimeDisplay display = plot::TimeDisplay::Relative;
    bool operator==(const SavedView&) const = default;
};

// $XDG_STATE_HOME/trainscope/views, else ~/.local/state/trainscope/views.
QString viewFolder();

QByteArray encodeView(const SavedView& view);
// Lanes and marks that cannot be understood are left out.
SavedView decodeView(const QByteArray& json);

// An empty view when nothing was saved.
SavedView readView(const QString& folder, const std::string& uuid);
Status writeView(const QString& folder, const std::string& uuid, const SavedView& view);

} // namespace trainscope::app
