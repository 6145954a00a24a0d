// Growth of the shown runs while a recorder adds to them.
#include "app/viewmodels/timeline/TimelineController.h"

#include <algorithm>

namespace trainscope::app {

namespace {

constexpr int kGrowthsOfOverlays = 10;

bool hasEnded(const TimelineCatalogue& before, const TimelineCatalogue& now) {
    return !std::equal(before.runs.begin(), before.runs.end(), now.runs.begin(), now.runs.end(),
        [](const Run& a, const Run& b) { return a.status == b.status; });
}

} // namespace

void TimelineController::readGrowth() {
    if (!isReady() || m_isOpening)
        return;
    m_growthTask.ask(
        m_context.readers(),
        [shown = runsToDraw()](const store::Store& store, const TaskStage<CataloguePtr>& stage) {
            return loadCatalogue(store, shown, stage.cancelCheck());
        },
        [this](const Result<CataloguePtr>& catalogue) {
            if (catalogue.hasValue())
                takeGrowth(catalogue.value());
            else
                fail(catalogue.error());
        });
}

// Lanes, marks and selection stay; the window follows or stays.
void TimelineController::takeGrowth(const CataloguePtr& catalogue) {
    auto& context = m_context;
    if (!isReady() || m_isOpening || catalogue->uuid != context.catalogue->uuid)
        return;
    const bool isLast = hasEnded(*context.catalogue, *catalogue);
    context.catalogue = catalogue;
    context.runs = alignedRuns(runsToDraw(), *catalogue, m_alignment.alignment());
    m_loader.invalidate();
    m_navigation.grow(viewLimits(context.runs, *catalogue));
    m_search.setScope(context.readers(), catalogue, context.runs);
    // Overlays are computed from all of a run.
    if (++m_growths >= kGrowthsOfOverlays || isLast) {
        m_growths = 0;
        m_overlays.forget();
        m_overlays.setRuns(context.readers(), catalogue->runs);
    }
    Q_EMIT catalogueChanged();
}

} // namespace trainscope::app
