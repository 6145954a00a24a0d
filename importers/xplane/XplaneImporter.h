#pragma once
// Profiles of JAX, TensorFlow and PyTorch/XLA (Xspace.h) as traces, a file per host: each device is
// a rank. On GPUs streams are streams; on TPUs the line of XLA's operators is one, and that of
// asynchronous ones another. Operators that hold others (loops) are annotations. FLOP and bytes
// that operators state go with them (core/work/StatedWork.h). Clock: UTC, where the file says when
// it began.

#include "importers/common/Importer.h"

namespace trainscope::importers::xplane {

const Importer& importer();

} // namespace trainscope::importers::xplane
