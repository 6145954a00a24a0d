#include "app/painting/FigureFile.h"

#include "app/painting/FigureWriters.h"
#include "app/painting/ScenePainter.h"
#include "app/painting/WriteFile.h"
#include "core/model/Try.h"
#include "core/text/NumberMarks.h"

namespace trainscope::app {

namespace {

constexpr double kVectorColumns = 2.0; // of data, in a point of paper

plot::FigureStyle styleOf(const plot::Theme& theme, double width, double height) {
    plot::FigureStyle style;
    style.theme = &theme;
    style.width = width;
    style.height = height;
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

} // namespace

figures::Request requestFor(const QString& path, const FigureOptions& options) {
    const auto format = figureFormatOf(path);
    const bool isRaster = format.hasValue() && format.value() == FigureFormat::Png;
    figures::Request request;
    request.style = styleOf(options.theme == nullptr ? plot::paperTheme() : *options.theme,
        options.widthMm / kMmPerPoint, options.heightMm / kMmPerPoint);
    request.density = isRaster ? options.pngDpi / 72.0 : kVectorColumns;
    return request;
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
    QStringList warnings;
    const auto build = [&](double width, double height) -> Result<plot::PlotScene> {
        auto picture = figure.draw(styleOf(*complete.theme, width, height));
        for (const auto& warning : picture.warnings)
            warnings.append(QString::fromStdString(warning));
        return forFiles(std::move(picture.scene));
    };
    ASSIGN_OR_RETURN(const auto written, exportFigure(path, build, complete));
    return warnings + written;
}

Status writeNumbers(const figures::Figure& figure, const QString& path) {
    return writeFile(path, QByteArray::fromStdString(text::forFiles(figure.csv())));
}

plot::PlotScene drawFigure(
    const figures::Figure& figure, const plot::Theme& theme, double width, double height) {
    return std::move(figure.draw(styleOf(theme, width, height)).scene);
}

} // namespace trainscope::app
