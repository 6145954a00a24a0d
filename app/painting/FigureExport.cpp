#include "app/painting/FigureExport.h"

#include "app/painting/FigureWriters.h"
#include "app/painting/ScenePainter.h"
#include "app/painting/WriteFile.h"
#include "core/plot/SceneParts.h"
#include "core/text/NumberMarks.h"

#include <QFileInfo>
#include <cmath>

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

constexpr double kVectorColumns = 2.0; // data columns per point of paper

plot::FigureStyle styleOf(const plot::Theme& theme, double width, double height) {
    plot::FigureStyle style;
    style.theme = &theme;
    style.width = width;
    style.height = height;
    style.links = false;
    style.measure = measureWith(theme);
    return style;
}

// Rewords labels for files: the window worded them before they were drawn.
plot::PlotScene forFiles(plot::PlotScene scene) {
    for (plot::SceneItem& item : scene.items) {
        if (auto* label = std::get_if<plot::Label>(&item))
            label->text = text::forFiles(std::move(label->text));
    }
    return scene;
}

// The size of the content, in points.
std::pair<double, double> contentOf(const FigureOptions& options) {
    const double margins = options.inPages ? 2.0 * kPageMarginMm : 0.0;
    const auto inPoints
        = [margins](double mm) { return std::max(mm - margins, 0.0) / kMmPerPoint; };
    return {inPoints(options.widthMm), inPoints(options.heightMm)};
}

const plot::Theme& themeOf(const FigureOptions& options) {
    return options.theme == nullptr ? plot::paperTheme() : *options.theme;
}

// The pictures on the pages of a figure: its own pages, else one that is no higher than a page,
// where it can be.
std::vector<plot::Picture> onPages(const figures::Figure& figure, plot::FigureStyle style) {
    if (figure.pages)
        return figure.pages(style);
    const double most = style.height;
    style.height = 0.0;
    std::vector<plot::Picture> pictures;
    pictures.push_back(figure.draw(style));
    if (pictures.front().scene.height > most) {
        style.height = most;
        pictures.front() = figure.draw(style);
    }
    return pictures;
}

// Pages of one size, with margins.
void setOnPaper(std::vector<plot::PlotScene>& scenes, const FigureOptions& options) {
    const double margin = kPageMarginMm / kMmPerPoint;
    double height = options.heightMm / kMmPerPoint;
    for (const auto& scene : scenes)
        height = std::max(height, scene.height + 2.0 * margin);
    for (auto& scene : scenes) {
        plot::PlotScene page;
        page.width = options.widthMm / kMmPerPoint;
        page.height = height;
        page.background = scene.background;
        plot::appendScene(page, std::move(scene), {margin, margin});
        scene = std::move(page);
    }
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

figures::Request requestFor(const QString& path, const FigureOptions& options) {
    const auto format = figureFormatOf(path);
    const bool isRaster = format.hasValue() && format.value() == FigureFormat::Png;
    const auto [width, height] = contentOf(options);
    figures::Request request;
    request.style = styleOf(themeOf(options), width, height);
    request.density = isRaster ? options.pngDpi / 72.0 : kVectorColumns;
    return request;
}

DrawnFigure drawnFor(const figures::Figure& figure, const FigureOptions& options) {
    const text::WordingFor file(text::Medium::File);
    const auto [width, height] = contentOf(options);
    const auto style = styleOf(themeOf(options), width, height);
    std::vector<plot::Picture> pictures;
    if (options.inPages)
        pictures = onPages(figure, style);
    else
        pictures.push_back(figure.draw(style));
    DrawnFigure drawn;
    for (auto& picture : pictures) {
        for (const auto& warning : picture.warnings)
            drawn.warnings.append(QString::fromStdString(warning));
        drawn.scenes.push_back(forFiles(std::move(picture.scene)));
    }
    if (options.inPages)
        setOnPaper(drawn.scenes, options);
    return drawn;
}

Result<QStringList> writeFigure(
    const figures::Figure& figure, const QString& path, const FigureOptions& options) {
    const text::WordingFor file(text::Medium::File);
    FigureOptions complete = options;
    if (complete.theme == nullptr)
        complete.theme = &plot::paperTheme();
    if (complete.metadata.title.isEmpty())
        complete.metadata.title = QString::fromStdString(text::forFiles(figure.title));
    if (complete.metadata.sourceHashes.empty())
        complete.metadata.sourceHashes = figure.sources;
    RETURN_IF_ERROR(figureFormatOf(path));
    RETURN_IF_ERROR(checkFigureSize(complete));
    const auto drawn = drawnFor(figure, complete);
    ASSIGN_OR_RETURN(const auto written, exportFigure(path, drawn.scenes, complete));
    return drawn.warnings + written;
}

Status writeNumbers(const figures::Figure& figure, const QString& path) {
    return writeFile(path, QByteArray::fromStdString(text::forFiles(figure.csv())));
}

plot::PlotScene drawFigure(
    const figures::Figure& figure, const plot::Theme& theme, double width, double height) {
    return std::move(figure.draw(styleOf(theme, width, height)).scene);
}

} // namespace trainscope::app
