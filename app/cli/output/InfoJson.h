#pragma once
// JSON of `info --json`: the runs and sources of a database.

#include "app/cli/text/Json.h"
#include "core/store/Store.h"

namespace trainscope::cli {

Json launchJson(const LaunchConfig& launch); // only what is known
Result<Json> runInfoJson(const store::Store& store, const Run& run);
Json sourceJson(const store::Source& source, const std::vector<Run>& runs);

} // namespace trainscope::cli
