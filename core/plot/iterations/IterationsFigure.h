#pragma once
// The iterations of a run over the run and how often each time occurs, with the changes for good,
// and below the parts by which a chosen one differs from another or from the median. Pure.

#include "core/analysis/steps/IterationTable.h"
#include "core/plot/Sheet.h"

namespace trainscope::plot {

struct IterationsFigureData : SheetTexts {
    std::shared_ptr<const analysis::IterationTable> table;
    std::optional<std::size_t> chosen; // rows of it
    std::optional<std::size_t> against;
    std::optional<analysis::IterationComparison> comparison; // by choose()
};
// Chooses rows, and compares them.
void choose(
    IterationsFigureData& data, std::optional<std::size_t> row, std::optional<std::size_t> against);

// Targets are columns of the strip, each of which offers its slowest row.
Picture buildIterations(const IterationsFigureData& data, const FigureStyle& style);

} // namespace trainscope::plot
