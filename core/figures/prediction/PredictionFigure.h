#pragma once
// Kinds of figures that predict the job of a run as it was launched, or changed, or one by hand.

#include "core/figures/Figure.h"
#include "core/figures/prediction/AskedJob.h"
#include "core/plot/comparison/Comparison.h"
#include "core/plot/prediction/PredictionFigure.h"
#include "core/predict/search/WhatIf.h"

namespace trainscope::figures {

// Absent where nothing tells the iterations of the run. Any thread that owns the store.
Result<std::optional<plot::MeasuredStep>> measuredStepOf(const analysis::RunStudy& study);

// The asked job's prediction beside that of the run as it was launched and what was measured of it;
// `job` is known also where it cannot be predicted. Errors are those of askedJobOf() and jobOf().
Result<plot::PredictionFigureData> askedBoard(
    const analysis::RunStudies& studies, const Request& request, AskedJob& job);

// Draws predictions that have been made; panels without data are left out.
Figure predictionFigure(const std::shared_ptr<const plot::PredictionFigureData>& data,
    std::vector<plot::PredictionPanel> panels);

// Two clusters that need not exist, as a comparison of the best layout on each. Pure; any thread.
plot::ComparisonData scaleData(const predict::ScaleComparison& comparison);

std::vector<Kind> predictionKinds();

} // namespace trainscope::figures
