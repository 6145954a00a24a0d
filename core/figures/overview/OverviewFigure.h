#pragma once
// The overview of a run as a figure: its sentences with their pictures, and what was checked.

#include "core/figures/Figure.h"
#include "core/plot/overview/OverviewFigure.h"

namespace trainscope::figures {

std::vector<Kind> overviewKinds();

// Any thread that owns the store; reads everything that is recorded of the run. Cancelled by
// progress; NotFound for a run that was removed.
Result<plot::OverviewFigureData> loadOverview(const analysis::RunStudies& studies, RunId run);
// The part of it that is read first of a run with more samples than `few` (firstSentences()).
Result<std::optional<plot::OverviewFigureData>> loadFirstSentences(
    const analysis::RunStudies& studies, RunId run, std::int64_t few = analysis::kManySamples);

// Draws data that has been read; the figure has no sources.
Figure overviewFigure(const std::shared_ptr<const plot::OverviewFigureData>& data);

} // namespace trainscope::figures
