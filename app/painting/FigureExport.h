#pragma once
// Figures as files: PNG, PDF and SVG in true size, the same bytes for the same input.

#include "core/figures/Figure.h"
#include "core/plot/Theme.h"

#include <QString>
#include <QStringList>

namespace trainscope::app {

enum class FigureFormat { Png, Pdf, Svg };
// By the file's suffix; Usage error names the three.
Result<FigureFormat> figureFormatOf(const QString& path);

struct FigurePreset {
    QString name; // "Column, 3.33 in"
    double widthMm = 0.0;
    double heightMm = 0.0;
};
const std::vector<FigurePreset>& figurePresets();
const std::vector<FigurePreset>& pagePresets(); // as many pages of that size as are needed

struct FigureMetadata {
    QString title;
    std::vector<std::string> sourceHashes;
};

struct FigureOptions {
    double widthMm = 177.8; // 7 in
    double heightMm = 0.0; // 0: as the scene wants
    bool inPages = false; // as many of that size as are needed, with margins; of PDF
    const plot::Theme* theme = nullptr; // paper unless given
    int pngDpi = 300;
    FigureMetadata metadata;
};

// Usage for a size that no figure has.
Status checkFigureSize(const FigureOptions& options);

// Room around the content of a page.
inline constexpr double kPageMarginMm = 15.0;

// Writes a picture, or the pages of a PDF (through a temporary file, so that a failed export
// destroys nothing). The value are warnings for the user, e.g. text below 6 pt.
Result<QStringList> exportFigure(
    const QString& path, const std::vector<plot::PlotScene>& scenes, const FigureOptions& options);

// A figure of any kind as a file: its picture as PNG, PDF or SVG, and its numbers as CSV. Used by
// the command line and by the window's export.
//
// On any thread; charts are painted on the thread of the QApplication (ChartPainter.h).

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
