#pragma once
// Time above the power limit, as `summary` and `kernels --above-limit` print it.

#include "app/cli/text/Json.h"
#include "core/analysis/energy/KernelsAboveLimit.h"
#include "core/analysis/telemetry/AboveLimit.h"
#include "core/model/Run.h"
#include "core/report/AboveLimitTables.h"

#include <iosfwd>
#include <vector>

namespace trainscope::cli {

// {"limit_w","limit_source","seconds","share","highest_w","energy_j"}; seconds are GPU-seconds of
// several GPUs, the energy is what they drew in that time.
Json limitShareJson(const analysis::LimitShare& share);
// "above_limit" of a summary's run and of each of its GPUs.
void addAboveLimit(Json& summary, const std::vector<analysis::AboveLimit>& gpus);

Json aboveLimitJson(
    const Run& run, const std::vector<analysis::DeviceAboveLimit>& devices, report::RankedBy by);
void printAboveLimit(const Run& run, const std::vector<analysis::DeviceAboveLimit>& devices,
    report::RankedBy by, std::ostream& out);

} // namespace trainscope::cli
