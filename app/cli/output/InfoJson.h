#pragma once
// What `info --json` says about the runs and sources of a database.

#include "app/cli/text/Json.h"
#include "core/store/Store.h"

namespace trainscope::cli {

Json launchJson(const LaunchConfig& launch); // only what is known
Result<Json> runInfoJson(const store::Store& store, const Run& run);
Json sourceJson(const store::Source& source, const std::vector<Run>& runs);

} // namespace trainscope::cli
