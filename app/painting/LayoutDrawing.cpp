#include "app/painting/LayoutDrawing.h"

#include "app/painting/ScenePainter.h"

namespace trainscope::app {

Result<QStringList> exportScene(const std::string& title, const StyledScene& build,
    const QString& path, const FigureOptions& options) {
    const FigureOptions complete = completed(options, title);
    const auto sized = [&](double width, double height) -> Result<plot::PlotScene> {
        plot::FigureStyle style;
        style.theme = complete.theme;
        style.width = width;
        style.height = height;
        style.measure = measureWith(*complete.theme);
        return build(style);
    };
    return exportFigure(path, sized, complete);
}

Result<QStringList> exportLayout(
    const plot::LayoutFigureData& data, const QString& path, const FigureOptions& options) {
    return exportScene(
        data.title,
        [&data](
            const plot::FigureStyle& style) { return plot::buildLayoutFigure(data, style).scene; },
        path, options);
}

} // namespace trainscope::app
