#pragma once
// The catalogue of the shown runs, which is read once per set of runs, before any samples: their
// GPUs, series, tracks and iterations, and the lanes that can be drawn.
//
// The loader reads timeline data for the window in the background and keeps the newest, so that a
// view always has something to draw: a coarse picture of everything first, then the data of the
// last window at once and the exact data when it arrives, with an overview behind it. While one
// read is under way further requests wait and only the last of them counts; a read of other runs or
// lanes, or of a window that is far from the wanted one, is dropped. GUI thread.

#include "app/viewmodels/workspace/Task.h"
#include "core/figures/timeline/RemoteLanes.h"
#include "core/figures/timeline/TimelineLoad.h"
#include "core/plot/timeline/Timeline.h"

#include <QPointer>
#include <QTimer>

namespace trainscope::app {

// One run of a catalogue; valid as long as that.
struct RunFacts {
    const Run& run;
    const std::vector<Gpu>& gpus;
    const std::vector<Series>& series;
    const std::vector<Track>& tracks;
    const std::vector<Iteration>& iterations; // in order of time
    const std::vector<Capture>& captures; // captures of its ranks; empty: the whole run was traced

    // Between captures of the rank, before or behind them; on its own clock.
    [[nodiscard]] bool isBetweenCaptures(int rank, TimeNs time) const;
    [[nodiscard]] const Iteration* findIteration(std::int64_t index) const;
};

struct TimelineCatalogue {
    std::string uuid; // the database's
    std::vector<Run> runs; // in the order of the shown runs
    plot::Catalogue tables; // in the same order
    plot::Arrangement defaults;
    std::vector<plot::LaneChoice> choices;
    std::vector<plot::LaneChoice> missing; // lanes that none of the runs has
    std::vector<figures::LanePreset> presets;

    [[nodiscard]] RunFacts facts(std::size_t run) const;
};
using CataloguePtr = std::shared_ptr<const TimelineCatalogue>;

Result<CataloguePtr> loadCatalogue(const store::Store& store,
    const std::vector<plot::ShownRun>& shown, const std::function<bool()>& isCancelled);

struct LoadRequest {
    QPointer<ReaderPool> readers; // readers of the database
    CataloguePtr catalogue;
    std::vector<plot::ShownRun> runs;
    plot::Arrangement arrangement;
    plot::ViewWindow window; // as seen
    plot::ViewWindow limits; // extent of all runs
    int columns = 0; // over the window: device pixels
    std::shared_ptr<figures::RemoteLanes> remote; // lanes of linked runs; nullptr: none
};

using TimelineDataPtr = std::shared_ptr<plot::TimelineData>;

class TimelineLoader : public QObject {
    Q_OBJECT

public:
    explicit TimelineLoader(QObject* parent = nullptr);

    // Reads unless what is there serves the window already.
    void request(LoadRequest request);
    // Reads again, whatever is there: the database has changed.
    void invalidate();
    // Forgets everything; requests under way deliver nothing.
    void clear();

    // Data to draw for the window: the newest, with coarser data behind it where it ends; nullptr
    // before the first.
    [[nodiscard]] TimelineDataPtr dataFor(const plot::ViewWindow& window) const;
    [[nodiscard]] bool isLoading() const { return m_running.has_value(); }
    [[nodiscard]] const QString& errorText() const { return m_error; }

    // The stretch that is read for a window: half a window more on both sides, inside the limits.
    static plot::ViewWindow padded(const plot::ViewWindow& window, const plot::ViewWindow& limits);

Q_SIGNALS:
    void dataChanged();
    void loadingChanged();
    void failed();

private:
    [[nodiscard]] bool serves(const LoadRequest& request) const;
    [[nodiscard]] bool overviewMissing(const LoadRequest& request) const;
    // First: few columns of everything, soon. Exact: the window. Overview: everything.
    enum class Stage { First, Exact, Overview };
    // True where the data being read can be drawn for the window that is wanted now.
    [[nodiscard]] bool isStillUseful(const LoadRequest& running, const LoadRequest& wanted) const;
    void putBehind();
    void start(const LoadRequest& request, Stage stage);
    void take(const LoadRequest& request, Stage stage, Result<TimelineDataPtr> result);
    void continueWithPending();
    void readAgain();

    Task<TimelineDataPtr> m_task{Urgency::Pointer};
    std::optional<LoadRequest> m_running;
    Stage m_stage = Stage::First; // stage of the running load
    std::optional<LoadRequest> m_pending;
    std::optional<LoadRequest> m_last;
    TimelineDataPtr m_data;
    TimelineDataPtr m_overview;
    bool m_stale = false; // m_data is from before a change
    bool m_isOutdated = false; // the running load is, too
    QString m_error;
    QTimer m_again; // while a lane is still computed
};

} // namespace trainscope::app
