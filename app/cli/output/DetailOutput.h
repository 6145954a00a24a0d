#pragma once
// Tables that `summary --detail` adds to a run, as JSON and for people.

#include "app/cli/text/Rows.h"
#include "core/analysis/iterations/RunDetail.h"

#include <iosfwd>

namespace trainscope::cli {

// Into the object that summaryJson() made. Keys that the data cannot give are absent.
void addDetail(Json& run, const analysis::RunDetail& detail);

Json sensorsJson(const std::vector<analysis::Sensor>& sensors);

// summary: of the same run and window.
void printDetail(
    const analysis::RunSummary& summary, const analysis::RunDetail& detail, std::ostream& out);

} // namespace trainscope::cli
