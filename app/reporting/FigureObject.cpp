#include "app/reporting/FigureObject.h"

#include "app/painting/ScenePainter.h"

#include <QPainter>

#include <algorithm>

namespace trainscope::app {

namespace {

std::size_t indexOf(const QTextFormat& format) {
    return static_cast<std::size_t>(format.intProperty(kFigureIndex));
}

} // namespace

QSizeF FigureObject::intrinsicSize(QTextDocument*, int, const QTextFormat& format) {
    const auto& scene = m_scenes[indexOf(format)];
    const double scale = std::min(1.0, m_most / scene.height);
    return {scene.width * scale, scene.height * scale};
}

void FigureObject::drawObject(
    QPainter* painter, const QRectF& rect, QTextDocument*, int, const QTextFormat& format) {
    painter->save();
    painter->translate(rect.topLeft());
    const auto& scene = m_scenes[indexOf(format)];
    const double scale = std::min(1.0, m_most / scene.height);
    painter->scale(scale, scale);
    paintScene(scene, m_theme, *painter, PaintTarget::Vector);
    painter->restore();
}

} // namespace trainscope::app
