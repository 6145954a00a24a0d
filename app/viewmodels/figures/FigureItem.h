#pragma once
// Paints the picture of a view and takes the mouse. The item has the size of the view; a picture
// that is higher is scrolled under it. Outlines and tool tips are QML items above it and repaint
// nothing.

#include <QImage>
#include <QPointer>

#include "app/viewmodels/workspace/DrawnView.h"
#include "app/viewmodels/workspace/PictureItem.h"

namespace trainscope::app {

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
