#pragma once
// Databases of AMD's rocmProfileData (.rpd, schemas 1 to 3): calls, the operations of the GPUs that
// they caused, and what the tracer read of the GPUs meanwhile, as telemetry. Each process that uses
// a GPU is a rank, in the order of their GPUs.

#include "importers/common/Importer.h"
#include "importers/sqlite/ForeignDatabase.h"
#include "importers/trace/RunGrouping.h"

namespace trainscope::importers::rocprof {

bool isRpd(const ForeignDatabase& database);

TraceFacts factsOfRpd(const SourceTree& tree, const SourceFile& file);

Result<ImportReport> importRpd(
    const SourceTree& tree, const ImportUnit& unit, Sink& sink, const Progress& progress);

} // namespace trainscope::importers::rocprof
