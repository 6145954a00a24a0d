#pragma once
// State that the parts of the timeline share: the shown runs and their lanes, the window on them,
// with its arithmetic, undo and redo, the place that the user points at, with the item that is
// drawn there, and the picture that was laid out last. GUI thread; the window and the search for
// the item: any thread.
//
// Positions are logical pixels of the view; times are of the view (see
// core/plot/timeline/Timeline.h), aligned as the runs are.

#include "app/engine/EngineLanes.h"
#include "app/viewmodels/lanes/TimelineLoader.h"
#include "app/viewmodels/window/Theme.h"
#include "app/viewmodels/workspace/ViewFile.h"
#include "app/viewmodels/workspace/Workspace.h"
#include "core/plot/timeline/TimeScale.h"
#include "core/plot/timeline/TimeTicks.h"
#include "core/plot/timeline/Timeline.h"

namespace trainscope::app {

// A stretch in its strip of the head: a phase, a capture or an iteration.
struct StretchHit {
    std::size_t run = 0; // index into the shown runs
    plot::StretchKind kind = plot::StretchKind::Phase;
    std::size_t item = 0; // index among all of its strip
    std::string name; // for an iteration: its number
    plot::ViewWindow stretch;
};

struct TimelineHit {
    int lane = -1; // -1: none
    int item = -1; // index into the lane's series or spans; -1: none
    std::size_t run = 0; // index into the shown runs, with an item
    int rank = -1; // rank of the item, -1: none
    std::optional<store::LodNode> group; // in kernel and thread lanes
    std::optional<StretchHit> stretch; // in the head
    plot::Rect place; // the group or the stretch, as far as the plot shows it
    DurationNs time; // view time under the point
};

using OverlaysPtr = std::shared_ptr<const std::vector<plot::RunOverlay>>;

// One of the stretches that a strip shows.
StretchHit stretchHit(const plot::TimelineData& data, const std::vector<plot::RunOverlay>* overlays,
    const plot::StretchStrip& strip, std::size_t item);

// The drawn timeline is no plot::Picture: its items are the samples and spans of the data that is
// shown, some hundred thousand, which move with every step of the window. Each question is one
// search in the column of its time, while targets would be made anew for every picture of a pan.
// Line lanes give the series nearest to the point, heat and kernel lanes the row under it. Lanes
// are hidden above `geometry.plot`, where the head is. `overlays`: those of the geometry, whose
// iterations may be found ones; nullptr: none.
TimelineHit hitTest(const plot::TimelineData& data, const plot::TimelineGeometry& geometry,
    const plot::TimeScale& axis, plot::Point point,
    const std::vector<plot::RunOverlay>* overlays = nullptr);

// The window never leaves the limits and is never shorter than kShortest.
class TimeWindow {
public:
    static constexpr DurationNs kShortest{20};

    [[nodiscard]] const plot::ViewWindow& limits() const { return m_limits; }
    [[nodiscard]] const plot::ViewWindow& window() const { return m_window; }
    [[nodiscard]] bool showsAll() const { return m_window == m_limits; }

    // `time` moved by that share of the window, a nanosecond at least, within the limits.
    [[nodiscard]] DurationNs beside(DurationNs time, double windows) const;

    // Limits shorter than kShortest are widened to it. The window keeps its place as far as they
    // allow.
    void setLimits(plot::ViewWindow limits);
    void set(plot::ViewWindow window);
    void showAll() { m_window = m_limits; }
    // The length is multiplied by `factor` (below 1: zooms in); `anchor` stays at its place on the
    // screen.
    void zoom(double factor, DurationNs anchor);
    void pan(DurationNs by) { m_window = clamped({m_window.begin + by, m_window.end + by}); }
    // Moves just so far that `time` is in view.
    void reveal(DurationNs time);
    // Moves, without zooming, so that `time` is in the middle.
    void centreOn(DurationNs time);
    // Shows the stretch with a margin of 10 % of it on both sides.
    void frame(plot::ViewWindow stretch);

private:
    [[nodiscard]] plot::ViewWindow clamped(plot::ViewWindow window) const;

    plot::ViewWindow m_limits{{0}, kShortest};
    plot::ViewWindow m_window{{0}, kShortest};
};

struct ViewState {
    plot::ViewWindow window;
    plot::Arrangement arrangement;
    std::vector<Mark> marks = {};
    bool operator==(const ViewState&) const = default;
};

enum class ViewChange { Jump, Zoom, Pan, Resize, Lanes };

class ViewHistory {
public:
    static constexpr std::size_t kMost = 200;
    static constexpr std::int64_t kGestureMs = 700;

    // Forgets everything; `state` is where undo ends.
    void reset(const ViewState& state);
    // All windows, where the runs are aligned otherwise.
    void shift(DurationNs by);
    // The state after a change. Zoom, pan and resize steps of the same kind within kGestureMs
    // replace one another.
    void record(ViewState state, ViewChange change, std::int64_t nowMs);

    [[nodiscard]] bool canUndo() const { return m_position > 0; }
    [[nodiscard]] bool canRedo() const { return m_position + 1 < m_states.size(); }
    // The state to return to. Only after canUndo(), canRedo().
    const ViewState& undo();
    const ViewState& redo();

private:
    std::vector<ViewState> m_states{ViewState{}};
    std::size_t m_position = 0;
    ViewChange m_lastChange = ViewChange::Jump;
    std::int64_t m_lastMs = 0;
    bool m_inGesture = false;
};

// nullptr: it is not among them.
const plot::ShownRun* findRun(const std::vector<plot::ShownRun>& runs, RunId id);

struct TimelineContext {
    // Width of the lanes' names.
    static int nameWidth() { return qRound(Theme::instance()->grown(148)); }

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
    [[nodiscard]] DurationNs point() const { return isCursorVisible() ? *cursor : middle(); }
    [[nodiscard]] DurationNs middle() const;

    [[nodiscard]] TimelineHit hitAt(double x, double y) const;
    // True where those are the shown runs, in their order.
    [[nodiscard]] bool shows(const std::vector<plot::ShownRun>& those) const;
    // The time under x, or under the nearest edge of the plot.
    [[nodiscard]] DurationNs timeAt(double x) const {
        return axis.toTime(std::clamp(x, axis.x, axis.right()));
    }
    [[nodiscard]] DurationNs pixelLength() const;

    [[nodiscard]] plot::TimeContext wording() const;
    [[nodiscard]] QString textOf(DurationNs time) const {
        return QString::fromStdString(plot::timeText(time, pixelLength(), wording()));
    }
};

} // namespace trainscope::app
