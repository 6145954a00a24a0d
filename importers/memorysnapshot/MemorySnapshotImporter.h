#pragma once
// Memory snapshots of PyTorch (SnapshotReader.h), one per process, as sources: bytes allocated and
// reserved by each device over time, and a record of what lived at the peak and of each request
// that could not be served (core/analysis/machine/AllocatorMemory.h). Clock: the host's, unix
// microseconds; before torch 2.2 events have no times and stand in their order.

#include "importers/common/Importer.h"

namespace trainscope::importers::memorysnapshot {

const Importer& importer();

} // namespace trainscope::importers::memorysnapshot
