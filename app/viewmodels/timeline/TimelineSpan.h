#pragma once
// The selected span: found under the pointer, by its neighbours or by a search, and outlined where
// it lies. GUI thread.

#include <QObject>
#include <QQmlEngine>
#include <QRectF>

#include "app/viewmodels/inspector/InspectorModel.h"
#include "app/viewmodels/timeline/TimelineCursor.h"
#include "app/viewmodels/timeline/TimelineNavigation.h"

namespace trainscope::app {

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
