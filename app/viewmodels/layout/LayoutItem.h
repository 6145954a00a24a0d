#pragma once
// Paints one part of the layout, or the marks above it, and takes the mouse. It is as high as the
// part wants. GUI thread.

#include "app/painting/ScenePainter.h"
#include "app/viewmodels/layout/LayoutController.h"
#include "app/viewmodels/workspace/PictureItem.h"

namespace trainscope::app {

class LayoutItem : public trainscope::app::PictureItem {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(trainscope::app::LayoutController* controller READ controller WRITE setController
            NOTIFY controllerChanged REQUIRED FINAL)
    Q_PROPERTY(
        trainscope::app::LayoutDiagrams::Part part MEMBER m_part NOTIFY partChanged REQUIRED FINAL)
    // The height of the view: a diagram that is much higher is drawn smaller. 0: as it likes.
    Q_PROPERTY(double room MEMBER m_room NOTIFY partChanged FINAL)
    // Paints the marks of the part and takes no mouse; the part is laid out by another item.
    Q_PROPERTY(bool marks MEMBER m_marks NOTIFY marksChanged FINAL)

public:
    explicit LayoutItem(QQuickItem* parent = nullptr);

    [[nodiscard]] LayoutController* controller() const { return m_controller; }
    void setController(LayoutController* controller);

    void paint(QPainter* painter) override;

Q_SIGNALS:
    void controllerChanged();
    void partChanged();
    void marksChanged();

protected:
    void geometryChange(const QRectF& newGeometry, const QRectF& oldGeometry) override;
    void updatePolish() override;
    void pointedAt(QPointF at) override;
    void left() override;
    void clickedAt(QPointF at) override;
    void doubleClicked() override;

private:
    void connectController();

    QPointer<LayoutController> m_controller;
    LayoutDiagrams::Part m_part = LayoutDiagrams::Physical;
    bool m_marks = false;
    double m_room = 0.0;
    PaintCache m_cache;
};

} // namespace trainscope::app
