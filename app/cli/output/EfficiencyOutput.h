#pragma once
// The efficiency of a run as summary prints it.

#include "app/cli/text/Json.h"
#include "core/analysis/energy/Efficiency.h"

#include <iosfwd>

namespace trainscope::cli {

// "efficiency": what is known, and "efficiency_missing": why the rest is not.
void addEfficiency(Json& run, const analysis::Efficiency& efficiency);

// One paragraph; nothing where neither a step time nor a model is known.
void printEfficiency(const analysis::Efficiency& efficiency, std::ostream& out);

} // namespace trainscope::cli
