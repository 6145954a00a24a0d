#pragma once
// The timeline: reads its runs and what the window shows of them, lays the picture out, and joins
// its parts. The business of one part (navigation, lanes, their list, cursor, selection,
// span, marks, overlays, search, alignment) is that part's; QML binds to them. It reads in the
// background only, and gives QML texts and pixel positions; nanoseconds never pass through
// JavaScript. GUI thread.
//
// TimelineItem asks layOut() for the scene and paints it.

#include <QQmlEngine>

#include "app/engine/EngineLanes.h"
#include "app/viewmodels/timeline/AlignmentModel.h"
#include "app/viewmodels/timeline/LaneDeriving.h"
#include "app/viewmodels/timeline/LanePicker.h"
#include "app/viewmodels/timeline/MarkListModel.h"
#include "app/viewmodels/timeline/TimelineCursor.h"
#include "app/viewmodels/timeline/TimelineLanes.h"
#include "app/viewmodels/timeline/TimelineNavigation.h"
#include "app/viewmodels/timeline/TimelineOverlays.h"
#include "app/viewmodels/timeline/TimelineSearch.h"
#include "app/viewmodels/timeline/TimelineSelection.h"
#include "app/viewmodels/workspace/DrawnView.h"
#include "core/figures/timeline/TimelineFigure.h"

namespace trainscope::app {

class TimelineController : public trainscope::app::Exportable {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(trainscope::app::Workspace* workspace READ workspace WRITE setWorkspace NOTIFY
            workspaceChanged REQUIRED FINAL)
    // Source of the evidence that other views point at; may be absent.
    Q_PROPERTY(
        trainscope::app::Views* views READ views WRITE setViews NOTIFY workspaceChanged FINAL)

    // Ready: there is something to show. Loading: exact data is on its way.
    Q_PROPERTY(bool ready READ isReady NOTIFY stateChanged FINAL)
    Q_PROPERTY(bool loading READ isLoading NOTIFY stateChanged FINAL)
    Q_PROPERTY(QString errorText READ errorText NOTIFY stateChanged FINAL)
    Q_PROPERTY(QString emptyText READ emptyText NOTIFY stateChanged FINAL)
    // State of linked runs: their engine is being asked, the reason that nothing comes of it, and
    // what askEngine() does about that: asks again, or names an engine that nobody has named yet.
    Q_PROPERTY(bool asking READ isAsking NOTIFY engineChanged FINAL)
    Q_PROPERTY(QString engineProblem READ engineProblem NOTIFY engineChanged FINAL)
    Q_PROPERTY(QString engineOffer READ engineOffer NOTIFY engineChanged FINAL)
    // Cursor, selection and lanes, for screen readers.
    Q_PROPERTY(QString description READ description NOTIFY described FINAL)
    // Remark on the number of drawn runs, where the shown ones are too many to be told apart.
    Q_PROPERTY(QString runsNote READ runsNote NOTIFY stateChanged FINAL)

    // Colours of the shown runs, in their order; Theme.seriesColor().
    Q_PROPERTY(QList<int> runColors READ runColors NOTIFY stateChanged FINAL)

    // The capture whose menu is open, and the other ones of its run, by time.
    Q_PROPERTY(QString captureName READ captureName NOTIFY captureMenuWanted FINAL)
    Q_PROPERTY(QStringList otherCaptures READ otherCaptures NOTIFY captureMenuWanted FINAL)

    Q_PROPERTY(trainscope::app::TimelineNavigation* navigation READ navigation CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::TimelineLanes* lanes READ lanes CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::LanePicker* picker READ picker CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::LaneDeriving* deriving READ deriving CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::TimelineCursor* cursor READ cursor CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::TimelineSelection* selection READ selection CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::TimelineSpan* span READ span CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::MarkListModel* marks READ marks CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::TimelineOverlays* overlays READ overlays CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::AlignmentModel* alignment READ alignment CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::TimelineSearch* search READ search CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::InspectorModel* inspector READ inspector CONSTANT FINAL)

public:
    explicit TimelineController(QObject* parent = nullptr);
    ~TimelineController() override;

    [[nodiscard]] Workspace* workspace() const { return m_context.workspace; }
    void setWorkspace(Workspace* workspace);
    [[nodiscard]] Views* views() const { return m_views; }
    void setViews(Views* views);

    [[nodiscard]] bool isReady() const { return m_context.isReady(); }
    [[nodiscard]] bool isLoading() const { return m_isOpening || m_loader.isLoading(); }
    [[nodiscard]] QString errorText() const { return m_error; }
    [[nodiscard]] bool isAsking() const { return m_remote && m_remote->state().isAsking; }
    [[nodiscard]] QString engineProblem() const;
    [[nodiscard]] QString engineOffer() const;
    Q_INVOKABLE void askEngine();
    [[nodiscard]] QString emptyText() const;
    [[nodiscard]] QString runsNote() const;
    [[nodiscard]] QString description() const;
    [[nodiscard]] QList<int> runColors() const;

    [[nodiscard]] TimelineNavigation* navigation() { return &m_navigation; }
    [[nodiscard]] TimelineLanes* lanes() { return &m_lanes; }
    [[nodiscard]] LanePicker* picker() { return &m_picker; }
    [[nodiscard]] LaneDeriving* deriving() { return &m_deriving; }
    [[nodiscard]] TimelineCursor* cursor() { return &m_cursor; }
    [[nodiscard]] TimelineSelection* selection() { return &m_selection; }
    [[nodiscard]] TimelineSpan* span() { return &m_span; }
    [[nodiscard]] MarkListModel* marks() { return &m_marks; }
    [[nodiscard]] TimelineOverlays* overlays() { return &m_overlays; }
    [[nodiscard]] AlignmentModel* alignment() { return &m_alignment; }
    [[nodiscard]] TimelineSearch* search() { return &m_search; }
    [[nodiscard]] InspectorModel* inspector() { return &m_inspector; }
    // For the items that paint.
    [[nodiscard]] const TimelineContext& context() const { return m_context; }

    // The shown picture, for export. Without runs nothing is shown.
    [[nodiscard]] figures::TimelineRequest request() const;
    [[nodiscard]] ExportJob exportJob() const override;

    // The size of the view; device pixels decide what is read.
    void setViewSize(double width, double height, double pixelRatio);
    // Lays the newest data out in the window; also places the overlays. nullptr while there is
    // nothing.
    std::shared_ptr<const plot::TimelineGeometry> layOut(
        const plot::Theme& theme, const plot::MeasureText& measure);

    // Extending, what is selected grows up to what lies there.
    void clickAt(double x, double y, bool extends = false);
    void doubleClickAt(double x, double y);
    // The menu of the capture that lies there, if one does.
    void openMenuAt(double x, double y);
    [[nodiscard]] QString captureName() const;
    [[nodiscard]] QStringList otherCaptures() const;
    // Compare shows that capture beside one of the others, or (−1) beside all of them.
    Q_INVOKABLE void compareCapture(int other);
    // The selection, else the selected span, else everything.
    Q_INVOKABLE void fitSelection();
    // True when the key means something here.
    Q_INVOKABLE bool handleKey(int key, int modifiers);
    // The keys; app/manual/Keys.h has their texts for the help. With `selects` what moves the
    // cursor takes the selection along.
    struct Binding {
        int key;
        Qt::KeyboardModifiers modifiers;
        void (*perform)(TimelineController& timeline, bool selects);
    };
    [[nodiscard]] static std::span<const Binding> bindings();
    // nullptr: the keys mean nothing. Shift is ignored where no binding has it: `+` and `/` need it
    // on many keyboards, and with a command that moves the cursor it selects.
    [[nodiscard]] static const Binding* bindingOf(int key, Qt::KeyboardModifiers modifiers);
    // Shows the run if it is not shown, its stretch as the selection, its GPU and the lane of its
    // metric.
    void reveal(const Evidence& evidence);

Q_SIGNALS:
    void workspaceChanged();
    void stateChanged();
    void described();
    void engineChanged();
    void catalogueChanged();
    void repaintNeeded(); // the scene is no longer what layOut() gave
    void searchRequested(); // the `/` key
    void lanesRequested(); // the key of the list of lanes
    void deriveRequested(); // the key that derives a lane
    void captureMenuWanted();

private:
    static constexpr std::size_t kMostRuns = 32;
    struct Opened {
        CataloguePtr catalogue;
        SavedTimeline saved;
        std::shared_ptr<EngineLanes> remote; // lanes of linked runs; nullptr: none
    };

    void connectParts();
    void shareStretches();
    void connectEngines();
    void disconnectEngines();
    void reloadDatabase();
    void reloadRuns();
    void readGrowth();
    void takeGrowth(const CataloguePtr& catalogue);
    void showNothing();
    [[nodiscard]] EngineLanes::Settings engineSettings();
    void engineAnswered();
    void followEngines();
    [[nodiscard]] std::vector<plot::ShownRun> runsToDraw() const;
    void takeCatalogue(const Opened& opened);
    void takeRuns(bool isOther);
    void takeSaved(const SavedTimeline& saved);
    void startClocks();
    void applyAlignment();
    void windowMoved();
    void lanesArranged(ViewChange change);
    void requestData();
    void dataArrived();
    void fail(const Error& error);
    void save();
    void writeSaved();
    [[nodiscard]] SavedTimeline saved() const;

    void goToCrossing(int direction);
    void step(SpanTarget::Step direction, bool selects);
    // The next stretch of the strip in the head that the last chosen one is of; of the iterations,
    // else the first strip, where none is.
    void stepStretch(int direction, bool extends);
    void stepStrip();
    void chooseStretch(const plot::StretchStrip& strip, std::size_t item, bool extends);
    // Scrolls to the lane of the selected span; adds one where none has it.
    void showLaneOfSpan();
    void moveCursor(DurationNs time, bool selects);
    void nudge(double windows, bool selects); // the cursor
    void extendTo(const TimelineHit& hit);
    void tell(const TimelineHit& hit, bool extends);
    void choose(const StretchHit& stretch, bool extends);
    void clearAll();
    void jumpTo(const SearchHit& hit);
    void showEvidence();
    void selectEvidence(const Evidence& evidence);

    TimelineContext m_context;
    QPointer<Views> m_views;
    Task<Opened> m_openTask{Urgency::Pointer};
    Task<CataloguePtr> m_growthTask{Urgency::View};
    // Reads every collective.
    Task<std::vector<AlignmentModel::Clocks>> m_clockTask{Urgency::Background};
    TimelineLoader m_loader;
    std::shared_ptr<EngineLanes> m_remote;
    std::optional<importers::engine::Address> m_agreed; // to ask, when runs are opened next
    struct EngineCall; // by which threads of lanes that outlive this reach it
    std::shared_ptr<EngineCall> m_engineCall;
    QTimer m_answered; // gathers what comes within a moment
    QTimer m_live; // runs of engines that go on
    InspectorModel m_inspector;
    TimelineOverlays m_overlays;
    TimelineSearch m_search;
    AlignmentModel m_alignment;
    TimelineNavigation m_navigation{m_context};
    TimelineLanes m_lanes{m_context};
    LanePicker m_picker{m_context, m_lanes};
    LaneDeriving m_deriving{m_context, m_lanes};
    TimelineCursor m_cursor{m_context, m_overlays, *m_lanes.model(), m_inspector};
    TimelineSelection m_selection{m_context, m_inspector};
    TimelineSpan m_span{m_context, m_navigation, m_cursor, m_inspector};
    MarkListModel m_marks{m_context, m_navigation, m_cursor};

    ToCompare m_captures; // the menu's: its capture first
    std::optional<Evidence> m_evidence; // to be shown when its run is there
    RunId m_revealed; // the run that was last asked for
    bool m_isOpening = false;
    int m_growths = 0; // since the overlays were read
    QString m_error;
    double m_pixelRatio = 1.0;
    int m_unsaved = 0; // changes since what was written
    QTimer m_saveTimer;
};

} // namespace trainscope::app
