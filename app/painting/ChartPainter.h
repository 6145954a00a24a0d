#pragma once
// Standard charts drawn by Qt Charts: bars, lines and markers of a plot::Chart in its plot area.
// Texts, hatches and marks are not part of it; the scene has them as items of their own.
//
// Qt Charts draws on the thread of the QApplication, which must be one with widgets: another thread
// hands its chart over and waits until that thread has handled its events.

#include "core/plot/PlotScene.h"

#include <QFuture>
#include <QPainter>

namespace trainscope::app {

void paintChart(const plot::Chart& chart, QPainter& painter);

// Waits on the thread of the QApplication for work that may paint charts elsewhere.
void waitForPainting(const QFuture<void>& work);

} // namespace trainscope::app
