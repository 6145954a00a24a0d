#include "app/viewmodels/window/Sparkline.h"

#include <QPainter>
#include <QPolygonF>

#include <cmath>

namespace trainscope::app {

Sparkline::Sparkline(QQuickItem* parent)
    : QQuickPaintedItem(parent) {
    setAntialiasing(true);
    connect(this, &Sparkline::changed, this, [this] { update(); });
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
