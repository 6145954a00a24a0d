#pragma once
// Chosen runs side by side, the board or its parts, as kinds of figures.

#include "core/figures/Figure.h"
#include "core/figures/runs/FigureRuns.h"
#include "core/plot/comparison/Comparison.h"

namespace trainscope::figures {

std::vector<Kind> comparisonKinds();
// Those of their options that the window has as well: "statistic", "per" and "sort".
const Options<plot::ComparisonQuery>& comparedOptions();

// Draws data that has been read; the figure has no sources.
Figure comparisonFigure(
    const std::shared_ptr<const plot::ComparisonData>& data, plot::BoardChoice choice);

// Runs side by side, read into plain values; each part in a file of its own.

// Reads what the query asks for. `before`: parts of it that the same question gave are taken over.
// Nothing to draw is no error (see emptyText); unknown runs and metrics are. Any thread that owns
// the store; cancelled by progress.
Result<plot::ComparisonData> loadComparison(const analysis::RunStudies& studies,
    const plot::ComparisonQuery& query, const plot::ComparisonData* before = nullptr);

struct ComparisonContext {
    const analysis::RunStudies& studies;
    const plot::ComparisonQuery& query; // with the runs in the order in which they are shown
    const std::vector<std::shared_ptr<const analysis::RunMeasures>>& measured; // by run

    [[nodiscard]] bool isCancelled(std::string_view phase) const {
        return studies.progress && !studies.progress({phase, 0, 0});
    }
};

// From what was measured; no reading.
void addVerdict(plot::ComparisonData& data); // pairs, or each run and the first; needs quantities
void addQuantities(plot::ComparisonData& data); // with its query
void addStacks(const ComparisonContext& context, plot::ComparisonData& data,
    std::vector<plot::RunsNote>& notes);
void addKernels(const ComparisonContext& context, plot::ComparisonData& data);
Status addCurves(const ComparisonContext& context, plot::ComparisonData& data);

} // namespace trainscope::figures
