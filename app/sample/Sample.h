#pragma once
// The built-in sample: a simulated GPT-3 175B job on 32 H200 (4×8) and on 64 H100 (8×8), two
// minutes of telemetry at 10 Hz with iterations, power bursts, a front-to-rear temperature gradient
// and throttling, and a kernel trace of a whole iteration of a few ranks. Made by a deterministic
// generator, marked as simulated in the run table. The program's sample has a recorded run besides.

#include "core/model/Result.h"

#include <filesystem>

namespace trainscope::app {

// The place of the sample, ../share/trainscope beside the program. NotFound names it.
Result<std::filesystem::path> sampleDatabase();

// Writes the simulated runs into a new database; the same bytes of data every time.
Status writeSample(const std::filesystem::path& database);

// The recording of a real GPU that is the sample's third run (resources/recording/README.md).
inline constexpr const char* kRecordedRun = "pytorch gpt-255m 1xH100";

// Imports the recording's folder into the database. Sources are named by their place in the
// project, so that the same files make the same bytes wherever they lie.
Status addRecording(const std::filesystem::path& database, const std::filesystem::path& folder);

} // namespace trainscope::app
