#pragma once
// A figure of any kind as a file: its picture as PNG, PDF or SVG, and its numbers as CSV. Used by
// the command line and by the window's export.
//
// On any thread; charts are painted on the thread of the QApplication (ChartPainter.h).

#include "app/painting/FigureExport.h"
#include "core/figures/Figure.h"

#include <QString>
#include <QStringList>

namespace trainscope::app {

// The request of a figure that goes there, without runs and options.
figures::Request requestFor(const QString& path, const FigureOptions& options);

// The scenes that the file of a figure will hold, one unless the options ask for pages.
struct DrawnFigure {
    std::vector<plot::PlotScene> scenes;
    QStringList warnings;
};
DrawnFigure drawnFor(const figures::Figure& figure, const FigureOptions& options);

// The value are warnings for the user. Title and sources are the figure's, unless the options' name
// some.
Result<QStringList> writeFigure(
    const figures::Figure& figure, const QString& path, const FigureOptions& options);
Status writeNumbers(const figures::Figure& figure, const QString& path);

// In the theme's fonts. Height 0: as tall as it wants.
plot::PlotScene drawFigure(
    const figures::Figure& figure, const plot::Theme& theme, double width, double height = 0.0);

} // namespace trainscope::app
