#include "app/viewmodels/layout/LayoutExport.h"

#include "app/painting/LayoutDrawing.h"
#include "app/painting/WriteFile.h"
#include "app/viewmodels/workspace/Views.h"

#include <QCoreApplication>

namespace trainscope::app {
namespace {

QString say(const char* text) {
    return QCoreApplication::translate("LayoutExport", text);
}

ExportJob jobOf(const QString& suffix, const std::string& title, const StyledScene& build,
    const std::string& csv) {
    ExportJob job;
    job.name = Views::keyOf(Views::Layout) + suffix;
    job.drawing
        = [title, build](const QString& path, const FigureOptions& options,
              const std::function<bool()>&) { return exportScene(title, build, path, options); };
    job.numbers = [csv](const QString& path, const std::function<bool()>&) {
        return writeFile(path, QByteArray::fromStdString(csv));
    };
    return job;
}

ExportJob diagramJob(const LayoutContext& context, const QString& timeText) {
    auto data = std::make_shared<plot::LayoutFigureData>(context.reading->figure);
    data->colours = context.colours;
    data->caption = context.coloursCaption.toStdString();
    if (context.showsValuesAtCursor())
        data->caption = say("%1 at %2 after the run's begin, on the scale of the whole run.")
                            .arg(QString::fromStdString(context.colours.scale.title), timeText)
                            .toStdString();
    data->query.rank = context.rank;
    ExportJob job;
    job.name = Views::keyOf(Views::Layout);
    job.drawing = [data](const QString& path, const FigureOptions& options,
                      const std::function<bool()>&) { return exportLayout(*data, path, options); };
    job.numbers = [data](const QString& path, const std::function<bool()>&) {
        return writeFile(path, QByteArray::fromStdString(plot::layoutCsv(*data)));
    };
    return job;
}

} // namespace

QStringList layoutFigures(const LayoutContext& context, const LayoutSchedule& schedule) {
    QStringList titles{say("Diagrams")};
    if (!schedule.data().isEmpty())
        titles.append(say("Pipeline schedule"));
    if (!context.placement.isEmpty())
        titles.append(say("Placement"));
    return titles;
}

ExportJob layoutJob(const LayoutContext& context, const LayoutSchedule& schedule, int figure,
    const QString& timeText) {
    if (!context.reading)
        return {};
    const QString title = layoutFigures(context, schedule).value(figure);
    if (title == say("Pipeline schedule")) {
        const auto shown = schedule.part(context.settings.wholeStep);
        return jobOf(
            QStringLiteral("-schedule"), shown.title,
            [shown](const plot::FigureStyle& style) {
                return plot::buildScheduleFigure(shown, style).scene;
            },
            plot::scheduleCsv(shown));
    }
    if (title == say("Placement"))
        return jobOf(
            QStringLiteral("-placement"), context.placement.title,
            [data = context.placement](const plot::FigureStyle& style) {
                return plot::buildPlacementFigure(data, style).scene;
            },
            plot::placementCsv(context.placement));
    return diagramJob(context, timeText);
}

} // namespace trainscope::app
