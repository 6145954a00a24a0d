#pragma once
// The page of an overview: what the run is, a row for each sentence with its picture and the place
// that proves it, and below what was checked and what could not be. Pure.

#include "core/analysis/overview/Overview.h"
#include "core/plot/Picture.h"

namespace trainscope::plot {

// A metric over the run: the lowest and highest reading of each column and the mean of its GPUs; of
// more than twelve GPUs where nine of ten lie, and their median (LineBand.h). NaN: none.
struct OverviewCurve {
    std::string metric; // empty: there is no curve
    std::string unit; // SI
    std::vector<double> low;
    std::vector<double> high;
    std::vector<double> mean;
    std::optional<double> limit;
};

struct OverviewFigureData {
    analysis::Overview overview;
    std::vector<OverviewCurve> curves; // by sentence
    std::string emptyText; // says which data is missing; empty: there is something to tell
    bool isUnfolded = false; // the checks that could not be made are listed

    [[nodiscard]] bool isEmpty() const { return !emptyText.empty(); }
};

// A row per number of each sentence, and per check that was not made; SI.
std::string overviewCsv(const OverviewFigureData& data);

// Targets are the sentences, then the checks, then those that could not be made; their place among
// these is the choice.
Picture buildOverview(const OverviewFigureData& data, const FigureStyle& style);

} // namespace trainscope::plot
