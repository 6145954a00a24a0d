#include "app/painting/FigureExport.h"

#include "app/painting/FigureWriters.h"
#include "app/painting/WriteFile.h"
#include "core/model/Try.h"

#include <QFileInfo>

#include <algorithm>
#include <cmath>
#include <map>

namespace trainscope::app {

namespace {

constexpr double kLeastPoints = 6.0;
// Wider figures are shrunk when they are placed in a paper's text width of 7 in.
constexpr double kPageWidth = 7.0 * 72.0;

double smallestText(const plot::PlotScene& scene, const plot::Theme& theme) {
    double smallest = 1e9;
    for (const auto& item : scene.items) {
        if (const auto* label = std::get_if<plot::Label>(&item))
            smallest = std::min(smallest, theme.size(label->role));
    }
    return smallest;
}

QStringList textWarnings(const plot::PlotScene& scene, const plot::Theme& theme) {
    const double smallest = smallestText(scene, theme);
    if (smallest > 1e8)
        return {};
    if (smallest < kLeastPoints)
        return {QStringLiteral("Text of %1 pt is below 6 pt, the least that journals accept.")
                    .arg(smallest, 0, 'f', 1)};
    const double placed = smallest * std::min(1.0, kPageWidth / scene.width);
    if (placed < kLeastPoints)
        return {QStringLiteral("Placed in a page of 7 in, this figure is shrunk and its text ends "
                               "at %1 pt, below 6 pt; "
                               "choose a width of at most %2 mm.")
                    .arg(placed, 0, 'f', 1)
                    .arg(std::floor(kPageWidth * kMmPerPoint * smallest / kLeastPoints))};
    return {};
}

Result<EncodedFigure> encode(FigureFormat format, const std::vector<plot::PlotScene>& scenes,
    const plot::Theme& theme, const FigureOptions& options) {
    switch (format) {
    case FigureFormat::Pdf:
        return encodePdf(scenes, theme, options);
    case FigureFormat::Svg:
        return encodeSvg({scenes.front(), theme, options});
    case FigureFormat::Png:
        break;
    }
    return encodePng({scenes.front(), theme, options});
}

} // namespace

Status checkFigureSize(const FigureOptions& options) {
    const bool usable = options.widthMm >= 10.0 && options.widthMm <= 5000.0
        && options.heightMm >= 0.0 && options.heightMm <= 5000.0;
    const bool hasContent = !options.inPages
        || (options.widthMm >= 40.0 + 2.0 * kPageMarginMm
            && options.heightMm >= 40.0 + 2.0 * kPageMarginMm);
    if (!hasContent)
        return Error{ErrorCode::Usage, "A page is at least 70 mm wide and 70 mm high.", {}};
    if (!usable)
        return Error{ErrorCode::Usage,
            "A figure is between 10 and 5000 mm wide and at most 5000 mm high.", {}};
    if (options.pngDpi < 30 || options.pngDpi > 2400)
        return Error{
            ErrorCode::Usage, "The resolution of a PNG is between 30 and 2400 dots per inch.", {}};
    return {};
}

Result<FigureFormat> figureFormatOf(const QString& path) {
    static const std::map<QString, FigureFormat> kFormats{
        {QStringLiteral("png"), FigureFormat::Png}, {QStringLiteral("pdf"), FigureFormat::Pdf},
        {QStringLiteral("svg"), FigureFormat::Svg}};
    const auto found = kFormats.find(QFileInfo(path).suffix().toLower());
    if (found == kFormats.end())
        return Error{
            ErrorCode::Usage, "A figure's name ends in .png, .pdf or .svg.", path.toStdString()};
    return found->second;
}

const std::vector<FigurePreset>& figurePresets() {
    constexpr double kInch = 25.4;
    static const std::vector<FigurePreset> presets{
        {QStringLiteral("Column, 3.33 × 2.0 in (ACM)"), 3.33 * kInch, 2.0 * kInch},
        {QStringLiteral("Column, 3.375 × 2.1 in (IEEE)"), 3.375 * kInch, 2.1 * kInch},
        {QStringLiteral("Page, 7.0 × 2.1 in"), 7.0 * kInch, 2.1 * kInch},
        {QStringLiteral("Page, 7.0 × 2.8 in"), 7.0 * kInch, 2.8 * kInch},
        {QStringLiteral("Page, 7.0 in, as high as its content"), 7.0 * kInch, 0.0},
    };
    return presets;
}

const std::vector<FigurePreset>& pagePresets() {
    static const std::vector<FigurePreset> presets{
        {QStringLiteral("Pages of A4"), 210.0, 297.0},
        {QStringLiteral("Pages of Letter"), 215.9, 279.4},
    };
    return presets;
}

QString creatorText() {
    return QStringLiteral("Trainscope " TRAINSCOPE_VERSION);
}

QString sourcesText(const FigureMetadata& metadata) {
    QStringList hashes;
    for (const auto& hash : metadata.sourceHashes)
        hashes.append(QString::fromStdString(hash));
    return hashes.isEmpty() ? QString()
                            : QStringLiteral("Sources: ") + hashes.join(QLatin1Char(' '));
}

Result<QStringList> exportFigure(
    const QString& path, const std::vector<plot::PlotScene>& scenes, const FigureOptions& options) {
    ASSIGN_OR_RETURN(const auto format, figureFormatOf(path));
    RETURN_IF_ERROR(checkFigureSize(options));
    if (options.inPages && format != FigureFormat::Pdf)
        return Error{ErrorCode::Usage, "Pages are written as PDF; SVG and PNG hold one picture.",
            path.toStdString()};
    const plot::Theme& theme = options.theme == nullptr ? plot::paperTheme() : *options.theme;
    ASSIGN_OR_RETURN(const auto figure, encode(format, scenes, theme, options));
    RETURN_IF_ERROR(writeFile(path, figure.bytes));
    QStringList warnings;
    for (const auto& scene : scenes)
        warnings += textWarnings(scene, theme);
    warnings.removeDuplicates();
    return warnings + figure.warnings;
}

} // namespace trainscope::app
