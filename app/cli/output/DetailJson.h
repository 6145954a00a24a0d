#pragma once
// What `summary --detail` adds to a run, in the shape of design section 8.

#include "app/cli/text/Json.h"
#include "core/analysis/iterations/RunDetail.h"

namespace trainscope::cli {

// Into the object that summaryJson() made. Keys that the data cannot give are absent.
void addDetail(Json& run, const analysis::RunDetail& detail);

Json sensorsJson(const std::vector<analysis::Sensor>& sensors);

} // namespace trainscope::cli
