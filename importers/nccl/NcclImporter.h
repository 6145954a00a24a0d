#pragma once
// Logs of NCCL (NcclLog.h) as sources: the ranks' nodes and devices, communicators as process
// groups, and facts. They have no times and no samples. Proposed as part of the run that lies
// beside them.

#include "importers/common/Importer.h"

namespace trainscope::importers::nccl {

const Importer& importer();
// Records of NCCL's inspector plugin, one JSON object a collective: a rank's collectives as spans.
const Importer& inspectorImporter();

} // namespace trainscope::importers::nccl
