#pragma once
// The cursor: the moment that all views share, with the values of lanes and GPU there, and the
// words for what the pointer is over: the series with its value, the span, the throttle episodes,
// and the place of the tip that has them. GUI thread.

#include "app/viewmodels/inspector/InspectorModel.h"
#include "app/viewmodels/inspector/SpanLookup.h"
#include "app/viewmodels/lanes/LaneListModel.h"
#include "app/viewmodels/timeline/TimelineContext.h"
#include "app/viewmodels/timeline/TimelineOverlays.h"
#include "app/viewmodels/workspace/Views.h"

#include <QPointF>
#include <QQmlEngine>
#include <QRectF>
#include <QSizeF>

namespace trainscope::app {

// `overlays` of the shown runs, in their order; nullptr: not shown. `readout`: the value of the
// lane there, empty where it is not known yet. May be empty.
QString hoverText(const TimelineContext& context, const std::vector<plot::RunOverlay>* overlays,
    const TimelineHit& hit, const QString& readout, double y);

// "Iteration 12", or "Iterations 12" for what comes behind it.
QString stretchName(const StretchHit& stretch, bool isPlural = false);

// A throttle episode as the inspector tells it.
SpanReport throttleReport(
    const TimelineContext& context, const plot::RunOverlay& overlay, const StretchHit& stretch);

// Upper left corner of a tip of that size: below what it is about, else above it, beside the
// pointer, within the view, and over neither that nor the selected span.
QPointF tipPlace(const QSizeF& tip, const QPointF& pointer, const QRectF& about,
    const QRectF& selected, const QRectF& view);

class TimelineCursor : public QObject {
    Q_OBJECT
    QML_ANONYMOUS
    Q_PROPERTY(bool visible READ isVisible NOTIFY changed FINAL)
    Q_PROPERTY(double x READ x NOTIFY changed FINAL)
    Q_PROPERTY(QString text READ text NOTIFY changed FINAL)
    Q_PROPERTY(QString hoverText READ hoverText NOTIFY changed FINAL)
    // The lane that hoverText speaks of, whose own readout is part of it; -1: none.
    Q_PROPERTY(int hoverLane READ hoverLane NOTIFY changed FINAL)
    // hoverText of bars: spans, and stretches of the head. Empty over values of metrics, which are
    // told beside the names of their lanes.
    Q_PROPERTY(QString tipText READ tipText NOTIFY changed FINAL)
    Q_PROPERTY(bool pointing READ isPointing NOTIFY changed FINAL) // the pointer is over the plot
    // Place of the pointer, for bindings on tipAt().
    Q_PROPERTY(QPointF pointer READ pointer NOTIFY changed FINAL)

public:
    TimelineCursor(TimelineContext& context, const TimelineOverlays& overlays, LaneListModel& lanes,
        InspectorModel& inspector, QObject* parent = nullptr);

    // Place where the cursor is shared; nullptr: nowhere.
    void setViews(Views* views);

    void hoverAt(double x, double y);
    Q_INVOKABLE void leave();
    // Upper left corner of the tip, of a size, beside the bar that it is about and the selected
    // one.
    Q_INVOKABLE [[nodiscard]] QPointF tipAt(
        double width, double height, const QRectF& selected) const;
    // The other views are told.
    void moveTo(DurationNs time, std::optional<int> rank);
    // For this view alone; whether it was elsewhere.
    bool place(DurationNs time, int rank);
    // Reads the values at the cursor again.
    void probe();
    // Other runs or another place on the screen: nothing is pointed at.
    void forgetHover();
    // Gives up readings of what is shown no more.
    void stop();
    void forget();

    [[nodiscard]] bool isVisible() const { return m_context.isCursorVisible(); }
    [[nodiscard]] double x() const {
        return m_context.cursor ? m_context.axis.toX(*m_context.cursor) : 0.0;
    }
    [[nodiscard]] QString text() const {
        return m_context.cursor ? m_context.textOf(*m_context.cursor) : QString();
    }
    [[nodiscard]] QString hoverText() const { return m_hoverText; }
    [[nodiscard]] int hoverLane() const { return m_hoverText.isEmpty() ? -1 : m_hit.lane; }
    [[nodiscard]] bool isPointing() const { return m_isPointing; }
    [[nodiscard]] QPointF pointer() const { return {m_hoverX, m_hoverY}; }
    [[nodiscard]] QString tipText() const { return pointedSeries() ? QString() : m_hoverText; }

Q_SIGNALS:
    void changed();

private:
    void share();
    void take();
    void wordHover();
    // Result of the last probe for the series under the pointer.
    [[nodiscard]] QString readout() const;
    // Under the pointer; nullptr: none.
    [[nodiscard]] const plot::LaneSeries* pointedSeries() const;
    [[nodiscard]] SeriesId pointedId() const;
    [[nodiscard]] int pointedNode() const; // -1: it is of none

    TimelineContext& m_context;
    const TimelineOverlays& m_overlays;
    LaneListModel& m_lanes;
    InspectorModel& m_inspector;
    QPointer<Views> m_views;
    Task<ProbeResult> m_task{Urgency::Pointer, Asking::Steady};
    TimelineHit m_hit; // the pointer's
    ProbeResult m_probed;
    SeriesId m_asked; // under the pointer, by the last probe
    QString m_hoverText;
    bool m_isPointing = false;
    double m_hoverX = 0.0;
    double m_hoverY = 0.0;
};

} // namespace trainscope::app
