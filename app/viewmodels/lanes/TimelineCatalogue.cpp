#include "app/viewmodels/lanes/TimelineCatalogue.h"
#include "core/model/Try.h"

#include <algorithm>
#include <utility>

namespace trainscope::app {

const Iteration* RunFacts::findIteration(std::int64_t index) const {
    const auto found = std::ranges::find(iterations, index, &Iteration::index);
    return found == iterations.end() ? nullptr : &*found;
}

bool RunFacts::isBetweenCaptures(int rank, TimeNs time) const {
    bool isCaptured = false;
    for (const Capture& one : captures) {
        if (one.rank != rank)
            continue;
        // The end is the last moment of what was recorded.
        if (one.range.begin <= time && time <= one.range.end)
            return false;
        isCaptured = true;
    }
    return isCaptured;
}

RunFacts TimelineCatalogue::facts(std::size_t run) const {
    const auto& of = tables.runs[run];
    return {runs[run], of.gpus, of.series, of.tracks, of.iterations, of.captures};
}

Result<CataloguePtr> loadCatalogue(const store::Store& store,
    const std::vector<plot::ShownRun>& shown, const std::function<bool()>& isCancelled) {
    auto catalogue = std::make_shared<TimelineCatalogue>();
    catalogue->uuid = store.uuid();
    ASSIGN_OR_RETURN(auto runs, store.runs());
    for (const auto& wanted : shown) {
        const auto run = std::ranges::find(runs, wanted.id, &Run::id);
        if (run == runs.end())
            return Error{ErrorCode::NotFound,
                "The run is no longer in the database; open it again.", wanted.name};
        catalogue->runs.push_back(*run);
    }
    if (isCancelled())
        return cancelled();
    ASSIGN_OR_RETURN(auto tables, figures::readCatalogue(store, shown));
    catalogue->tables = std::move(tables);
    catalogue->defaults = figures::defaultArrangement(catalogue->tables);
    catalogue->choices = figures::laneChoices(catalogue->tables);
    catalogue->missing = figures::missingLanes(catalogue->tables);
    catalogue->presets = figures::lanePresets(catalogue->tables);
    return CataloguePtr(std::move(catalogue));
}

} // namespace trainscope::app
