#pragma once
// Traces of AMD's rocprofv3: its SQLite databases (rocpd, schema 3) and its CSV tables
// (kernel_trace, hip_api_trace, memory_copy_trace, marker_api_trace, rccl_api_trace, agent_info),
// and the results.csv of the older rocprof. Clock: ns since the machine started, of which nobody
// says when that was; ranks of one machine share it.

#include "importers/common/Importer.h"

namespace trainscope::importers::rocprof {

const Importer& importer();

} // namespace trainscope::importers::rocprof
