#include "app/painting/ChartPainter.h"

#include "app/painting/ScenePainter.h"

#include <QBarSeries>
#include <QBarSet>
#include <QChart>
#include <QCoreApplication>
#include <QGraphicsLayout>
#include <QGraphicsScene>
#include <QLegend>
#include <QLineSeries>
#include <QLogValueAxis>
#include <QScatterSeries>
#include <QStackedBarSeries>
#include <QThread>
#include <QValueAxis>

#include <memory>

namespace trainscope::app {

namespace {

// Rendered around the plot area: lines on its edge are not cut.
constexpr double kMargin = 8.0;

QPen penOf(plot::Color color, double width) {
    QPen pen(toQt(color), width);
    pen.setCapStyle(Qt::FlatCap);
    return pen;
}

class ChartScene {
public:
    explicit ChartScene(const plot::Chart& chart)
        : m_chart(chart)
        , m_view(new QChart) {
        m_scene.addItem(m_view);
        m_view->legend()->hide();
        m_view->setBackgroundVisible(false);
        m_view->setPlotAreaBackgroundVisible(false);
        m_view->setMargins({});
        m_view->layout()->setContentsMargins(0.0, 0.0, 0.0, 0.0);
        m_x = axis(chart.x, Qt::AlignBottom);
        m_left = axis(chart.left, Qt::AlignLeft);
        if (chart.right)
            m_right = axis(*chart.right, Qt::AlignRight);
        addBars();
        for (const auto& curve : chart.curves)
            addCurve(curve);
        fitPlotArea();
    }

    void paint(QPainter& painter) {
        const QRectF source = m_scene.sceneRect();
        const QRectF target(
            m_chart.area.x - kMargin, m_chart.area.y - kMargin, source.width(), source.height());
        m_scene.render(&painter, target, source, Qt::IgnoreAspectRatio);
    }

private:
    // Qt 6.4 moves the axes to the plot area that it is told only when the layout is made again.
    void fitPlotArea() {
        const QRectF whole(
            0.0, 0.0, m_chart.area.width + 2.0 * kMargin, m_chart.area.height + 2.0 * kMargin);
        m_view->setGeometry(whole);
        m_view->setPlotArea(whole.adjusted(kMargin, kMargin, -kMargin, -kMargin));
        m_view->layout()->invalidate();
        m_view->layout()->activate();
        m_scene.setSceneRect(whole);
    }

    QAbstractAxis* axis(const plot::ChartAxis& values, Qt::Alignment side) {
        QAbstractAxis* axis = values.log ? logAxis(values) : linearAxis(values);
        axis->setLabelsVisible(false);
        axis->setLineVisible(false); // its ticks have a fixed length; the scene draws the line
        axis->setGridLinePen(penOf(m_chart.grid, m_chart.lineWidth));
        axis->setGridLineVisible(values.gridStep > 0.0);
        axis->setMinorGridLineVisible(false);
        m_view->addAxis(axis, side);
        return axis;
    }
    static QAbstractAxis* linearAxis(const plot::ChartAxis& values) {
        auto* axis = new QValueAxis;
        axis->setRange(values.low, values.high);
        if (values.gridStep > 0.0) {
            axis->setTickType(QValueAxis::TicksDynamic);
            axis->setTickAnchor(values.gridFrom);
            axis->setTickInterval(values.gridStep);
        } else {
            axis->setTickCount(2);
        }
        return axis;
    }
    static QAbstractAxis* logAxis(const plot::ChartAxis& values) {
        auto* axis = new QLogValueAxis;
        axis->setBase(10.0);
        axis->setRange(values.low, values.high);
        axis->setMinorTickCount(0);
        return axis;
    }

    void addBars() {
        const auto& bars = m_chart.bars;
        if (bars.values.empty())
            return;
        QAbstractBarSeries* series = bars.stacked
            ? static_cast<QAbstractBarSeries*>(new QStackedBarSeries)
            : static_cast<QAbstractBarSeries*>(new QBarSeries);
        for (std::size_t i = 0; i < bars.values.size(); ++i) {
            auto* set = new QBarSet(QString::number(i));
            for (const double value : bars.values[i])
                set->append(value);
            set->setBrush(toQt(bars.colors[i]));
            set->setPen(Qt::NoPen);
            series->append(set);
        }
        series->setBarWidth(bars.width);
        attach(series, false);
    }

    void addCurve(const plot::ChartCurve& curve) {
        QList<QPointF> points;
        for (const auto& point : curve.points)
            points.append({point.x, point.y});
        if (curve.width > 0.0 && points.size() > 1) {
            auto* line = new QLineSeries;
            line->replace(points);
            QPen pen = penOf(curve.color, curve.width);
            pen.setJoinStyle(Qt::BevelJoin);
            line->setPen(pen);
            attach(line, curve.onRight);
        }
        if (curve.marker > 0.0) {
            auto* dots = new QScatterSeries;
            dots->replace(points);
            dots->setMarkerShape(QScatterSeries::MarkerShapeCircle);
            dots->setMarkerSize(curve.marker);
            dots->setBrush(toQt(curve.color));
            dots->setPen(Qt::NoPen);
            attach(dots, curve.onRight);
        }
    }

    void attach(QAbstractSeries* series, bool onRight) {
        m_view->addSeries(series);
        series->attachAxis(m_x);
        series->attachAxis(onRight && m_right != nullptr ? m_right : m_left);
    }

    const plot::Chart& m_chart;
    QGraphicsScene m_scene; // owns the chart
    QChart* m_view;
    QAbstractAxis* m_x = nullptr;
    QAbstractAxis* m_left = nullptr;
    QAbstractAxis* m_right = nullptr;
};

void paintHere(const plot::Chart& chart, QPainter& painter) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, true);
    ChartScene(chart).paint(painter);
    painter.restore();
}

// Takes what other threads hand over.
QObject* onApplicationThread() {
    static const std::unique_ptr<QObject> kReceiver = [] {
        auto made = std::make_unique<QObject>();
        made->moveToThread(QCoreApplication::instance()->thread());
        return made;
    }();
    return kReceiver.get();
}

} // namespace

void paintChart(const plot::Chart& chart, QPainter& painter) {
    if (!(chart.area.width > 0.0) || !(chart.area.height > 0.0))
        return;
    if (QThread::currentThread() == QCoreApplication::instance()->thread())
        return paintHere(chart, painter);
    // The painter changes hands while its own thread waits.
    QMetaObject::invokeMethod(
        onApplicationThread(), [&chart, &painter] { paintHere(chart, painter); },
        Qt::BlockingQueuedConnection);
}

void waitForPainting(const QFuture<void>& work) {
    while (!work.isFinished()) {
        QCoreApplication::sendPostedEvents(onApplicationThread(), QEvent::MetaCall);
        QThread::msleep(1);
    }
}

} // namespace trainscope::app
