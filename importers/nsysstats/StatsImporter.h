#pragma once
// Tables of `nsys stats --format csv`: cuda_gpu_trace (kernels, copies and memory sets), and beside
// it cuda_api_trace (calls) and nvtx_pushpop_trace (ranges). Units stand in the header. Clock:
// times count from the start of the session, which the tables do not say; names are short, sizes
// rounded.

#include "importers/common/Importer.h"

namespace trainscope::importers::nsysstats {

const Importer& importer();

} // namespace trainscope::importers::nsysstats
