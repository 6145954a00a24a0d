#include "app/viewmodels/timeline/TimelineItem.h"

#include "app/viewmodels/window/Theme.h"

#include <QCursor>
#include <QGuiApplication>
#include <QMouseEvent>
#include <QQuickWindow>
#include <QStyleHints>
#include <QWheelEvent>

namespace trainscope::app {
namespace {

constexpr double kWheelNotch = 120.0; // eighths of a degree
constexpr double kScrollPerNotch = 60.0; // px
constexpr double kZoomPerNotch = 0.8;

} // namespace

TimelineItem::TimelineItem(QQuickItem* parent)
    : PictureItem(parent) {
    setOpaquePainting(true);
    setAcceptedMouseButtons(Qt::LeftButton | Qt::MiddleButton | Qt::RightButton);
}

void TimelineItem::setController(TimelineController* controller) {
    if (controller == m_controller)
        return;
    if (m_controller)
        m_controller->disconnect(this);
    m_controller = controller;
    if (controller != nullptr) {
        connect(controller, &TimelineController::repaintNeeded, this, &QQuickItem::polish);
        sizeChanged();
    }
    polish();
    Q_EMIT controllerChanged();
}

void TimelineItem::paint(QPainter* painter) {
    const plot::Theme& theme = Theme::instance()->plotTheme();
    if (m_geometry)
        return paintScene(m_geometry->scene, theme, *painter, PaintTarget::Screen, &m_pictures);
    painter->fillRect(boundingRect(), Theme::instance()->window());
}

void TimelineItem::geometryChange(const QRectF& newGeometry, const QRectF& oldGeometry) {
    PictureItem::geometryChange(newGeometry, oldGeometry);
    if (newGeometry.size() != oldGeometry.size())
        sizeChanged();
}

void TimelineItem::itemChange(ItemChange change, const ItemChangeData& value) {
    PictureItem::itemChange(change, value);
    if (change == ItemDevicePixelRatioHasChanged || change == ItemSceneChange)
        sizeChanged();
}

void TimelineItem::sizeChanged() {
    const double ratio = window() != nullptr ? window()->effectiveDevicePixelRatio() : 1.0;
    if (m_controller && width() > 0.0)
        m_controller->setViewSize(width(), height(), ratio);
}

void TimelineItem::updatePolish() {
    if (m_controller) {
        const plot::Theme& theme = Theme::instance()->plotTheme();
        m_geometry = m_controller->layOut(theme, measureWith(theme));
    } else {
        m_geometry.reset();
    }
    update();
}

void TimelineItem::wheelEvent(QWheelEvent* event) {
    if (!m_controller)
        return;
    event->accept();
    const QPointF notches = QPointF(event->angleDelta()) / kWheelNotch;
    const bool precise = !event->pixelDelta().isNull();
    if (event->modifiers() & Qt::ControlModifier) {
        m_controller->navigation()->zoomAt(
            std::pow(kZoomPerNotch, notches.y()), event->position().x());
    } else if (event->modifiers() & Qt::ShiftModifier) {
        m_controller->navigation()->panBy(-(notches.x() + notches.y()) * kScrollPerNotch);
    } else if (precise) {
        if (event->pixelDelta().x() != 0)
            m_controller->navigation()->panBy(-event->pixelDelta().x());
        m_controller->lanes()->scrollBy(-event->pixelDelta().y());
    } else {
        if (notches.x() != 0.0)
            m_controller->navigation()->panBy(-notches.x() * kScrollPerNotch);
        m_controller->lanes()->scrollBy(-notches.y() * kScrollPerNotch);
    }
}

void TimelineItem::mousePressEvent(QMouseEvent* event) {
    forceActiveFocus(Qt::MouseFocusReason);
    event->accept();
    m_pressed = m_last = event->position();
    if (!m_controller)
        return;
    if (event->button() == Qt::RightButton)
        return m_controller->openMenuAt(m_pressed.x(), m_pressed.y());
    const bool pans
        = event->button() == Qt::MiddleButton || (event->modifiers() & Qt::ShiftModifier);
    m_isClick = event->button() == Qt::LeftButton && (event->modifiers() & Qt::ShiftModifier);
    m_edge = m_controller->selection()->edgeAt(m_pressed.x());
    m_drag = pans ? Drag::Pan : m_edge != 0 ? Drag::Edge : Drag::Pending;
    if (pans)
        setCursor(Qt::ClosedHandCursor);
}

void TimelineItem::mouseMoveEvent(QMouseEvent* event) {
    if (m_controller)
        drag(event->position());
}

void TimelineItem::drag(QPointF to) {
    const int threshold = QGuiApplication::styleHints()->startDragDistance() / 2;
    m_isClick = m_isClick && (to - m_pressed).manhattanLength() <= threshold;
    if (m_drag == Drag::Pan && m_isClick)
        return;
    if (m_drag == Drag::Pending && std::abs(to.x() - m_pressed.x()) > threshold)
        m_drag = Drag::Select;
    if (m_drag == Drag::Pan) {
        m_controller->navigation()->panBy(m_last.x() - to.x());
        m_controller->lanes()->scrollBy(m_last.y() - to.y());
    } else if (m_drag == Drag::Edge) {
        m_controller->selection()->moveEdge(m_edge, to.x());
        const int edge = m_controller->selection()->edgeAt(to.x());
        m_edge = edge != 0 ? edge : m_edge;
    } else if (m_drag == Drag::Select) {
        m_controller->selection()->selectBetween(m_pressed.x(), to.x());
    }
    m_last = to;
    m_controller->cursor()->hoverAt(to.x(), to.y());
}

void TimelineItem::mouseReleaseEvent(QMouseEvent* event) {
    if (m_controller && m_drag == Drag::Pending && event->button() == Qt::LeftButton)
        m_controller->clickAt(event->position().x(), event->position().y());
    else if (m_controller && m_isClick && event->button() == Qt::LeftButton)
        m_controller->clickAt(event->position().x(), event->position().y(), true);
    mouseUngrabEvent();
}

void TimelineItem::mouseUngrabEvent() {
    m_drag = Drag::None;
    m_isClick = false;
    unsetCursor();
}

void TimelineItem::mouseDoubleClickEvent(QMouseEvent* event) {
    m_drag = Drag::None;
    if (m_controller && event->button() == Qt::LeftButton)
        m_controller->doubleClickAt(event->position().x(), event->position().y());
}

void TimelineItem::pointedAt(QPointF at) {
    if (!m_controller)
        return;
    if (m_controller->selection()->edgeAt(at.x()) != 0)
        setCursor(Qt::SizeHorCursor);
    else
        unsetCursor();
    m_controller->cursor()->hoverAt(at.x(), at.y());
}

void TimelineItem::left() {
    if (m_controller)
        m_controller->cursor()->leave();
}

} // namespace trainscope::app
