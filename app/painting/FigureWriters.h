#pragma once
// A scene as the bytes of a PNG, PDF or SVG file; the same bytes for the same input.

#include "app/painting/FigureExport.h"

#include <QByteArray>

namespace trainscope::app {

struct EncodedFigure {
    QByteArray bytes;
    QStringList warnings;
};
// What to make of a scene, whose units are points.
struct FigureJob {
    const plot::PlotScene& scene;
    const plot::Theme& theme;
    const FigureOptions& options;
};

Result<EncodedFigure> encodePng(const FigureJob& job);
Result<EncodedFigure> encodePdf(const FigureJob& job);
Result<EncodedFigure> encodeSvg(const FigureJob& job);

// "Trainscope 0.1.0".
QString creatorText();
// "Sources: <hash> <hash>"; empty without hashes.
QString sourcesText(const FigureMetadata& metadata);

inline constexpr double kMmPerPoint = 25.4 / 72.0;

} // namespace trainscope::app
