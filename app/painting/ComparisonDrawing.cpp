#include "app/painting/ComparisonDrawing.h"

#include "app/painting/ScenePainter.h"

namespace trainscope::app {

plot::ComparisonGeometry layOutComparison(const plot::ComparisonData& data,
    const ComparisonChoice& choice, const plot::Theme& theme, double width, double height,
    bool title) {
    plot::ComparisonStyle style;
    style.theme = &theme;
    style.width = width;
    style.height = height;
    style.measure = measureWith(theme);
    style.panels = choice.panels;
    style.stacked = choice.stacked;
    style.perStage = choice.perStage;
    style.title = title;
    style.notes = title;
    return plot::buildComparison(data, style);
}

Result<QStringList> exportComparison(const plot::ComparisonData& data,
    const ComparisonChoice& choice, const QString& path, const FigureOptions& options) {
    const FigureOptions complete = completed(options, data.title);
    const plot::Theme& theme = *complete.theme;
    QStringList warnings;
    const auto build = [&](double width, double height) -> Result<plot::PlotScene> {
        auto geometry = layOutComparison(data, choice, theme, width, height, true);
        if (height > 0.0 && geometry.scene.height > height + 0.5)
            warnings.append(QStringLiteral("The comparison is %1 mm high, since its panels do not "
                                           "fit into less at this width.")
                                .arg(geometry.scene.height * 25.4 / 72.0, 0, 'f', 0));
        return std::move(geometry.scene);
    };
    const auto written = exportFigure(path, build, complete);
    if (!written.hasValue())
        return written.error();
    return warnings + written.value();
}

} // namespace trainscope::app
