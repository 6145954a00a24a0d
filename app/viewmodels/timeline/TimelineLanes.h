#pragma once
// The lanes of the timeline: which are shown, in which order, how high and in which style, the one
// that the keyboard works on, and how far they are scrolled. GUI thread.

#include <QQmlEngine>

#include "app/viewmodels/lanes/LaneListModel.h"
#include "app/viewmodels/timeline/TimelineContext.h"

namespace trainscope::app {

class TimelineLanes : public QObject {
    Q_OBJECT
    QML_ANONYMOUS
    Q_PROPERTY(trainscope::app::LaneListModel* model READ model CONSTANT FINAL)
    // The lane that the keyboard works on; -1: none.
    Q_PROPERTY(int current READ current WRITE setCurrent NOTIFY currentChanged FINAL)
    Q_PROPERTY(QString summary READ summary NOTIFY summaryChanged FINAL) // for screen readers
    Q_PROPERTY(int nameWidth READ nameWidth CONSTANT FINAL)
    Q_PROPERTY(double top READ top NOTIFY placed FINAL)
    Q_PROPERTY(
        double scrollPosition READ scrollPosition WRITE setScrollPosition NOTIFY placed FINAL)
    Q_PROPERTY(double scrollSize READ scrollSize NOTIFY placed FINAL)

public:
    explicit TimelineLanes(TimelineContext& context, QObject* parent = nullptr);

    Q_INVOKABLE void remove(int lane);
    Q_INVOKABLE void move(int lane, int to);
    void moveCurrent(int by) { move(m_current, m_current + by); }
    Q_INVOKABLE void resize(int lane, double height);
    Q_INVOKABLE void resizeBy(int lane, double pixels);
    // It shares the height of the window again.
    Q_INVOKABLE void share(int lane);
    Q_INVOKABLE void setStyle(int lane, int style);
    // "Heat (default for 8 GPUs)".
    Q_INVOKABLE [[nodiscard]] QString styleText(int lane, int style) const;
    // A lane of many GPUs goes from the band to a row for each, and back.
    Q_INVOKABLE void toggleRows(int lane);
    Q_INVOKABLE void split(int lane);
    Q_INVOKABLE void merge(int lane) {
        setArrangement(withLanesMerged(m_context.arrangement, lane), ViewChange::Lanes);
    }
    Q_INVOKABLE void reset();
    // The lane at a height of the view, for dropping; the nearest.
    Q_INVOKABLE [[nodiscard]] int at(double y) const;
    // Scrolls to it.
    Q_INVOKABLE void show(int lane);
    // Makes the first lane that matches the current one; adds it where none is shown.
    void choose(const std::function<bool(const plot::LaneSpec&)>& matches);
    // Scrolls to a lane of that metric, in any style; adds it where none is shown.
    void find(const plot::LaneSpec& wanted);
    // Scrolls to that very lane; adds it where it is not shown.
    void showOrAdd(const plot::LaneSpec& wanted);
    // Another metric or formula in the place of a lane's.
    void setMetric(int lane, const std::string& metric);
    // Other lanes altogether.
    void arrange(plot::Arrangement arrangement) {
        setArrangement(std::move(arrangement), ViewChange::Lanes);
    }
    // Lanes for the shown runs alone: others open with their own.
    void applyPreset(plot::Arrangement arrangement);
    void scrollBy(double pixels) { setScroll(m_scroll + pixels); }

    // Other runs: the user's lanes, unless none of them can be drawn.
    void setUp();
    void restore(const std::optional<plot::Arrangement>& saved);
    void restored(); // the arrangement is an earlier one
    // Lanes that the user has changed; absent: none.
    [[nodiscard]] const std::optional<plot::Arrangement>& customised() const { return m_own; }
    // The view has another size, the picture is another one.
    void resized() { clampScroll(); }
    // The arrangement with the heights that its lanes have in the picture.
    [[nodiscard]] plot::Arrangement asDrawn() const;
    void layOut();
    void summariseSoon() { m_summaryTimer.start(); }
    void clear() { m_model.setLanes({}); }

    [[nodiscard]] LaneListModel* model() { return &m_model; }
    [[nodiscard]] int current() const { return m_current; }
    void setCurrent(int lane);
    [[nodiscard]] QString summary() const { return m_summary; }
    [[nodiscard]] int nameWidth() const { return TimelineContext::nameWidth(); }
    [[nodiscard]] double top() const { return m_context.lanesTop; }
    [[nodiscard]] double scroll() const { return m_scroll; }
    [[nodiscard]] double scrollPosition() const {
        return m_contentHeight > 0.0 ? m_scroll / scrollRoom() : 0.0;
    }
    void setScrollPosition(double position) { setScroll(position * scrollRoom()); }
    [[nodiscard]] double scrollSize() const {
        return m_contentHeight > 0.0 ? std::min(1.0, visibleHeight() / scrollRoom()) : 1.0;
    }

Q_SIGNALS:
    void changed(); // shown lanes, or possible ones
    void arranged(trainscope::app::ViewChange change); // by the user
    void edited(); // something to remember
    void currentChanged();
    void summaryChanged();
    void placed();
    void scrolled();

private:
    void setArrangement(plot::Arrangement arrangement, ViewChange change);
    void own(); // remembers the arrangement
    void setScroll(double scroll);
    void clampScroll() {
        m_scroll = std::clamp(m_scroll, 0.0, std::max(0.0, scrollRoom() - visibleHeight()));
    }
    [[nodiscard]] double scrollRoom() const;
    void scrollTo(const LaneRow& row);
    void summarise();
    [[nodiscard]] int count() const { return static_cast<int>(m_context.arrangement.lanes.size()); }
    [[nodiscard]] double visibleHeight() const {
        return std::max(0.0, m_context.height - m_context.lanesTop);
    }

    TimelineContext& m_context;
    LaneListModel m_model;
    std::optional<plot::Arrangement> m_own; // the user's, which other runs may not have
    std::optional<RunId> m_presetOf; // the run that a preset was chosen for; else the lanes are own
    int m_current = -1;
    int m_wanted = -1; // to be scrolled to once it is laid out
    double m_scroll = 0.0;
    double m_contentHeight = 0.0;
    QString m_summary;
    QTimer m_summaryTimer;
};

} // namespace trainscope::app
