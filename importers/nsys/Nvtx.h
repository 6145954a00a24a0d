#pragma once
// The table NVTX_EVENTS: ranges become annotations of their threads, and are kept for projecting
// them; domains are told beside them; NCCL's ranges give the facts of collectives; ranges that name
// iterations mark these.

#include "importers/nsys/Payload.h"
#include "importers/trace/HostRanges.h"
#include "importers/trace/IterationNames.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace trainscope::importers::nsys {

struct NvtxFindings {
    HostRanges ranges;
    IterationMarks iterations;
    std::map<std::int64_t, Communicators> communicators; // by process
    bool hasPayloads = false; // of NCCL
};

Status readNvtx(Session& session, NvtxFindings& findings);

} // namespace trainscope::importers::nsys
