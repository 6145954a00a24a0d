#pragma once
// What `summary --detail` adds to a run, as text.

#include "core/analysis/iterations/RunDetail.h"

#include <iosfwd>

namespace trainscope::cli {

// summary: of the same run and window.
void printDetail(
    const analysis::RunSummary& summary, const analysis::RunDetail& detail, std::ostream& out);

} // namespace trainscope::cli
