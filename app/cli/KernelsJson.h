#pragma once
// What `kernels` prints, in the shape of design section 8, and the same as text.

#include "app/cli/Json.h"
#include "core/analysis/TraceBreakdown.h"
#include "core/model/Run.h"

#include <iosfwd>
#include <string>
#include <vector>

namespace trainscope::cli {

struct KernelsReport {
    Run run;
    std::string windowText; // what the figures are of; empty: all of the trace
    std::vector<analysis::DeviceBreakdown> devices;
};

Json kernelsJson(const KernelsReport& report);

void printKernels(const KernelsReport& report, std::ostream& out);

} // namespace trainscope::cli
