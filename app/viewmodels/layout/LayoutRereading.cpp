// Reads parts of the shown run again, while its diagrams stay: its colours, its schedule, and the
// additions of a recorder.
#include "app/viewmodels/layout/LayoutController.h"

#include "core/figures/layout/LayoutFigure.h"

#include <utility>

namespace trainscope::app {

void LayoutController::readColours() {
    m_areColoursWanted = true;
    if (!m_context.run || !isActive())
        return;
    m_moment.setShown(isMoving());
    m_moment.setMetric(m_context.settings.metric);
    read<figures::ColouredRanks>(
        QStringLiteral("Colours"),
        [run = *m_context.run, query = colourQuery()](
            const store::Store& store, const Progress& progress) {
            return figures::colourRanks({store, run, progress}, query);
        },
        [this, settings = m_context.settings](figures::ColouredRanks coloured) {
            takeColours(std::move(coloured), settings);
            Q_EMIT stateChanged();
            Q_EMIT m_diagrams.changed();
            m_moment.show();
            load();
        });
}

// `settings`: what they were read for.
void LayoutController::takeColours(
    figures::ColouredRanks coloured, const LayoutSettings& settings) {
    m_areColoursWanted = false;
    m_context.colours = std::move(coloured.colours);
    // Groups that the run does not have were asked for before that was known.
    if (settings.by != plot::RankColour::Value)
        m_context.colours.by = settings.by;
    m_context.coloursCaption = QString::fromStdString(coloured.caption);
    m_context.momentMetric = settings.isAtCursor() ? settings.metric : std::string();
}

void LayoutController::readSchedule() {
    m_isScheduleWanted = true;
    if (!m_context.run || !isReady() || !isActive())
        return;
    read<plot::ScheduleFigureData>(
        QStringLiteral("Schedule"),
        [query = m_schedule.queryOf(m_context.run->id, m_context.reading->hasTraces)](
            const store::Store& store, const Progress& progress) {
            return figures::loadSchedule(store, query, progress);
        },
        [this](plot::ScheduleFigureData data) {
            m_isScheduleWanted = false;
            m_schedule.setData(std::move(data));
            Q_EMIT stateChanged();
            Q_EMIT m_diagrams.changed();
            load();
        });
}

void LayoutController::readGrowth() {
    chooseRun();
    if (!m_context.run || !isReady() || m_moment.playback().isPlaying())
        return;
    m_moment.setRun(m_context.run);
    m_moment.setMetric(m_context.settings.metric);
    readQuietly<figures::ColouredRanks>(
        [run = *m_context.run, query = colourQuery()](
            const store::Store& store, const Progress& progress) {
            return figures::colourRanks({store, run, progress}, query);
        },
        [this, id = m_context.run->id, settings = m_context.settings](
            figures::ColouredRanks coloured) {
            if (!m_context.run || m_context.run->id != id || m_context.settings != settings)
                return;
            takeColours(std::move(coloured), settings);
            m_diagrams.recolour();
            m_hover.refresh();
            m_selection.refresh();
            m_moment.show();
            Q_EMIT stateChanged();
        });
}

} // namespace trainscope::app
