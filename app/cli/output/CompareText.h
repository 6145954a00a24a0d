#pragma once
// `compare` for people: the verdict with its reasons, then the quantities side by side.

#include "core/analysis/comparison/Comparison.h"

#include <iosfwd>

namespace trainscope::cli {

void printComparison(
    const analysis::Comparison& comparison, analysis::Normalisation by, std::ostream& out);

} // namespace trainscope::cli
