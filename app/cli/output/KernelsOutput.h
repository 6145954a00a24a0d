#pragma once
// Output of `kernels`, as JSON and as text.

#include "app/cli/text/Json.h"
#include "core/analysis/energy/EnergyByPhase.h"
#include "core/analysis/traces/DeviceActivity.h"
#include "core/analysis/traces/EarlyWork.h"
#include "core/analysis/traces/Pipeline.h"
#include "core/analysis/traces/TraceBreakdown.h"
#include "core/model/Run.h"

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace trainscope::cli {

struct KernelsReport {
    Run run;
    std::string windowText; // names the part behind the figures; empty: all of the trace
    std::vector<analysis::DeviceBreakdown> devices;
    std::vector<analysis::DeviceActivity> activities; // in the order of `devices`
    std::optional<analysis::Pipeline> pipeline;
    analysis::EnergyByPhase energy; // by kernel too
    std::optional<analysis::EarlyWork> early; // left out of the figures
};

Json kernelsJson(const KernelsReport& report);

void printKernels(const KernelsReport& report, std::ostream& out);

} // namespace trainscope::cli
