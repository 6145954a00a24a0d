#pragma once
// An item that paints a picture and takes the mouse: it is laid out anew when the theme changes, or
// the screen, or when it appears, and tells where the pointer is. A hidden item keeps no picture:
// at 4K each view would hold 33 MB here and as much on the graphics card. Positions are those in
// the item. GUI thread.

#include "app/viewmodels/workspace/DrawnView.h"

#include <QImage>
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

// Paints the picture of a view and takes the mouse. The item has the size of the view; a picture
// that is higher is scrolled under it. Outlines and tool tips are QML items above it and repaint
// nothing.
class FigureItem : public trainscope::app::PictureItem {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(trainscope::app::DrawnView* controller READ controller WRITE setController NOTIFY
            controllerChanged REQUIRED FINAL)
    // The figure's part above the view.
    Q_PROPERTY(double scroll MEMBER m_scroll NOTIFY scrollChanged FINAL)

public:
    explicit FigureItem(QQuickItem* parent = nullptr);

    [[nodiscard]] DrawnView* controller() const { return m_controller; }
    void setController(DrawnView* controller);

    void paint(QPainter* painter) override;

Q_SIGNALS:
    void controllerChanged();
    void scrollChanged();

protected:
    void geometryChange(const QRectF& newGeometry, const QRectF& oldGeometry) override;
    void updatePolish() override;
    void pointedAt(QPointF at) override;
    void left() override;
    void clickedAt(QPointF at) override;
    void doubleClicked() override;

private:
    void draw(const plot::PlotScene& scene, const plot::Theme& theme);

    QPointer<DrawnView> m_controller;
    double m_scroll = 0.0;
    QImage m_picture; // the whole figure; null: nothing to draw
};

} // namespace trainscope::app
