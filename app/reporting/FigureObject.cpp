#include "app/reporting/FigureObject.h"

#include "app/painting/ScenePainter.h"

#include <QPainter>

namespace trainscope::app {

namespace {

std::size_t indexOf(const QTextFormat& format) {
    return static_cast<std::size_t>(format.intProperty(kFigureIndex));
}

} // namespace

QSizeF FigureObject::intrinsicSize(QTextDocument*, int, const QTextFormat& format) {
    const auto& scene = m_scenes[indexOf(format)];
    return {scene.width, scene.height};
}

void FigureObject::drawObject(
    QPainter* painter, const QRectF& rect, QTextDocument*, int, const QTextFormat& format) {
    painter->save();
    painter->translate(rect.topLeft());
    paintScene(m_scenes[indexOf(format)], m_theme, *painter, PaintTarget::Vector);
    painter->restore();
}

} // namespace trainscope::app
