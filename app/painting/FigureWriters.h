#pragma once
// A scene as the bytes of a PNG, PDF or SVG file, or as an SVG element of a page; the same bytes
// for the same input.

#include "app/painting/FigureExport.h"

#include <QByteArray>
#include <QRawFont>

namespace trainscope::app {

// A font of a few characters, cut from an installed one by HarfBuzz: what an SVG carries so that
// its text looks the same everywhere. Kerning and other layout tables are left out, since texts are
// measured without them.

// An OpenType file with those characters that the font has. Refused where the font forbids
// embedding.
Result<QByteArray> subsetFont(const QRawFont& font, const QString& characters);

struct EncodedFigure {
    QByteArray bytes;
    QStringList warnings;
};
// A scene, whose units are points, and the file to make of it.
struct FigureJob {
    const plot::PlotScene& scene;
    const plot::Theme& theme;
    const FigureOptions& options;
};

Result<EncodedFigure> encodePng(const FigureJob& job);
Result<EncodedFigure> encodeSvg(const FigureJob& job);
// Pages, all of the size of the first.
Result<EncodedFigure> encodePdf(const std::vector<plot::PlotScene>& pages, const plot::Theme& theme,
    const FigureOptions& options);

// An <svg> element that takes the width it is given; without fonts, which the page carries once.
Result<QByteArray> inlineSvg(const plot::PlotScene& scene, const plot::Theme& theme);
// @font-face rules for the text of all of them; empty where the font must not be embedded.
QByteArray inlineFonts(const std::vector<plot::PlotScene>& scenes, const plot::Theme& theme);

// "Trainscope 0.1.0".
QString creatorText();
// "Sources: <hash> <hash>"; empty without hashes.
QString sourcesText(const FigureMetadata& metadata);

inline constexpr double kMmPerPoint = 25.4 / 72.0;

} // namespace trainscope::app
