#pragma once
// An item that paints a picture and takes the mouse: it is laid out anew when the theme changes, or
// the screen, or when it appears, and tells where the pointer is. A hidden item keeps no picture:
// at 4K each view would hold 33 MB here and as much on the graphics card. Positions are those in
// the item. GUI thread.

#include <QPointF>
#include <QQuickPaintedItem>

namespace trainscope::app {

class PictureItem : public QQuickPaintedItem {
    Q_OBJECT
    QML_ANONYMOUS

public:
    explicit PictureItem(QQuickItem* parent = nullptr);

protected:
    virtual void pointedAt(QPointF at) = 0; // moved there
    virtual void left() = 0; // the pointer is elsewhere
    virtual void clickedAt(QPointF /*at*/) { }
    virtual void doubleClicked() { }

    void itemChange(ItemChange change, const ItemChangeData& value) override;
    QSGNode* updatePaintNode(QSGNode* node, UpdatePaintNodeData* data) override; // render thread
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void hoverEnterEvent(QHoverEvent* event) override;
    void hoverMoveEvent(QHoverEvent* event) override;
    void hoverLeaveEvent(QHoverEvent* event) override;

private:
    QPointF m_hovered;
};

} // namespace trainscope::app
