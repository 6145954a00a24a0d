#pragma once
// The recording of a real GPU that is the sample's third run (resources/recording/README.md).

#include "core/model/Result.h"

#include <filesystem>

namespace trainscope::app {

inline constexpr const char* kRecordedRun = "pytorch gpt-255m 1xH100";

// Imports the recording's folder into the database. Sources are named by their place in the
// project, so that the same files make the same bytes wherever they lie.
Status addRecording(const std::filesystem::path& database, const std::filesystem::path& folder);

} // namespace trainscope::app
