#include "app/viewmodels/layout/LayoutExport.h"

#include "app/viewmodels/workspace/Views.h"
#include "core/figures/layout/LayoutFigure.h"

namespace trainscope::app {
namespace {

ExportJob diagramJob(const LayoutContext& context, const QString& timeText) {
    auto data = std::make_shared<plot::LayoutFigureData>(context.reading->figure);
    data->colours = context.colours;
    data->caption = context.coloursCaption.toStdString();
    if (context.showsValuesAtCursor())
        data->caption
            = QStringLiteral("%1 at %2 after the run's begin, on the scale of the whole run.")
                  .arg(QString::fromStdString(context.colours.scale.title), timeText)
                  .toStdString();
    data->query.rank = context.rank;
    return exportJobOf(Views::keyOf(Views::Layout), figures::layoutFigure(data));
}

} // namespace

QStringList layoutFigures(const LayoutContext& context, const LayoutSchedule& schedule) {
    QStringList titles{QStringLiteral("Diagrams")};
    if (!schedule.data().isEmpty())
        titles.append(QStringLiteral("Pipeline schedule"));
    if (!context.placement.isEmpty())
        titles.append(QStringLiteral("Placement"));
    return titles;
}

ExportJob layoutJob(const LayoutContext& context, const LayoutSchedule& schedule, int figure,
    const QString& timeText) {
    if (!context.reading)
        return {};
    const QString title = layoutFigures(context, schedule).value(figure);
    const QString name = Views::keyOf(Views::Layout);
    if (title == QStringLiteral("Pipeline schedule"))
        return exportJobOf(name + QStringLiteral("-schedule"),
            figures::scheduleFigure(std::make_shared<const plot::ScheduleFigureData>(
                schedule.part(context.settings.wholeStep))));
    if (title == QStringLiteral("Placement"))
        return exportJobOf(name + QStringLiteral("-placement"),
            figures::placementFigure(
                std::make_shared<const plot::PlacementFigureData>(context.placement)));
    return diagramJob(context, timeText);
}

} // namespace trainscope::app
