// Alignment of the shown runs, and of the traces of their ranks.
#include "app/viewmodels/timeline/TimelineController.h"
#include "core/model/Try.h"

#include <utility>

namespace trainscope::app {

// Tasks and the selected span name runs by their places among those that are shown. They lie as
// those before did, so that the window keeps its place over a run that stays the first.
void TimelineController::takeRuns(bool isOther) {
    auto runs = alignedRuns(runsToDraw(), *m_context.catalogue, m_alignment.alignment());
    if (isOther || !m_context.shows(runs)) {
        m_selection.forget();
        m_span.clear();
    }
    for (auto& run : runs) {
        const auto* const before = isOther ? nullptr : findRun(m_context.runs, run.id);
        if (before != nullptr)
            run.origin = before->origin;
    }
    m_context.runs = std::move(runs);
}

void TimelineController::startClocks() {
    using Clocks = std::vector<AlignmentModel::Clocks>;
    m_clockTask.ask(
        m_context.readers(),
        [catalogue = m_context.catalogue](
            const store::Store& store, const TaskStage<Clocks>& stage) -> Result<Clocks> {
            Clocks found;
            for (const Run& run : catalogue->runs) {
                ASSIGN_OR_RETURN(auto clocks, analysis::alignRanks({store, run, stage.progress()}));
                found.push_back(std::make_shared<const analysis::RankClocks>(std::move(clocks)));
            }
            return found;
        },
        [this](const Result<Clocks>& found) {
            if (found.hasValue())
                m_alignment.setClocks(found.value());
            else
                fail(found.error());
        });
}

void TimelineController::applyAlignment() {
    auto& context = m_context;
    if (!context.catalogue || context.runs.empty())
        return;
    // Times of the clock on the axis would be wrong of runs that do not lie by it.
    if (m_navigation.showsClock() && !m_alignment.isOfClock())
        m_navigation.setTimeDisplay(static_cast<int>(plot::TimeDisplay::Relative));
    const bool showedAll = context.window.showsAll();
    const TimeNs before = context.runs.front().origin;
    context.runs
        = alignedRuns(std::move(context.runs), *context.catalogue, m_alignment.alignment());
    // The first run stays where it is on the screen.
    const DurationNs moved = before - context.runs.front().origin;
    const auto along = [moved](const plot::ViewWindow& window) {
        return plot::ViewWindow{window.begin + moved, window.end + moved};
    };
    const plot::ViewWindow window = along(context.window.window());
    context.window.setLimits(viewLimits(context.runs, *context.catalogue));
    context.window.set(window);
    m_navigation.shiftHistory(moved);
    if (showedAll)
        context.window.showAll();
    if (context.selection)
        context.selection = along(*context.selection);
    if (context.cursor)
        context.cursor = *context.cursor + moved;
    m_search.setScope(context.readers(), context.catalogue, context.runs);
    Q_EMIT catalogueChanged();
    m_navigation.moved(ViewChange::Jump);
    m_selection.scheduleStatistics();
    m_span.readAgain();
    m_cursor.probe();
}

} // namespace trainscope::app
