#include "app/viewmodels/workspace/PictureItem.h"

#include "app/painting/ScenePainter.h"
#include "app/viewmodels/window/Theme.h"

#include <QHoverEvent>
#include <QMouseEvent>
#include <QQuickWindow>
#include <QSGNode>

namespace trainscope::app {

PictureItem::PictureItem(QQuickItem* parent)
    : QQuickPaintedItem(parent) {
    setAcceptHoverEvents(true);
    setAcceptedMouseButtons(Qt::LeftButton);
    connect(Theme::instance(), &Theme::changed, this, &QQuickItem::polish);
}

void PictureItem::itemChange(ItemChange change, const ItemChangeData& value) {
    QQuickPaintedItem::itemChange(change, value);
    if (change != ItemVisibleHasChanged && change != ItemDevicePixelRatioHasChanged)
        return;
    polish();
    update();
}

QSGNode* PictureItem::updatePaintNode(QSGNode* node, UpdatePaintNodeData* data) {
    if (isVisible())
        return QQuickPaintedItem::updatePaintNode(node, data);
    delete node;
    return nullptr;
}

void PictureItem::mousePressEvent(QMouseEvent* event) {
    event->accept();
    clickedAt(event->position());
}

void PictureItem::mouseDoubleClickEvent(QMouseEvent* event) {
    event->accept();
    doubleClicked();
}

// A view that opens under a resting pointer was not pointed at.
void PictureItem::hoverEnterEvent(QHoverEvent* event) {
    m_hovered = event->position();
}

// Every frame brings a hover event, also when the pointer rests.
void PictureItem::hoverMoveEvent(QHoverEvent* event) {
    if (event->position() == m_hovered)
        return;
    m_hovered = event->position();
    pointedAt(m_hovered);
}

void PictureItem::hoverLeaveEvent(QHoverEvent*) {
    left();
}

FigureItem::FigureItem(QQuickItem* parent)
    : PictureItem(parent) {
    setOpaquePainting(true);
    connect(this, &FigureItem::scrollChanged, this, [this] { update(); });
}

void FigureItem::setController(DrawnView* controller) {
    if (controller == m_controller)
        return;
    if (m_controller)
        m_controller->disconnect(this);
    m_controller = controller;
    if (controller != nullptr)
        connect(controller, &DrawnView::repaintNeeded, this, &QQuickItem::polish);
    polish();
    Q_EMIT controllerChanged();
}

void FigureItem::geometryChange(const QRectF& newGeometry, const QRectF& oldGeometry) {
    PictureItem::geometryChange(newGeometry, oldGeometry);
    if (newGeometry.size() != oldGeometry.size())
        polish();
}

// Qt Charts draws in the GUI thread only, so the picture is made here and paint() copies it.
void FigureItem::updatePolish() {
    m_picture = {};
    if (!isVisible() || width() <= 0.0 || height() <= 0.0)
        return;
    if (m_controller) {
        const plot::Theme& theme = Theme::instance()->plotTheme();
        const auto scene = m_controller->draw(theme, measureWith(theme), width(), height());
        if (scene)
            draw(*scene, theme);
    }
    update();
}

void FigureItem::draw(const plot::PlotScene& scene, const plot::Theme& theme) {
    const double ratio = window() != nullptr ? window()->effectiveDevicePixelRatio() : 1.0;
    const auto pixels = [ratio](double length) {
        return std::max(1, static_cast<int>(std::ceil(length * ratio)));
    };
    m_picture
        = QImage(pixels(scene.width), pixels(scene.height), QImage::Format_ARGB32_Premultiplied);
    m_picture.setDevicePixelRatio(ratio);
    m_picture.fill(Theme::instance()->window());
    QPainter painter(&m_picture);
    paintScene(scene, theme, painter, PaintTarget::Screen);
}

void FigureItem::paint(QPainter* painter) {
    painter->fillRect(boundingRect(), Theme::instance()->window());
    if (!m_picture.isNull())
        painter->drawImage(QPointF(0.0, -m_scroll), m_picture);
}

void FigureItem::clickedAt(QPointF at) {
    forceActiveFocus(Qt::MouseFocusReason);
    if (m_controller)
        m_controller->clickAt(at.x(), at.y() + m_scroll);
}

void FigureItem::doubleClicked() {
    if (m_controller)
        m_controller->openSelected();
}

void FigureItem::pointedAt(QPointF at) {
    if (m_controller)
        m_controller->hoverAt(at.x(), at.y() + m_scroll);
}

void FigureItem::left() {
    if (m_controller)
        m_controller->leave();
}

} // namespace trainscope::app
