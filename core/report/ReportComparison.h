#pragma once
// The section of a report that sets runs side by side.

#include "core/report/Report.h"

namespace trainscope::report {

// The first of its runs is the base.
Result<Comparison> comparisonSection(
    const store::Store& store, const figures::ComparisonBoard& board, const Progress& progress);

} // namespace trainscope::report
