#pragma once
// The table NVTX_EVENTS: ranges become annotations of their threads, and are kept for projecting
// them; domains are told beside them; NCCL's ranges give the facts of collectives; ranges that name
// iterations mark these.

#include "importers/nsys/Payload.h"

namespace trainscope::importers::nsys {

Status readNvtx(Session& session);

} // namespace trainscope::importers::nsys
