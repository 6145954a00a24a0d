#pragma once
// The section of a report that sets runs side by side.

#include "core/report/Report.h"

namespace trainscope::report {

// The first of its runs is the base.
Result<Comparison> comparisonSection(
    const analysis::RunStudies& studies, const figures::ComparisonBoard& board);

} // namespace trainscope::report
