#pragma once
// The colours of the cells of a run's ranks, read from its database: what group they are in, a
// statistic of a metric, or a metric at a moment. One scale for both diagrams.

#include "core/analysis/cluster/RankValues.h"
#include "core/model/Metric.h"
#include "core/plot/layout/RankDiagram.h"

#include <optional>
#include <string>

namespace trainscope::plot {

struct ColourQuery {
    RankColour by = RankColour::Pipeline;
    // With Value:
    std::string metric = metric::kGpuTemperature;
    std::optional<FigureStatistic> statistic; // absent: the metric's usual one
    std::optional<TimeNs> at; // the value at that moment instead of a statistic
    bool wholeRun = false; // else warm-up and unsettled time are left out where they are known

    bool operator==(const ColourQuery&) const = default;
};

struct ColouredRanks {
    RankColours colours;
    std::string caption; // which part of the run the values speak of
};

// Values at a moment are on the scale of the whole run, so that a film of them keeps its colours;
// statistics on that of their own values. NotFound for metrics that the GPUs do not have.
Result<ColouredRanks> colourRanks(const store::Store& store, const Run& run,
    const ColourQuery& query, const Progress& progress = {});

// The scale of a metric's values at any moment of the run, for playback. NotFound where every
// sample is missing.
Result<FigureAxis> momentScale(const store::Store& store, const analysis::RankSeries& series);

} // namespace trainscope::plot
