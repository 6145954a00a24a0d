#include "app/viewmodels/timeline/TimelineNavigation.h"

#include "app/viewmodels/text/Texts.h"

namespace trainscope::app {
namespace {

constexpr double kZoomStep = 0.7; // factor per key press

} // namespace

TimelineNavigation::TimelineNavigation(TimelineContext& context, QObject* parent)
    : QObject(parent)
    , m_context(context) {
    m_clock.start();
}

void TimelineNavigation::zoomAt(double factor, double x) {
    if (!m_context.isReady())
        return;
    m_context.window.zoom(factor, m_context.timeAt(x));
    moved(ViewChange::Zoom);
}

void TimelineNavigation::zoomIn() {
    zoomAt(kZoomStep, anchorX());
}

void TimelineNavigation::zoomOut() {
    zoomAt(1.0 / kZoomStep, anchorX());
}

double TimelineNavigation::anchorX() const {
    const auto& axis = m_context.axis;
    return m_context.isCursorVisible() ? axis.toX(*m_context.cursor) : axis.x + axis.width / 2.0;
}

void TimelineNavigation::panBy(double pixels) {
    if (m_context.axis.width > 0.0)
        panByWindows(pixels / m_context.axis.width);
}

void TimelineNavigation::panByWindows(double windows) {
    if (!m_context.isReady() || m_context.axis.width <= 0.0)
        return;
    const auto length = static_cast<double>(m_context.window.window().length().ns);
    m_context.window.pan(DurationNs{std::llround(windows * length)});
    moved(ViewChange::Pan);
}

void TimelineNavigation::setWindow(plot::ViewWindow window, ViewChange change) {
    if (!m_context.isReady())
        return;
    m_context.window.set(window);
    moved(change);
}

void TimelineNavigation::reveal(DurationNs time) {
    TimeWindow target = m_context.window;
    target.reveal(time);
    if (target.window() != m_context.window.window())
        setWindow(target.window(), ViewChange::Pan);
}

void TimelineNavigation::frame(const plot::ViewWindow& stretch) {
    TimeWindow target = m_context.window;
    if (stretch.begin == stretch.end)
        target.centreOn(stretch.begin);
    else
        target.frame(stretch);
    setWindow(target.window());
}

void TimelineNavigation::setBrush(double begin, double end) {
    const auto& limits = m_context.window.limits();
    const auto at = [&limits](double fraction) {
        return limits.begin
            + DurationNs{std::llround(fraction * static_cast<double>(limits.length().ns))};
    };
    setWindow({at(begin), at(end)}, ViewChange::Pan);
}

void TimelineNavigation::beginPinch(double x) {
    m_pinchScale = 1.0;
    pinch(1.0, x);
}

void TimelineNavigation::pinch(double scale, double x) {
    if (!(scale > 0.0))
        return;
    if (scale != m_pinchScale)
        zoomAt(m_pinchScale / scale, x);
    m_pinchScale = scale;
}

void TimelineNavigation::moved(ViewChange change) {
    // A user who goes back looks at what was; the end is left alone until it is asked for.
    const bool isAtEnd = m_context.window.window().end >= m_context.window.limits().end;
    if (isAtEnd != std::exchange(m_isFollowing, isAtEnd))
        Q_EMIT growingChanged();
    place();
    record(change);
    Q_EMIT windowMoved();
    Q_EMIT windowChanged();
}

void TimelineNavigation::place() {
    auto& axis = m_context.axis;
    axis.window = m_context.window.window();
    if (axis.x <= 0.0)
        axis.x = TimelineContext::nameWidth();
}

void TimelineNavigation::grow(const plot::ViewWindow& limits) {
    const bool showedAll = m_context.window.showsAll();
    m_context.window.setLimits(limits);
    if (m_isFollowing && showedAll)
        m_context.window.showAll();
    else if (m_isFollowing)
        goToEnd();
    place();
    Q_EMIT windowMoved();
    Q_EMIT windowChanged();
}

void TimelineNavigation::setFollowing(bool isFollowing) {
    if (isFollowing == m_isFollowing)
        return;
    m_isFollowing = isFollowing;
    Q_EMIT growingChanged();
    if (!isFollowing || !m_context.isReady())
        return;
    goToEnd();
    moved(ViewChange::Jump);
}

void TimelineNavigation::record(ViewChange change) {
    m_history.record({m_context.window.window(), m_context.arrangement, m_context.marks}, change,
        m_clock.elapsed());
    Q_EMIT historyChanged();
}

void TimelineNavigation::undo() {
    if (m_history.canUndo())
        restore(m_history.undo());
}

void TimelineNavigation::redo() {
    if (m_history.canRedo())
        restore(m_history.redo());
}

void TimelineNavigation::restore(const ViewState& state) {
    const ViewState target = state;
    if (target.arrangement != m_context.arrangement) {
        m_context.arrangement = target.arrangement;
        Q_EMIT arrangementRestored();
    }
    if (target.marks != m_context.marks) {
        m_context.marks = target.marks;
        Q_EMIT marksRestored();
    }
    m_context.window.set(target.window);
    moved(ViewChange::Jump);
}

double TimelineNavigation::fractionOf(DurationNs time) const {
    const auto& limits = m_context.window.limits();
    return static_cast<double>((time - limits.begin).ns) / static_cast<double>(limits.length().ns);
}

QString TimelineNavigation::windowText() const {
    return m_context.isReady()
        ? QStringLiteral("%1 in view").arg(durationText(m_context.window.window().length()))
        : QString();
}

QString TimelineNavigation::textOfLimit(DurationNs time) const {
    if (!m_context.isReady())
        return {};
    const DurationNs thousandth{
        std::max<std::int64_t>(1, m_context.window.limits().length().ns / 1000)};
    return QString::fromStdString(plot::timeText(time, thousandth, m_context.wording()));
}

void TimelineNavigation::setTimeDisplay(int display) {
    const auto chosen = static_cast<plot::TimeDisplay>(std::clamp(display, 0, 3));
    if (chosen == m_context.display)
        return;
    m_context.display = chosen;
    Q_EMIT timeDisplayChanged();
    Q_EMIT windowChanged();
}

QStringList TimelineNavigation::timeDisplays() const {
    return {QStringLiteral("Relative"), QStringLiteral("UTC"), QStringLiteral("Local"),
        QStringLiteral("Iteration")};
}

} // namespace trainscope::app
