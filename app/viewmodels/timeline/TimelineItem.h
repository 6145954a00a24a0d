#pragma once
// Paints the timeline's scene and takes the mouse: wheel, drag, hover, click. Overlays (cursor,
// selection, lane heads) are QML items above it and repaint nothing.

#include "app/painting/ScenePainter.h"
#include "app/viewmodels/timeline/TimelineController.h"
#include "app/viewmodels/workspace/PictureItem.h"

namespace trainscope::app {

class TimelineItem : public trainscope::app::PictureItem {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(trainscope::app::TimelineController* controller READ controller WRITE setController
            NOTIFY controllerChanged REQUIRED FINAL)

public:
    explicit TimelineItem(QQuickItem* parent = nullptr);

    [[nodiscard]] TimelineController* controller() const { return m_controller; }
    void setController(TimelineController* controller);

    void paint(QPainter* painter) override;

Q_SIGNALS:
    void controllerChanged();

protected:
    void geometryChange(const QRectF& newGeometry, const QRectF& oldGeometry) override;
    void itemChange(ItemChange change, const ItemChangeData& value) override;
    void updatePolish() override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void mouseUngrabEvent() override;
    void pointedAt(QPointF at) override;
    void left() override;

private:
    enum class Drag { None, Pending, Select, Edge, Pan };

    void sizeChanged();
    void drag(QPointF to);

    QPointer<TimelineController> m_controller;
    std::shared_ptr<const plot::TimelineGeometry> m_geometry; // replayed by paint()
    PaintCache m_pictures;
    Drag m_drag = Drag::None;
    bool m_isClick = false; // a press with Shift that has not been moved yet
    int m_edge = 0;
    QPointF m_pressed;
    QPointF m_last;
};

} // namespace trainscope::app
