#pragma once
// The tables of runs side by side, for report and command line. Pure; any thread.

#include "core/analysis/comparison/Comparison.h"
#include "core/analysis/comparison/RunMeasures.h"
#include "core/text/Table.h"

namespace trainscope::report {

// Tables of the compared quantities, of the parts of a step, of these operators, and of
// configuration that differs;
// none is empty. The first run is what the others are compared with; `quantities` by key, all where
// there are none. Few runs stand in columns, many in rows.
std::vector<text::Table> comparisonTables(std::span<const analysis::RunMeasures* const> runs,
    analysis::Normalisation by, const std::vector<std::string>& quantities = {},
    std::span<const analysis::StepOperator> operators = {});

} // namespace trainscope::report
