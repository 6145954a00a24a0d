#pragma once
// `compare`: as JSON the quantities with their spread, the reasons and what is configured
// differently; for people the verdict with its reasons, then the quantities side by side.

#include "app/cli/text/Json.h"
#include "core/analysis/comparison/Comparison.h"

#include <iosfwd>

namespace trainscope::cli {

// by: also the quantities as divided, under "normalised"; Absolute leaves that out.
Json comparisonJson(const analysis::Comparison& comparison, analysis::Normalisation by);

void printComparison(
    const analysis::Comparison& comparison, analysis::Normalisation by, std::ostream& out);

} // namespace trainscope::cli
