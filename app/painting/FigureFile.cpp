#include "app/painting/FigureFile.h"

#include "app/painting/FigureWriters.h"
#include "app/painting/ScenePainter.h"
#include "app/painting/WriteFile.h"
#include "core/model/Try.h"
#include "core/plot/SceneParts.h"
#include "core/text/NumberMarks.h"

namespace trainscope::app {

namespace {

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
