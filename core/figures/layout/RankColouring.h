#pragma once
// The colours of the cells of a run's ranks, read from its database: what group they are in, a
// statistic of a metric, or a metric at a moment. One scale for both diagrams.

#include "core/analysis/RunStudy.h"
#include "core/analysis/cluster/RankValues.h"
#include "core/figures/runs/RunFigures.h"
#include "core/plot/layout/LayoutFigure.h"

#include <string>

namespace trainscope::figures {

struct ColouredRanks {
    plot::RankColours colours;
    std::string caption; // names the part of the run behind the values
};

// Values at a moment are on the scale of the whole run, so that a film of them keeps its colours;
// statistics on that of their own values. NotFound for metrics that the GPUs do not have.
Result<ColouredRanks> colourRanks(const analysis::RunStudy& study, const plot::ColourQuery& query);

// The scale of a metric's values at any moment of the run, for playback. NotFound where every
// sample is missing.
Result<plot::FigureAxis> momentScale(const store::Store& store, const analysis::RankSeries& series);

} // namespace trainscope::figures
