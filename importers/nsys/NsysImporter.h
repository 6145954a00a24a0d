#pragma once
// Reports of NVIDIA Nsight Systems as `nsys export --type sqlite` writes them, of every schema from
// 1 to 3: which tables and columns are there is asked of the file. Clock: times are ns since the
// start of the session, which TARGET_INFO_SESSION_START_TIME gives in UTC; without it they count
// from an unknown moment. Every process that used a GPU is a rank. Tables are read row by row,
// once; memory is bounded by the limits in HostRanges.h and by what TraceOutput holds back.

#include "importers/common/Importer.h"

namespace trainscope::importers::nsys {

const Importer& importer();

} // namespace trainscope::importers::nsys
