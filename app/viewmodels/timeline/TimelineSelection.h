#pragma once
// The selected stretch of time, and the statistics of it, or of the window where nothing is
// selected. GUI thread.

#include "app/viewmodels/inspector/InspectorModel.h"
#include "app/viewmodels/inspector/KernelFigures.h"
#include "app/viewmodels/timeline/TimelineContext.h"
#include "app/viewmodels/timeline/TimelineCursor.h"
#include "app/viewmodels/timeline/TimelineNavigation.h"

#include <QQmlEngine>

namespace trainscope::app {

class TimelineSelection : public QObject {
    Q_OBJECT
    QML_ANONYMOUS
    Q_PROPERTY(bool visible READ isVisible NOTIFY changed FINAL)
    Q_PROPERTY(double x READ x NOTIFY changed FINAL)
    Q_PROPERTY(double width READ width NOTIFY changed FINAL)
    Q_PROPERTY(QString text READ text NOTIFY changed FINAL)
    Q_PROPERTY(QString description READ description NOTIFY changed FINAL) // for screen readers

public:
    TimelineSelection(
        TimelineContext& context, InspectorModel& inspector, QObject* parent = nullptr);

    void selectBetween(double fromX, double toX);
    // The edge at the cursor goes to `time`; elsewhere the stretch from the cursor to it is
    // selected.
    void extendTo(DurationNs time);
    Q_INVOKABLE void clear();
    void set(const std::optional<plot::ViewWindow>& stretch);
    // Selects a stretch of the head; extending, all from the one that was chosen first to it.
    void choose(const StretchHit& stretch, bool extends);
    // Selects that too, with what lies between.
    void cover(const plot::ViewWindow& stretch);
    // The stretch of the head that was chosen last; nullptr: something else is selected, or
    // nothing.
    [[nodiscard]] const StretchHit* chosen() const { return m_chosen ? &m_chosen->last : nullptr; }
    // The stretches of the head lie elsewhere now. The selection stays, without their name.
    void forgetChosen() { m_chosen.reset(); }
    // -1 left edge, 1 right edge, 0 neither, within reach of the pointer.
    [[nodiscard]] int edgeAt(double x) const;
    void moveEdge(int edge, double x);
    // Reads the statistics a moment later.
    void scheduleStatistics() { m_timer.start(); }
    // Another database, or other runs: what is under way tells of those before.
    void forget();
    // Reads what an engine has told since, where something was missing.
    void engineAnswered();

    [[nodiscard]] bool isVisible() const;
    [[nodiscard]] double x() const {
        return m_context.selection ? clampedX(m_context.selection->begin) : 0.0;
    }
    [[nodiscard]] double width() const {
        return m_context.selection ? clampedX(m_context.selection->end) - x() : 0.0;
    }
    [[nodiscard]] QString text() const;
    [[nodiscard]] QString description() const;

Q_SIGNALS:
    void changed();
    // The longest span of a row of the figures.
    void spanFound(const trainscope::app::SpanTarget& target);
    void failed(const trainscope::Error& error);

private:
    void startStatistics();
    void readStatistics(const plot::ViewWindow& stretch);
    void showStatistics(const Result<std::vector<RunStatistics>>& statistics);
    void startKernels();
    struct Asked {
        AskedTables* tables;
        Result<AskedReading> (*read)(const store::Store&, const KernelStretch&, const Progress&);
        // Database and runs, shown or being read; of tables of whole runs.
        std::pair<std::string, std::vector<RunId>> of{};
        Task<AskedReading> task{};
    };
    void startAsked(Asked& asked);
    // Memory of whole runs is read once for each choice of them.
    void showKernels(const Result<KernelReading>& reading);
    // Sums traces in the background, so that stretches need not be read.
    void sum(const std::vector<RunId>& runs);
    void findLongest(analysis::SpanGroup group, std::size_t run, const std::string& name);
    // The selection, else what is in view.
    [[nodiscard]] KernelStretch shownStretch() const;
    // End that stays when the selection is extended.
    [[nodiscard]] DurationNs anchor() const;
    [[nodiscard]] double clampedX(DurationNs time) const;
    struct Chosen {
        StretchHit first;
        StretchHit last;
    };
    // "Iteration 12", "Iterations 3 to 7".
    [[nodiscard]] QString nameOf(const Chosen& chosen) const;

    TimelineContext& m_context;
    InspectorModel& m_inspector;
    Task<std::vector<RunStatistics>> m_task;
    Task<KernelReading> m_kernelTask;
    std::array<Asked, 4> m_asked;
    Task<std::optional<SpanTarget>> m_longestTask{Urgency::Pointer};
    Task<std::vector<store::KeptSums>> m_sumTask{Urgency::Background};
    bool m_isWaiting = false; // for an engine
    std::optional<Chosen> m_chosen; // stretches that the selection covers
    // Runs that are being summed, or could not be, and their database.
    std::pair<std::string, std::vector<RunId>> m_summed;
    QTimer m_timer;
};

// The selected span: found under the pointer, by its neighbours or by a search, and outlined where
// it lies. GUI thread.

class TimelineSpan : public QObject {
    Q_OBJECT
    QML_ANONYMOUS
    Q_PROPERTY(bool visible READ isVisible NOTIFY changed FINAL)
    Q_PROPERTY(QRectF place READ place NOTIFY changed FINAL) // in the view

public:
    TimelineSpan(TimelineContext& context, TimelineNavigation& navigation, TimelineCursor& cursor,
        InspectorModel& inspector, QObject* parent = nullptr);

    // Selects the span of a hit.
    void select(const TimelineHit& hit);
    // Looks it up; with `reveal` the window goes there.
    void select(SpanTarget target, bool reveal);
    // To its neighbour on the track; where none is selected, from the cursor on in that lane, or in
    // the first that has spans.
    void step(SpanTarget::Step step, int lane);
    void clear();
    // Reads the span again: its facts depend on the clocks and the alignment of its run.
    void readAgain();
    // Finds its place again: another window, or another picture.
    void layOut();

    [[nodiscard]] bool isSelected() const { return m_span.has_value(); }
    // In view time; absent where none is selected.
    [[nodiscard]] std::optional<plot::ViewWindow> stretch() const;
    [[nodiscard]] std::optional<TrackId> track() const {
        return m_span ? std::optional(m_span->track) : std::nullopt;
    }
    [[nodiscard]] std::vector<plot::LaunchArrow> launches() const {
        return m_span ? m_span->launches : std::vector<plot::LaunchArrow>();
    }
    [[nodiscard]] bool isVisible() const { return m_place.has_value(); }
    [[nodiscard]] QRectF place() const { return m_place.value_or(QRectF()); }

Q_SIGNALS:
    void changed();
    void revealed(); // the window went to it
    void launchesChanged();
    void failed(const trainscope::Error& error);

private:
    void take(std::optional<SpanReport> report);
    void stepFromCursor(SpanTarget::Step step, int lane);
    // Track of the GPU that is pointed at, if it is there; nullptr: no lane has spans.
    [[nodiscard]] const plot::LaneSpans* trackIn(int lane) const;
    void reveal();
    [[nodiscard]] std::optional<QRectF> placeOf(const plot::ViewWindow& shown) const;

    TimelineContext& m_context;
    TimelineNavigation& m_navigation;
    TimelineCursor& m_cursor;
    InspectorModel& m_inspector;
    Task<std::optional<SpanReport>> m_task{Urgency::Pointer};
    std::optional<SpanReport> m_span;
    std::optional<QRectF> m_place;
};

} // namespace trainscope::app
