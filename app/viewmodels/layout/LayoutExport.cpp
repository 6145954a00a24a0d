// The part of LayoutController that reads the schedule anew and writes what is shown to files.
#include "app/viewmodels/layout/LayoutController.h"
#include "core/figures/layout/LayoutFigure.h"

namespace trainscope::app {
// The diagrams stay.
void LayoutController::readSchedule() {
    if (!m_run || !m_reading || !isActive())
        return;
    read<plot::ScheduleFigureData>(
        tr("Schedule"),
        [query = m_schedule.queryOf(m_run->id, m_reading->hasTraces)](const store::Store& store,
            const Progress& progress) { return figures::loadSchedule(store, query, progress); },
        [this](plot::ScheduleFigureData data) {
            m_schedule.setData(std::move(data));
            Q_EMIT stateChanged();
            Q_EMIT geometryChanged();
            load();
        });
}

QStringList LayoutController::figures() const {
    QStringList titles{tr("Diagrams")};
    if (!m_schedule.data().isEmpty())
        titles.append(tr("Pipeline schedule"));
    if (!m_placementData.isEmpty())
        titles.append(tr("Placement"));
    return titles;
}

void LayoutController::setFigure(int figure) {
    if (figure == m_figure)
        return;
    m_figure = figure;
    Q_EMIT settingsChanged();
}

ExportJob LayoutController::exportJob() const {
    if (!m_reading)
        return {};
    const auto titles = figures();
    const QString title = m_figure >= 0 && m_figure < titles.size() ? titles[m_figure] : titles[0];
    const QString name = Views::keyOf(Views::Layout);
    if (title == tr("Pipeline schedule"))
        return exportJobOf(name + QStringLiteral("-schedule"),
            figures::scheduleFigure(std::make_shared<const plot::ScheduleFigureData>(
                m_schedule.part(m_settings.wholeStep))));
    if (title == tr("Placement"))
        return exportJobOf(name + QStringLiteral("-placement"),
            figures::placementFigure(
                std::make_shared<const plot::PlacementFigureData>(m_placementData)));
    return diagramJob();
}

ExportJob LayoutController::diagramJob() const {
    auto data = std::make_shared<plot::LayoutFigureData>(m_reading->figure);
    data->colours = m_colours;
    data->caption = m_coloursCaption.toStdString();
    if (isMoving() && m_colours.by == plot::RankColour::Value)
        data->caption
            = tr("%1 at %2 after the run's begin, on the scale of the whole run.")
                  .arg(QString::fromStdString(m_colours.scale.title), m_playback.timeText())
                  .toStdString();
    data->query.rank = m_rank;
    return exportJobOf(Views::keyOf(Views::Layout), figures::layoutFigure(data));
}

} // namespace trainscope::app
