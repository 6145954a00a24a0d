#pragma once
// Traces of a run as CSV: kernels.csv, spans.csv and iterations.csv, see RunExport.h.

#include "core/model/Result.h"
#include "core/model/Run.h"
#include "core/store/Store.h"

#include <filesystem>
#include <functional>
#include <string_view>
#include <vector>

namespace trainscope::cli {

// The files written; none where the run has neither tracks nor iterations.
Result<std::vector<std::filesystem::path>> exportTraced(const store::Store& store, const Run& run,
    const std::filesystem::path& folder,
    const std::function<bool(std::string_view phase)>& keepGoing);

} // namespace trainscope::cli
