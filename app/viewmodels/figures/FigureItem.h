#pragma once
// Paints the picture of a view and takes the mouse. The item has the size of the view; a picture
// that is higher is scrolled under it. Outlines and tool tips are QML items above it and repaint
// nothing.

#include <QImage>
#include <QPointF>
#include <QPointer>
#include <QQuickPaintedItem>

#include "app/viewmodels/bench/DrawnView.h"

namespace trainscope::app {

class FigureItem : public QQuickPaintedItem {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(trainscope::app::DrawnView* controller READ controller WRITE setController NOTIFY
            controllerChanged REQUIRED FINAL)
    // The figure's part above the view.
    Q_PROPERTY(double scroll READ scroll WRITE setScroll NOTIFY scrollChanged FINAL)

public:
    explicit FigureItem(QQuickItem* parent = nullptr);

    [[nodiscard]] DrawnView* controller() const { return m_controller; }
    void setController(DrawnView* controller);
    [[nodiscard]] double scroll() const { return m_scroll; }
    void setScroll(double scroll);

    void paint(QPainter* painter) override;

Q_SIGNALS:
    void controllerChanged();
    void scrollChanged();

protected:
    void geometryChange(const QRectF& newGeometry, const QRectF& oldGeometry) override;
    void itemChange(ItemChange change, const ItemChangeData& value) override;
    void updatePolish() override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void hoverEnterEvent(QHoverEvent* event) override;
    void hoverMoveEvent(QHoverEvent* event) override;
    void hoverLeaveEvent(QHoverEvent* event) override;

private:
    void draw(const plot::PlotScene& scene, const plot::Theme& theme);

    QPointer<DrawnView> m_controller;
    double m_scroll = 0.0;
    QImage m_picture; // of the whole figure; null: nothing to draw
    QPointF m_hovered;
};

} // namespace trainscope::app
