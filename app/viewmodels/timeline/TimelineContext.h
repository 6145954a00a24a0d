#pragma once
// State that the parts of the timeline share: the shown runs and their lanes, the window on them,
// the place that the user points at, and the picture that was laid out last. GUI thread.
//
// Positions are logical pixels of the view; times are of the view, aligned as the runs are.

#include <QPointer>
#include <QString>

#include "app/engine/EngineLanes.h"
#include "app/viewmodels/lanes/TimelineLoader.h"
#include "app/viewmodels/timeline/TimeWindow.h"
#include "app/viewmodels/timeline/TimelineHitTest.h"
#include "app/viewmodels/workspace/ViewFile.h"
#include "app/viewmodels/workspace/Workspace.h"
#include "core/plot/timeline/TimeTicks.h"

#include <optional>
#include <vector>

namespace trainscope::app {

// nullptr: it is not among them.
const plot::ShownRun* findRun(const std::vector<plot::ShownRun>& runs, RunId id);

struct TimelineContext {
    static constexpr int kNameWidth = 148; // width of the lanes' names

    QPointer<Workspace> workspace;
    CataloguePtr catalogue;
    std::shared_ptr<EngineLanes> remote; // lanes of linked runs; nullptr: none
    std::vector<plot::ShownRun> runs; // with their origins
    plot::Arrangement arrangement;
    std::vector<Mark> marks; // marks on all runs in the database
    TimeWindow window;
    plot::TimeDisplay display = plot::TimeDisplay::Relative;

    std::optional<DurationNs> cursor;
    int focusRank = 0; // the GPU that the inspector tells of
    std::optional<plot::ViewWindow> selection;

    double width = 0.0;
    double height = 0.0;
    double lanesTop = 0.0;
    plot::TimeScale axis;
    TimelineDataPtr drawn; // the data of `geometry`
    std::shared_ptr<const plot::TimelineGeometry> geometry;
    OverlaysPtr overlays; // for `geometry`; nullptr: not shown

    // There are runs to show.
    [[nodiscard]] bool isReady() const { return workspace && catalogue && !runs.empty(); }
    [[nodiscard]] bool isDrawn() const { return isReady() && drawn && geometry; }
    [[nodiscard]] ReaderPool& readers() const { return workspace->readers(); }
    [[nodiscard]] bool isCursorVisible() const;
    [[nodiscard]] std::vector<int> ranks() const;
    // The time that is pointed at, else what the user looks at: the middle of the view.
    [[nodiscard]] DurationNs point() const;
    [[nodiscard]] DurationNs middle() const;

    [[nodiscard]] TimelineHit hitAt(double x, double y) const;
    // True where those are the shown runs, in their order.
    [[nodiscard]] bool shows(const std::vector<plot::ShownRun>& those) const;
    // The time under x, or under the nearest edge of the plot.
    [[nodiscard]] DurationNs timeAt(double x) const;
    [[nodiscard]] DurationNs pixelLength() const;

    [[nodiscard]] plot::TimeContext wording() const;
    [[nodiscard]] QString textOf(DurationNs time) const;
};

} // namespace trainscope::app
