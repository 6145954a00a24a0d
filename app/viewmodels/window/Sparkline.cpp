#include "app/viewmodels/window/Sparkline.h"

#include <QPainter>
#include <QPolygonF>

#include <cmath>

namespace trainscope::app {

Sparkline::Sparkline(QQuickItem* parent)
    : QQuickPaintedItem(parent) {
    setAntialiasing(true);
}

void Sparkline::setValues(const QList<double>& values) {
    m_values = values;
    Q_EMIT valuesChanged();
    update();
}

void Sparkline::setColor(const QColor& color) {
    if (color == m_color)
        return;
    m_color = color;
    Q_EMIT colorChanged();
    update();
}

void Sparkline::paint(QPainter* painter) {
    if (m_values.size() < 2)
        return;
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(m_color, 1.0));
    const double step = width() / static_cast<double>(m_values.size() - 1);
    QPolygonF line;
    for (qsizetype i = 0; i < m_values.size(); ++i) {
        if (std::isnan(m_values[i])) {
            painter->drawPolyline(line);
            line.clear();
            continue;
        }
        const double y = 1.0 + (height() - 2.0) * (1.0 - m_values[i]);
        line.append({static_cast<double>(i) * step, y});
    }
    painter->drawPolyline(line);
}

} // namespace trainscope::app
