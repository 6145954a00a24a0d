#pragma once
// PyTorch Kineto traces (torch.profiler): Chrome trace JSON, plain or compressed, one file per
// rank. Clock: ts and dur are µs, whatever displayTimeUnit says; wall time is baseTimeNanoseconds +
// ts where the trace has that member, else ts itself. Times are read as decimal text, exact to the
// nanosecond. Memory: a few pieces of text of 1 MiB for each thread with what their parsers
// remember, up to TraceOutput::kMaxHeld spans held back until the base time is known, and a bounded
// cache of names. Format as in libkineto's output_json.cpp; categories
// in EventKinds.cpp.

#include "importers/common/Importer.h"

namespace trainscope::importers::kineto {

const Importer& importer();

} // namespace trainscope::importers::kineto
