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

double FigureObject::heightOf(std::size_t figure) const {
    return std::min(m_scenes[figure].height, m_most[figure]);
}

QSizeF FigureObject::intrinsicSize(QTextDocument*, int, const QTextFormat& format) {
    const std::size_t index = indexOf(format);
    const auto& scene = m_scenes[index];
    const double scale = heightOf(index) / scene.height;
    return {scene.width * scale, scene.height * scale};
}

void FigureObject::drawObject(
    QPainter* painter, const QRectF& rect, QTextDocument*, int, const QTextFormat& format) {
    // One that only touches the page stands on the next.
    if (!painter->clipBoundingRect().intersects(rect.adjusted(0.0, 1.0, 0.0, -1.0)))
        return;
    painter->save();
    painter->translate(rect.topLeft());
    const std::size_t index = indexOf(format);
    const auto& scene = m_scenes[index];
    const double scale = heightOf(index) / scene.height;
    painter->scale(scale, scale);
    paintScene(scene, m_theme, *painter, PaintTarget::Vector);
    painter->restore();
}

} // namespace trainscope::app
