#include "app/painting/FigureDrawing.h"

#include "app/painting/ScenePainter.h"

namespace trainscope::app {

plot::FigureGeometry layOutFigure(
    const plot::FigureData& data, const plot::Theme& theme, double width, double height) {
    plot::FigureStyle style;
    style.theme = &theme;
    style.width = width;
    style.height = height;
    style.measure = measureWith(theme);
    return plot::buildFigure(data, style);
}

Result<QStringList> exportFigureData(
    const plot::FigureData& data, const QString& path, const FigureOptions& options) {
    const FigureOptions complete = completed(options, data.title);
    const plot::Theme& theme = *complete.theme;
    QStringList warnings;
    const auto build = [&](double width, double height) -> Result<plot::PlotScene> {
        auto geometry = layOutFigure(data, theme, width, height);
        if (height > 0.0 && height < 0.8 * geometry.preferredHeight)
            warnings.append(QStringLiteral("The figure wants to be %1 mm high; lower, its labels "
                                           "are thinned out or touch.")
                                .arg(geometry.preferredHeight * 25.4 / 72.0, 0, 'f', 0));
        return std::move(geometry.scene);
    };
    const auto written = exportFigure(path, build, complete);
    if (!written.hasValue())
        return written.error();
    return warnings + written.value();
}

} // namespace trainscope::app
