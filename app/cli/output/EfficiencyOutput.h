#pragma once
// The efficiency of a run as summary prints it.

#include "app/cli/text/Json.h"
#include "core/analysis/energy/Efficiency.h"

#include <iosfwd>
#include <string>

namespace trainscope::cli {

// "efficiency": what is known, and "efficiency_missing": why the rest is not.
void addEfficiency(Json& run, const analysis::Efficiency& efficiency);

// As a table; nothing where nothing is known.
void printEfficiency(
    const std::string& run, const analysis::Efficiency& efficiency, std::ostream& out);

} // namespace trainscope::cli
