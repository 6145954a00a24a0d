#pragma once
// The moment that the layout view shows: its playback, the values of all ranks there, and the
// cursor that all views share. GUI thread.

#include <QObject>
#include <QPointer>
#include <QTimer>

#include "app/viewmodels/layout/Playback.h"
#include "app/viewmodels/layout/PlaybackCache.h"
#include "app/viewmodels/workspace/Views.h"

#include <functional>
#include <optional>

namespace trainscope::app {

class LayoutMoment : public QObject {
    Q_OBJECT

public:
    explicit LayoutMoment(QObject* parent = nullptr);

    // Place where the cursor is shared; nullptr: nowhere.
    void setViews(Views* views);
    // Without a run there is no moment.
    void setRun(const std::optional<Run>& run);
    void setMetric(const std::string& metric); // the metric to read
    // Only a view that is seen and shows the moment reads; it stops playing else.
    void setShown(bool shown);
    // Reads the values of the moment.
    void show();
    void forget();
    // To the cursor of the other views, if they have one in this run.
    void takeCursor();
    // Tells them now.
    void share();

    [[nodiscard]] Playback& playback() { return m_playback; }
    [[nodiscard]] const Playback& playback() const { return m_playback; }

Q_SIGNALS:
    void values(const std::vector<std::optional<double>>& values);
    void settled(); // it rests, or a moment has passed since it was told last
    void failed(const trainscope::Error& error);

private:
    void follow(const std::function<void()>& move); // `move` without telling anybody

    Playback m_playback;
    PlaybackCache m_cache;
    QPointer<Views> m_views;
    std::optional<Run> m_run;
    bool m_isShown = false;
    bool m_isFollowing = false;
    QTimer m_shareTimer; // the cursor is told to others now and then while it plays
};

} // namespace trainscope::app
