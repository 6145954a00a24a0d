#include "app/viewmodels/window/Icon.h"

#include "app/viewmodels/window/Theme.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QPainter>
#include <QPolygonF>
#include <QSvgRenderer>

#include <cmath>

namespace trainscope::app {

namespace {

QString strokesOf(const QString& name) {
    static const QJsonObject icons = QJsonDocument::fromJson(
        QByteArray(iconTable().data(), static_cast<qsizetype>(iconTable().size())))
                                         .object();
    return icons.value(name).toString();
}

} // namespace

Icon::Icon(QQuickItem* parent)
    : QQuickPaintedItem(parent) {
    setAntialiasing(true);
    const auto follow
        = [this] { setImplicitSize(Theme::instance()->iconSize(), Theme::instance()->iconSize()); };
    connect(Theme::instance(), &Theme::changed, this, follow);
    follow();
    connect(this, &Icon::changed, this, [this] { update(); });
}

void Icon::paint(QPainter* painter) {
    const QString strokes = strokesOf(m_name);
    if (strokes.isEmpty())
        return;
    const QString picture = QStringLiteral(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'><g fill='none' stroke='%1' "
        "stroke-width='1.3' stroke-linecap='round' stroke-linejoin='round'>%2</g></svg>")
                                .arg(m_color.name(),
                                    QString(strokes).replace(
                                        QLatin1String("currentColor"), m_color.name()));
    const double side = std::min(width(), height());
    painter->setRenderHint(QPainter::Antialiasing);
    QSvgRenderer(picture.toUtf8()).render(painter, QRectF(0.0, 0.0, side, side));
}

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
