#pragma once
// What is remembered of the views per database (by its uuid): lanes, marks and the time display of
// the timeline, which view is open and the settings of the figures, as one small JSON file in the
// user's state folder. Blocking; for a worker. Thread-safe.

#include "core/model/Result.h"
#include "core/plot/timeline/Timeline.h"

#include <QJsonObject>
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
    bool overlays = true; // throttle episodes and unsettled time are shown
    bool operator==(const SavedView&) const = default;
};

// Which view is open, and what was chosen in each of the others by its key.
struct SavedBench {
    QString view; // key; empty: never chosen
    QJsonObject settings; // key of the view → object
    bool operator==(const SavedBench&) const = default;
};

// $XDG_STATE_HOME/trainscope/views, else ~/.local/state/trainscope/views.
QString viewFolder();

QByteArray encodeView(const SavedView& view);
// Lanes and marks that cannot be understood are left out.
SavedView decodeView(const QByteArray& json);

// Empty when nothing was saved. Writing one part keeps the other, and what it does not know.
SavedView readView(const QString& folder, const std::string& uuid);
Status writeView(const QString& folder, const std::string& uuid, const SavedView& view);
SavedBench readBench(const QString& folder, const std::string& uuid);
Status writeBench(const QString& folder, const std::string& uuid, const SavedBench& bench);

} // namespace trainscope::app
