#pragma once
// The texts of scenes: their fonts, how wide they are, and drawing them again and again.

#include "core/plot/PlotScene.h"
#include "core/plot/Theme.h"

#include <QFont>
#include <QPainter>
#include <QPointF>

#include <string>

namespace trainscope::app {

// The font of a role: Inter where installed, in the size that the theme gives.
QFont themeFont(const plot::Theme& theme, plot::TextRole role, bool bold);
// Widths of texts in these fonts, for what lays out scenes.
plot::MeasureText measureWith(const plot::Theme& theme);

// Draws a short text on the screen, shaped once: a timeline draws the same names frame after frame.
// `baseline` is the left end of the text's baseline; `font` is the painter's. Shaped texts are
// cached by each thread, some thousand of them.
void drawCachedText(
    QPainter& painter, const QFont& font, QPointF baseline, const std::string& utf8);

} // namespace trainscope::app
