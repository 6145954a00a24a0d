#pragma once
// `compare --json`: design section 8, with the spread, the reasons and what is configured
// differently beside it.

#include "app/cli/text/Json.h"
#include "core/analysis/comparison/Comparison.h"

namespace trainscope::cli {

// by: also the quantities as divided, under "normalised"; Absolute leaves that out.
Json comparisonJson(const analysis::Comparison& comparison, analysis::Normalisation by);

} // namespace trainscope::cli
