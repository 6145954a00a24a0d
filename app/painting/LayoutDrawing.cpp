#include "app/painting/LayoutDrawing.h"

#include "app/painting/ScenePainter.h"

namespace trainscope::app {

Result<QStringList> exportLayout(
    const plot::LayoutFigureData& data, const QString& path, const FigureOptions& options) {
    const FigureOptions complete = completed(options, data.title);
    const auto build = [&](double width, double height) -> Result<plot::PlotScene> {
        plot::FigureStyle style;
        style.theme = complete.theme;
        style.width = width;
        style.height = height;
        style.measure = measureWith(*complete.theme);
        return plot::buildLayoutFigure(data, style).scene;
    };
    return exportFigure(path, build, complete);
}

} // namespace trainscope::app
