#pragma once
// The SQLite database of rocprofv3 (rocpd, schema 3): tables whose names end in the number of the
// recording, several where databases were put together, each of which is read on its own.

#include "importers/common/Importer.h"
#include "importers/sqlite/ForeignDatabase.h"
#include "importers/trace/RunGrouping.h"

namespace trainscope::importers::rocprof {

bool isRocpd(const ForeignDatabase& database);

TraceFacts factsOfRocpd(const SourceTree& tree, const SourceFile& file);

Result<ImportReport> importRocpd(
    const SourceTree& tree, const ImportUnit& unit, Sink& sink, const Progress& progress);

} // namespace trainscope::importers::rocprof
