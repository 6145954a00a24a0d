#pragma once
// The whole of the shown runs, a row each, as the first that they have of: mean power of the GPUs,
// of the nodes, throughput, how busy their traced devices are, or their host. The window is a
// brush: drag it to pan, its edges to zoom, click to centre. QML draws the brush itself from the
// navigation's brushBegin and brushEnd.

#include <QQuickPaintedItem>

#include "app/viewmodels/timeline/TimelineController.h"

namespace trainscope::app {

class MinimapItem : public QQuickPaintedItem {
    Q_OBJECT
    QML_ELEMENT
    // Name of what is drawn, "GPU power", or the state of the profile while it waits.
    Q_PROPERTY(QString note READ note NOTIFY noteChanged FINAL)
    Q_PROPERTY(trainscope::app::TimelineController* controller READ controller WRITE setController
            NOTIFY controllerChanged REQUIRED FINAL)

public:
    struct Row {
        std::string of; // "GPU power"; empty: there is nothing
        std::vector<float> values; // by column; NaN: no data
        float highest = 0.0F; // over all runs with the same lane
    };
    struct Profile {
        std::vector<Row> runs;
        bool isComplete = true; // no engine is still asked
    };
    // Blocking. `limits` in view time.
    static Result<Profile> readProfile(const store::Store& store,
        const TimelineCatalogue& catalogue, const std::vector<plot::ShownRun>& runs,
        plot::ViewWindow limits, int columns, const std::function<bool()>& isCancelled,
        EngineLanes* engines = nullptr);

    explicit MinimapItem(QQuickItem* parent = nullptr);

    [[nodiscard]] TimelineController* controller() const { return m_controller; }
    void setController(TimelineController* controller);
    [[nodiscard]] QString note() const;

    void paint(QPainter* painter) override;

Q_SIGNALS:
    void controllerChanged();
    void noteChanged();

protected:
    void geometryChange(const QRectF& newGeometry, const QRectF& oldGeometry) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void hoverMoveEvent(QHoverEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

private:
    enum class Grip { None, Brush, Begin, End };

    void load();
    void read();
    [[nodiscard]] Grip gripAt(double x) const;
    void dragTo(double x);

    QPointer<TimelineController> m_controller;
    Task<Profile> m_task{Urgency::Pointer};
    Profile m_profile;
    std::vector<std::size_t> m_colors; // per run
    Grip m_grip = Grip::None;
    double m_pressed = 0.0;
    double m_begin = 0.0; // brush edges at the press, fractions
    double m_end = 1.0;
};

} // namespace trainscope::app
