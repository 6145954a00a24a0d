#pragma once
// What `summary --detail` adds to a run, in the shape of design section 8, and the same as text.

#include "app/cli/Json.h"
#include "core/analysis/telemetry/RunDetail.h"

#include <iosfwd>

namespace trainscope::cli {

// Into the object that summaryJson() made. Keys that the data cannot give are absent.
void addDetail(Json& run, const analysis::RunDetail& detail);

void printDetail(const analysis::RunDetail& detail, std::ostream& out);

} // namespace trainscope::cli
