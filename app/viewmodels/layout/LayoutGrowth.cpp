// What a recorder adds to the run that is shown.
#include "app/viewmodels/layout/LayoutController.h"

#include "core/figures/layout/RankColouring.h"

#include <utility>

namespace trainscope::app {

// Colours of a moment are read with the cursor, which gets more room.
void LayoutController::readGrowth() {
    chooseRun();
    if (!m_context.run || !isReady() || m_moment.playback().isPlaying())
        return;
    m_moment.setRun(m_context.run);
    m_moment.setMetric(m_context.settings.metric);
    if (m_context.showsValuesAtCursor())
        return;
    readQuietly<figures::ColouredRanks>(
        [run = *m_context.run, query = colourQuery()](const store::Store& store,
            const Progress& progress) { return figures::colourRanks(store, run, query, progress); },
        [this, id = m_context.run->id, settings = m_context.settings](
            figures::ColouredRanks coloured) {
            if (!m_context.run || m_context.run->id != id || m_context.settings != settings)
                return;
            m_context.colours = std::move(coloured.colours);
            m_context.coloursCaption = QString::fromStdString(coloured.caption);
            m_diagrams.recolour();
            m_hover.refresh();
            m_selection.refresh();
            Q_EMIT stateChanged();
        });
}

} // namespace trainscope::app
