#pragma once
// The window on the time axis: zoom, pan, brush and pinch, its way back, and how its times are
// written. GUI thread.

#include <QElapsedTimer>
#include <QQmlEngine>
#include <QStringList>

#include "app/viewmodels/timeline/TimelineContext.h"

namespace trainscope::app {

class TimelineNavigation : public QObject {
    Q_OBJECT
    QML_ANONYMOUS
    Q_PROPERTY(double plotX READ plotX NOTIFY placed FINAL)
    Q_PROPERTY(double plotWidth READ plotWidth NOTIFY placed FINAL)
    // The window as fractions of everything, for the minimap.
    Q_PROPERTY(double brushBegin READ brushBegin NOTIFY windowChanged FINAL)
    Q_PROPERTY(double brushEnd READ brushEnd NOTIFY windowChanged FINAL)
    Q_PROPERTY(QString windowText READ windowText NOTIFY windowChanged FINAL)
    Q_PROPERTY(QString limitsBeginText READ limitsBeginText NOTIFY windowChanged FINAL)
    Q_PROPERTY(QString limitsEndText READ limitsEndText NOTIFY windowChanged FINAL)
    Q_PROPERTY(
        int timeDisplay READ timeDisplay WRITE setTimeDisplay NOTIFY timeDisplayChanged FINAL)
    Q_PROPERTY(QStringList timeDisplays READ timeDisplays CONSTANT FINAL)
    // A recorder adds to the runs; following, the window stays at their end.
    Q_PROPERTY(bool growing READ isGrowing NOTIFY growingChanged FINAL)
    Q_PROPERTY(bool following READ isFollowing WRITE setFollowing NOTIFY growingChanged FINAL)
    Q_PROPERTY(bool canUndo READ canUndo NOTIFY historyChanged FINAL)
    Q_PROPERTY(bool canRedo READ canRedo NOTIFY historyChanged FINAL)

public:
    explicit TimelineNavigation(TimelineContext& context, QObject* parent = nullptr);

    // Factors below 1 zoom in.
    void zoomAt(double factor, double x);
    Q_INVOKABLE void zoomIn();
    Q_INVOKABLE void zoomOut();
    void panBy(double pixels);
    void panByWindows(double windows);
    Q_INVOKABLE void showAll() { setWindow(m_context.window.limits()); }
    // Fractions of everything, from the minimap.
    void setBrush(double begin, double end);
    Q_INVOKABLE void beginPinch(double x);
    Q_INVOKABLE void pinch(double scale, double x);
    Q_INVOKABLE void undo();
    Q_INVOKABLE void redo();
    void setWindow(plot::ViewWindow window, ViewChange change = ViewChange::Jump);
    // Moves just so far that the time is in view.
    void reveal(DurationNs time);
    // The stretch with a margin; a point in the middle, without zooming.
    void frame(const plot::ViewWindow& stretch);

    // The runs have become longer.
    void grow(const plot::ViewWindow& limits);
    // The window or the lanes are other ones.
    void record(ViewChange change);
    void forgetHistory() {
        m_history.reset({m_context.window.window(), m_context.arrangement, m_context.marks});
    }
    // The same times of the runs lie so much later in the view.
    void shiftHistory(DurationNs by) { m_history.shift(by); }
    // The window was set from outside.
    void moved(ViewChange change);

    [[nodiscard]] double plotX() const { return m_context.axis.x; }
    [[nodiscard]] double plotWidth() const { return m_context.axis.width; }
    [[nodiscard]] double brushBegin() const { return fractionOf(m_context.window.window().begin); }
    [[nodiscard]] double brushEnd() const { return fractionOf(m_context.window.window().end); }
    [[nodiscard]] QString windowText() const;
    [[nodiscard]] QString limitsBeginText() const {
        return textOfLimit(m_context.window.limits().begin);
    }
    [[nodiscard]] QString limitsEndText() const {
        return textOfLimit(m_context.window.limits().end);
    }
    [[nodiscard]] int timeDisplay() const { return static_cast<int>(m_context.display); }
    void setTimeDisplay(int display);
    // The axis tells times of the clock: UTC or local ones.
    [[nodiscard]] bool showsClock() const {
        return m_context.display == plot::TimeDisplay::Utc
            || m_context.display == plot::TimeDisplay::Local;
    }
    [[nodiscard]] QStringList timeDisplays() const;
    [[nodiscard]] bool isGrowing() const {
        return m_context.workspace && m_context.workspace->isGrowing();
    }
    [[nodiscard]] bool isFollowing() const { return m_isFollowing; }
    void setFollowing(bool isFollowing);
    [[nodiscard]] bool canUndo() const { return m_history.canUndo(); }
    [[nodiscard]] bool canRedo() const { return m_history.canRedo(); }

Q_SIGNALS:
    void placed(); // the plot lies elsewhere
    void windowMoved();
    void windowChanged(); // texts and fractions
    void timeDisplayChanged();
    void historyChanged();
    void arrangementRestored();
    void marksRestored();
    void growingChanged();

private:
    void restore(const ViewState& state);
    [[nodiscard]] double anchorX() const;
    [[nodiscard]] double fractionOf(DurationNs time) const;
    [[nodiscard]] QString textOfLimit(DurationNs time) const;

    void goToEnd() {
        m_context.window.pan(m_context.window.limits().end - m_context.window.window().end);
    }
    void place();

    TimelineContext& m_context;
    ViewHistory m_history;
    bool m_isFollowing = true;
    QElapsedTimer m_clock;
    double m_pinchScale = 1.0;
};

} // namespace trainscope::app
