#pragma once
// The state of the timeline: window, cursor, selection, lanes, marks, alignment and what is undone.
// It reads through workers only, and gives QML texts and pixel positions; nanoseconds never pass
// through JavaScript. GUI thread.
//
// Positions (x, y) are logical pixels of the view, as TimelineItem reports its size. TimelineItem
// asks layOut() for the scene and paints it.

#include <QElapsedTimer>
#include <QObject>
#include <QPointer>
#include <QQmlEngine>
#include <QStringList>
#include <QTimer>

#include "app/viewmodels/inspector/InspectorModel.h"
#include "app/viewmodels/lanes/LaneListModel.h"
#include "app/viewmodels/lanes/TimelineLoader.h"
#include "app/viewmodels/timeline/AlignmentModel.h"
#include "app/viewmodels/timeline/MarkListModel.h"
#include "app/viewmodels/timeline/TimeWindow.h"
#include "app/viewmodels/timeline/TimelineHitTest.h"
#include "app/viewmodels/timeline/TimelineKeys.h"
#include "app/viewmodels/timeline/TimelineOverlays.h"
#include "app/viewmodels/timeline/TimelineSearch.h"
#include "app/viewmodels/timeline/ViewHistory.h"
#include "app/viewmodels/workspace/Exportable.h"
#include "app/viewmodels/workspace/ReaderTask.h"
#include "app/viewmodels/workspace/Views.h"
#include "app/viewmodels/workspace/Workspace.h"
#include "core/figures/timeline/TimelineFigure.h"

#include <optional>

namespace trainscope::app {

class TimelineController : public trainscope::app::Exportable {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(trainscope::app::Workspace* workspace READ workspace WRITE setWorkspace NOTIFY
            workspaceChanged REQUIRED FINAL)

    // Where evidence comes from that other views point at; may be absent.
    Q_PROPERTY(
        trainscope::app::Views* views READ views WRITE setViews NOTIFY workspaceChanged FINAL)

    // Ready: there is something to show. Loading: exact data is on its way.
    Q_PROPERTY(bool ready READ isReady NOTIFY stateChanged FINAL)
    Q_PROPERTY(bool loading READ isLoading NOTIFY stateChanged FINAL)
    Q_PROPERTY(QString errorText READ errorText NOTIFY stateChanged FINAL)
    Q_PROPERTY(QString emptyText READ emptyText NOTIFY stateChanged FINAL)
    Q_PROPERTY(QString summary READ summary NOTIFY summaryChanged FINAL)

    Q_PROPERTY(double plotX READ plotX NOTIFY geometryChanged FINAL)
    Q_PROPERTY(double plotWidth READ plotWidth NOTIFY geometryChanged FINAL)
    Q_PROPERTY(double lanesTop READ lanesTop NOTIFY geometryChanged FINAL)
    Q_PROPERTY(double scroll READ scroll WRITE setScroll NOTIFY geometryChanged FINAL)
    Q_PROPERTY(double scrollPosition READ scrollPosition WRITE setScrollPosition NOTIFY
            geometryChanged FINAL)
    Q_PROPERTY(double scrollSize READ scrollSize NOTIFY geometryChanged FINAL)
    Q_PROPERTY(int nameWidth READ nameWidth CONSTANT FINAL)
    // The window as fractions of everything, for the minimap.
    Q_PROPERTY(double brushBegin READ brushBegin NOTIFY windowChanged FINAL)
    Q_PROPERTY(double brushEnd READ brushEnd NOTIFY windowChanged FINAL)
    Q_PROPERTY(QString windowText READ windowText NOTIFY windowChanged FINAL)
    Q_PROPERTY(QString limitsBeginText READ limitsBeginText NOTIFY windowChanged FINAL)
    Q_PROPERTY(QString limitsEndText READ limitsEndText NOTIFY windowChanged FINAL)

    Q_PROPERTY(bool cursorVisible READ cursorVisible NOTIFY cursorChanged FINAL)
    Q_PROPERTY(double cursorX READ cursorX NOTIFY cursorChanged FINAL)
    Q_PROPERTY(QString cursorText READ cursorText NOTIFY cursorChanged FINAL)
    Q_PROPERTY(QString hoverText READ hoverText NOTIFY cursorChanged FINAL)
    Q_PROPERTY(double hoverY READ hoverY NOTIFY cursorChanged FINAL)

    Q_PROPERTY(bool selectionVisible READ selectionVisible NOTIFY selectionChanged FINAL)
    Q_PROPERTY(double selectionX READ selectionX NOTIFY selectionChanged FINAL)
    Q_PROPERTY(double selectionWidth READ selectionWidth NOTIFY selectionChanged FINAL)
    Q_PROPERTY(QString selectionText READ selectionText NOTIFY selectionChanged FINAL)
    Q_PROPERTY(bool spanVisible READ spanVisible NOTIFY selectionChanged FINAL)
    Q_PROPERTY(double spanX READ spanX NOTIFY selectionChanged FINAL)
    Q_PROPERTY(double spanY READ spanY NOTIFY selectionChanged FINAL)
    Q_PROPERTY(double spanWidth READ spanWidth NOTIFY selectionChanged FINAL)
    Q_PROPERTY(double spanHeight READ spanHeight NOTIFY selectionChanged FINAL)

    Q_PROPERTY(
        int timeDisplay READ timeDisplay WRITE setTimeDisplay NOTIFY timeDisplayChanged FINAL)
    Q_PROPERTY(QStringList timeDisplays READ timeDisplays CONSTANT FINAL)
    // Throttle episodes and unsettled time over the lanes.
    Q_PROPERTY(bool overlays READ overlays WRITE setOverlays NOTIFY overlaysChanged FINAL)
    Q_PROPERTY(QStringList laneChoices READ laneChoices NOTIFY lanesChanged FINAL)
    Q_PROPERTY(QStringList laneStyles READ laneStyles CONSTANT FINAL)
    // The lane that the keyboard works on; -1: none.
    Q_PROPERTY(
        int currentLane READ currentLane WRITE setCurrentLane NOTIFY currentLaneChanged FINAL)
    Q_PROPERTY(bool canUndo READ canUndo NOTIFY historyChanged FINAL)
    Q_PROPERTY(bool canRedo READ canRedo NOTIFY historyChanged FINAL)

    Q_PROPERTY(trainscope::app::LaneListModel* lanes READ lanes CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::MarkListModel* marks READ marks CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::AlignmentModel* alignment READ alignment CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::TimelineSearch* search READ search CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::InspectorModel* inspector READ inspector CONSTANT FINAL)

public:
    explicit TimelineController(QObject* parent = nullptr);
    ~TimelineController() override;

    [[nodiscard]] Workspace* workspace() const { return m_workspace; }
    void setWorkspace(Workspace* workspace);

    [[nodiscard]] Views* views() const { return m_views; }
    void setViews(Views* views);

    [[nodiscard]] bool isReady() const;
    [[nodiscard]] bool isLoading() const;
    [[nodiscard]] QString errorText() const { return m_error; }
    [[nodiscard]] QString emptyText() const;
    [[nodiscard]] QString summary() const { return m_summary; }

    // What the view shows, for export. Without runs nothing is shown.
    [[nodiscard]] figures::TimelineRequest request() const;
    [[nodiscard]] ExportJob exportJob() const override;

    // For the items that paint. Shown runs come with their origins.
    [[nodiscard]] const std::vector<plot::ShownRun>& runs() const { return m_runs; }
    [[nodiscard]] const CataloguePtr& catalogue() const { return m_catalogue; }
    [[nodiscard]] const TimeWindow& timeWindow() const { return m_window; }
    [[nodiscard]] const plot::Arrangement& arrangement() const { return m_arrangement; }
    // The part of the view that has data: device pixels decide what is read.
    void setViewSize(double width, double height, double pixelRatio);
    // Lays the newest data out in the window; also places the overlays. nullptr while there is
    // nothing.
    std::shared_ptr<const plot::TimelineGeometry> layOut(
        const plot::Theme& theme, const plot::MeasureText& measure);

    // Navigation. Factors below 1 zoom in.
    Q_INVOKABLE void zoomAt(double factor, double x);
    Q_INVOKABLE void zoomIn();
    Q_INVOKABLE void zoomOut();
    Q_INVOKABLE void panBy(double pixels);
    Q_INVOKABLE void fitSelection();
    Q_INVOKABLE void showAll();
    Q_INVOKABLE void undo();
    Q_INVOKABLE void redo();
    Q_INVOKABLE void scrollBy(double pixels);
    void setScroll(double scroll);
    void setScrollPosition(double position);
    // Fractions of everything, from the minimap.
    Q_INVOKABLE void setBrush(double begin, double end);
    Q_INVOKABLE void beginPinch(double x);
    Q_INVOKABLE void pinch(double scale, double x);
    // True when the key means something here.
    Q_INVOKABLE bool handleKey(int key, int modifiers);
    void perform(TimelineCommand command);
    void setWindow(plot::ViewWindow window, ViewChange change = ViewChange::Jump);

    // Pointer.
    Q_INVOKABLE void hoverAt(double x, double y);
    Q_INVOKABLE void leave();
    Q_INVOKABLE void clickAt(double x, double y);
    Q_INVOKABLE void doubleClickAt(double x, double y);
    Q_INVOKABLE void selectBetween(double fromX, double toX);
    Q_INVOKABLE void clearSelection();
    // -1 left edge, 1 right edge, 0 neither, within reach of the pointer.
    [[nodiscard]] int selectionEdgeAt(double x) const;
    void moveSelectionEdge(int edge, double x);
    [[nodiscard]] const std::optional<plot::ViewWindow>& selection() const { return m_selection; }

    // Shows the run if it is not shown, its stretch as the selection, its GPU and the lane of its
    // metric.
    void reveal(const Evidence& evidence);

    // Marks.
    Q_INVOKABLE void mark();
    Q_INVOKABLE void renameMark(int row, const QString& label);
    Q_INVOKABLE void removeMark(int row);
    Q_INVOKABLE void jumpToMark(int row);

    // Lanes.
    Q_INVOKABLE void addLane(int choice);
    Q_INVOKABLE void removeLane(int lane);
    Q_INVOKABLE void moveLane(int lane, int to);
    Q_INVOKABLE void resizeLane(int lane, double height);
    Q_INVOKABLE void resizeLaneBy(int lane, double pixels);
    Q_INVOKABLE void setLaneStyle(int lane, int style);
    Q_INVOKABLE void splitLane(int lane);
    Q_INVOKABLE void mergeLane(int lane);
    Q_INVOKABLE void resetLanes();
    // The lane at a height of the view, for dropping; the nearest.
    Q_INVOKABLE [[nodiscard]] int laneAt(double y) const;
    Q_INVOKABLE void showLane(int lane);

    [[nodiscard]] double plotX() const { return m_axis.x; }
    [[nodiscard]] double plotWidth() const { return m_axis.width; }
    [[nodiscard]] double lanesTop() const { return m_lanesTop; }
    [[nodiscard]] double scroll() const { return m_scroll; }
    [[nodiscard]] double scrollPosition() const;
    [[nodiscard]] double scrollSize() const;
    [[nodiscard]] int nameWidth() const { return kNameWidth; }
    [[nodiscard]] double brushBegin() const;
    [[nodiscard]] double brushEnd() const;
    [[nodiscard]] QString windowText() const;
    [[nodiscard]] QString limitsBeginText() const;
    [[nodiscard]] QString limitsEndText() const;
    [[nodiscard]] bool cursorVisible() const;
    [[nodiscard]] double cursorX() const;
    [[nodiscard]] QString cursorText() const;
    [[nodiscard]] QString hoverText() const { return m_hoverText; }
    [[nodiscard]] double hoverY() const { return m_hoverY; }
    [[nodiscard]] bool selectionVisible() const;
    [[nodiscard]] double selectionX() const;
    [[nodiscard]] double selectionWidth() const;
    [[nodiscard]] QString selectionText() const;
    [[nodiscard]] bool spanVisible() const { return m_spanPlace.has_value(); }
    [[nodiscard]] double spanX() const { return m_spanPlace ? m_spanPlace->x : 0.0; }
    [[nodiscard]] double spanY() const { return m_spanPlace ? m_spanPlace->y : 0.0; }
    [[nodiscard]] double spanWidth() const { return m_spanPlace ? m_spanPlace->width : 0.0; }
    [[nodiscard]] double spanHeight() const { return m_spanPlace ? m_spanPlace->height : 0.0; }
    [[nodiscard]] int timeDisplay() const { return static_cast<int>(m_display); }
    void setTimeDisplay(int display);
    [[nodiscard]] QStringList timeDisplays() const;
    [[nodiscard]] bool overlays() const { return m_overlays.isShown(); }
    void setOverlays(bool shown);
    [[nodiscard]] QStringList laneChoices() const;
    [[nodiscard]] QStringList laneStyles() const;
    [[nodiscard]] int currentLane() const { return m_currentLane; }
    void setCurrentLane(int lane);
    [[nodiscard]] bool canUndo() const { return m_history.canUndo(); }
    [[nodiscard]] bool canRedo() const { return m_history.canRedo(); }
    [[nodiscard]] LaneListModel* lanes() { return &m_lanes; }
    [[nodiscard]] MarkListModel* marks() { return &m_marks; }
    [[nodiscard]] AlignmentModel* alignment() { return &m_alignment; }
    [[nodiscard]] TimelineSearch* search() { return &m_search; }
    [[nodiscard]] InspectorModel* inspector() { return &m_inspector; }

Q_SIGNALS:
    void workspaceChanged();
    void stateChanged();
    void summaryChanged();
    void windowChanged();
    void geometryChanged(); // places of overlays
    void cursorChanged();
    void selectionChanged();
    void timeDisplayChanged();
    void lanesChanged();
    void overlaysChanged();
    void currentLaneChanged();
    void historyChanged();
    void catalogueChanged();
    void repaintNeeded(); // the scene is no longer what layOut() gave
    void searchRequested(); // the `/` key

private:
    static constexpr int kNameWidth = 148;

    static constexpr double kRightMargin = 12.0; // as core/plot leaves it

    struct Opened {
        CataloguePtr catalogue;
        SavedTimeline saved;
    };

    // TimelineController.cpp: what is shown.
    void reloadDatabase();
    void reloadRuns();
    void takeCatalogue(Result<Opened> opened, bool otherDatabase);
    void applyAlignment();
    void requestData();
    void dataArrived();
    void saveView();
    void writeSaved();
    [[nodiscard]] SavedTimeline savedView() const;
    [[nodiscard]] plot::TimeContext timeContext() const;
    [[nodiscard]] DurationNs pixelLength() const;
    [[nodiscard]] QString textOfTime(DurationNs time) const;
    [[nodiscard]] QString textOfLimit(DurationNs time) const;

    // TimelineNavigation.cpp
    void windowMoved(ViewChange change);
    void record(ViewChange change);
    void restore(const ViewState& state);
    void clampScroll();
    [[nodiscard]] double anchorX() const;
    void zoomStep(double factor);
    [[nodiscard]] plot::ViewWindow framed() const;

    void startClocks();

    // TimelinePointer.cpp
    void moveCursor(DurationNs time, int rank);
    // For this view alone; whether it was elsewhere.
    bool placeCursor(DurationNs time, int rank);
    void shareCursor();
    void takeCursor();
    void startProbe();
    void startSpan(const SpanTarget& target, bool reveal);
    void stepSpan(SpanTarget::Step step);
    void takeSpan(std::optional<SpanReport> report, bool reveal);
    void placeSpan();
    [[nodiscard]] DurationNs shownBegin(const SpanReport& report) const;
    [[nodiscard]] QString hoverTextOf(const TimelineHit& hit) const;
    void clearAll();
    void stepMark(int step);
    void removeMarkAtCursor();
    void marksChanged();
    void jumpTo(const SearchHit& hit);

    // TimelineEvidence.cpp
    void showEvidence();
    void selectEvidence(const Evidence& evidence);
    void showLaneOf(const Evidence& evidence);
    [[nodiscard]] QString throttleText(const TimelineHit& hit) const;
    [[nodiscard]] QString stripText(DurationNs time, double y) const;

    // TimelineSelection.cpp
    void scheduleStatistics();
    void startStatistics();

    // TimelineLanes.cpp
    void setArrangement(plot::Arrangement arrangement, ViewChange change);
    void placeLanes();
    void updateSummaries();
    [[nodiscard]] std::vector<int> ranks() const;

    QPointer<Workspace> m_workspace;
    QPointer<Views> m_views;
    LatestTask<Opened> m_openTask{Urgency::Pointer};
    SteadyTask<ProbeResult> m_probeTask;
    LatestTask<std::optional<SpanReport>> m_spanTask{Urgency::Pointer};
    // The clocks of the ranks: reads every collective.
    LatestTask<std::vector<AlignmentModel::Clocks>> m_clockTask{Urgency::Background};
    LatestTask<std::vector<RunStatistics>> m_statisticsTask;
    TimelineLoader m_loader;
    TimelineSearch m_search;
    TimelineOverlays m_overlays;
    std::optional<Evidence> m_evidence; // to be shown when its run is there
    LaneListModel m_lanes;
    MarkListModel m_marks;
    AlignmentModel m_alignment;
    InspectorModel m_inspector;

    CataloguePtr m_catalogue;
    std::vector<plot::ShownRun> m_runs;
    plot::Arrangement m_arrangement;
    bool m_customised = false; // the user changed the lanes
    int m_unsaved = 0; // changes since what was written
    TimeWindow m_window;
    ViewHistory m_history;
    plot::TimeDisplay m_display = plot::TimeDisplay::Relative;
    QString m_error;
    QString m_summary;
    bool m_opening = false;

    double m_width = 0.0;
    double m_height = 0.0;
    double m_pixelRatio = 1.0;
    double m_scroll = 0.0;
    double m_contentHeight = 0.0; // of the lanes
    double m_lanesTop = 0.0;
    int m_currentLane = -1;
    double m_pinchScale = 1.0;
    plot::TimeScale m_axis;
    TimelineDataPtr m_drawn; // the data of m_geometry
    std::shared_ptr<const plot::TimelineGeometry> m_geometry;

    std::optional<DurationNs> m_cursor;
    int m_focusRank = 0;
    QString m_hoverText;
    double m_hoverY = 0.0;
    std::optional<plot::ViewWindow> m_selection;
    std::optional<SpanReport> m_span;
    std::optional<plot::Rect> m_spanPlace;
    QTimer m_statisticsTimer;
    QTimer m_summaryTimer;
    QTimer m_saveTimer;
    QElapsedTimer m_clock;
};

} // namespace trainscope::app
