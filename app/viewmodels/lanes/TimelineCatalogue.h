#pragma once
// Catalogue of the shown runs, known before any samples are read: their GPUs, series, tracks and
// iterations, and the lanes that can be drawn. Read once per set of runs.

#include "core/figures/timeline/TimelineLoad.h"
#include "core/model/Run.h"
#include "core/plot/timeline/Timeline.h"
#include "core/store/Store.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace trainscope::app {

// One run of a catalogue; valid as long as that.
struct RunFacts {
    const Run& run;
    const std::vector<Gpu>& gpus;
    const std::vector<Series>& series;
    const std::vector<Track>& tracks;
    const std::vector<Iteration>& iterations; // in order of time
    const std::vector<Capture>& captures; // captures of its ranks; empty: the whole run was traced

    // Between captures of the rank, before or behind them; on its own clock.
    [[nodiscard]] bool isBetweenCaptures(int rank, TimeNs time) const;
    [[nodiscard]] const Iteration* findIteration(std::int64_t index) const;
};

struct TimelineCatalogue {
    std::string uuid; // the database's
    std::vector<Run> runs; // in the order of the shown runs
    plot::Catalogue tables; // in the same order
    plot::Arrangement defaults;
    std::vector<plot::LaneChoice> choices;
    std::vector<plot::LaneChoice> missing; // lanes that none of the runs has
    std::vector<figures::LanePreset> presets;

    [[nodiscard]] RunFacts facts(std::size_t run) const;
};
using CataloguePtr = std::shared_ptr<const TimelineCatalogue>;

Result<CataloguePtr> loadCatalogue(const store::Store& store,
    const std::vector<plot::ShownRun>& shown, const std::function<bool()>& isCancelled);

} // namespace trainscope::app
