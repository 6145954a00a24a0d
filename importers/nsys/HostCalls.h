#pragma once
// Reads calls of threads: those of the CUDA runtime and driver, of cuDNN, cuBLAS and the operating
// system, and the profiler's own overhead, each on the track of its thread.

#include "importers/nsys/Session.h"
#include "importers/trace/HostRanges.h"

namespace trainscope::importers::nsys {

// Names of threads, for tracks that are not yet written.
Status readThreadNames(Session& session);

// CUDA's calls tell `ranges` what was launched when.
Status readCudaCalls(Session& session, HostRanges& ranges);

Status readOtherCalls(Session& session);

} // namespace trainscope::importers::nsys
