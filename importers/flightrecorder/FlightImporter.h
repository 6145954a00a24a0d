#pragma once
// Dumps of PyTorch's flight recorder, one per rank, as sources: each collective is a
// span from its start (its scheduling where it never started) to its end, on a track per process
// group. Open ones reach to the last time in the dump. Clock: the host's, unix
// nanoseconds.

#include "importers/common/Importer.h"

namespace trainscope::importers::flightrecorder {

const Importer& importer();

} // namespace trainscope::importers::flightrecorder
