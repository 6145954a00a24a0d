#pragma once
// Standard charts drawn by Qt Charts: bars, lines and markers of a plot::Chart in its plot area.
// Texts, hatches and marks are not part of it; the scene has them as items of their own.
//
// On the thread of the QApplication, which must be one with widgets.

#include "core/plot/PlotScene.h"

#include <QPainter>

namespace trainscope::app {

void paintChart(const plot::Chart& chart, QPainter& painter);

} // namespace trainscope::app
