#include "app/viewmodels/window/Icon.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QPainter>
#include <QSvgRenderer>

#include <algorithm>

namespace trainscope::app {
namespace {

constexpr double kGrid = 16.0;

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
    setImplicitSize(kGrid, kGrid);
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

} // namespace trainscope::app
