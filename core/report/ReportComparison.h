#pragma once
// The section of a report that sets two runs side by side.

#include "core/report/Report.h"

namespace trainscope::report {

// Of the settled iterations of both; the first is the base.
Result<Comparison> comparisonSection(
    const store::Store& store, const Run& a, const Run& b, const Progress& progress);

} // namespace trainscope::report
