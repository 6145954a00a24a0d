#pragma once
// The built-in sample: a simulated GPT-3 175B job on 32 H200 (4×8) and on 64 H100 (8×8), two
// minutes of telemetry at 10 Hz with iterations, power bursts, a front-to-rear temperature gradient
// and throttling, and a kernel trace of a whole iteration of a few ranks. Made by a deterministic
// generator, marked as simulated in the run table. The program's sample has a recorded run besides
// (Recording.h).

#include "core/model/Result.h"

#include <filesystem>

namespace trainscope::app {

// The place of the sample, ../share/trainscope beside the program. NotFound names it.
Result<std::filesystem::path> sampleDatabase();

// Writes the simulated runs into a new database; the same bytes of data every time.
Status writeSample(const std::filesystem::path& database);

} // namespace trainscope::app
