#include "app/viewmodels/workspace/PictureItem.h"

#include "app/viewmodels/window/Theme.h"

#include <QHoverEvent>
#include <QMouseEvent>
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

} // namespace trainscope::app
