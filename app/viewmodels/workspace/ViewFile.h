#pragma once
// Remembered state of the views per database (by its uuid): lanes, marks and the time display of
// the timeline, the open view and the settings of the figures, as one small JSON file in the user's
// state folder. Blocking. Thread-safe.

#include "core/plot/timeline/Timeline.h"

#include <QJsonObject>
#include <QString>
#include <QThreadPool>

namespace trainscope::app {

using Mark = plot::TimelineMark; // by the name of its run, so that it survives a new import

// Alignment of runs that are laid over each other.
enum class AlignmentMode { Start, Iteration, Clock };
constexpr auto namesOf(AlignmentMode) {
    return enumNames("start", "iteration", "clock");
}

struct SavedTimeline {
    std::optional<plot::Arrangement> arrangement; // absent: never changed by the user
    std::vector<Mark> marks;
    plot::TimeDisplay display = plot::TimeDisplay::Relative;
    std::optional<AlignmentMode> alignment = {}; // absent: never chosen by the user
    bool overlays = true; // throttle episodes and unsettled time are shown
    bool operator==(const SavedTimeline&) const = default;
};

// The open view, and the choices in each of the others by its key.
struct SavedViews {
    QString view; // key; empty: never chosen
    QJsonObject settings; // key of the view → object
    bool operator==(const SavedViews&) const = default;
};

// The thread that reads and writes these files in the background, in order.
QThreadPool& viewFiles();

// $XDG_STATE_HOME/trainscope/views, else ~/.local/state/trainscope/views.
QString viewFolder();

QByteArray encodeTimeline(const SavedTimeline& view);
// Lanes and marks that cannot be understood are left out.
SavedTimeline decodeTimeline(const QByteArray& json);

// Empty when nothing was saved. Writing one part keeps the other, and what it does not know.
SavedTimeline readTimeline(const QString& folder, const std::string& uuid);
Status writeTimeline(const QString& folder, const std::string& uuid, const SavedTimeline& view);
SavedViews readViews(const QString& folder, const std::string& uuid);
Status writeViews(const QString& folder, const std::string& uuid, const SavedViews& views);

} // namespace trainscope::app
