#pragma once
// Short texts on the screen, shaped once: a timeline draws the same names frame after frame.

#include <QFont>
#include <QPainter>
#include <QPointF>

#include <string>

namespace trainscope::app {

// `baseline` is the left end of the text's baseline; `font` is the painter's. What was shaped is
// kept by thread, for some thousand texts.
void drawCachedText(
    QPainter& painter, const QFont& font, QPointF baseline, const std::string& utf8);

} // namespace trainscope::app
