#pragma once
// Replays a PlotScene with a QPainter: the one drawing path for the screen, PNG, PDF and SVG.

#include "app/painting/PaintCache.h"
#include "core/plot/PlotScene.h"
#include "core/plot/Theme.h"

#include <QFont>
#include <QPainter>

namespace trainscope::app {

// Screen: dense items go straight into images. Vector: everything is a path or a text.
enum class PaintTarget { Screen, Vector };

// `cache`: of a view that paints scene after scene.
void paintScene(const plot::PlotScene& scene, const plot::Theme& theme, QPainter& painter,
    PaintTarget target, PaintCache* cache = nullptr);

// The font of a role: Inter where installed, tabular digits, pixel size as the theme says.
QFont themeFont(const plot::Theme& theme, plot::TextRole role, bool bold);
// For TimelineStyle::measure.
plot::MeasureText measureWith(const plot::Theme& theme);

} // namespace trainscope::app
