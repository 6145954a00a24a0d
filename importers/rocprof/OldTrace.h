#pragma once
// Traces of the first rocprof: the SQLite database that it puts together (tables HIP, HSA, rocTX,
// OPS, COPY and KERN), and the JSON for chrome://tracing made of that.

#include "importers/common/Importer.h"
#include "importers/sqlite/ForeignDatabase.h"
#include "importers/trace/RunGrouping.h"

#include <string_view>

namespace trainscope::importers::rocprof {

bool isOldDatabase(const ForeignDatabase& database);
bool isOldJson(std::string_view head);

TraceFacts factsOfOldDatabase(const SourceTree& tree, const SourceFile& file);
TraceFacts factsOfOldJson(const SourceTree& tree, const SourceFile& file);

Result<ImportReport> importOldDatabase(
    const SourceTree& tree, const ImportUnit& unit, Sink& sink, const Progress& progress);
Result<ImportReport> importOldJson(
    const SourceTree& tree, const ImportUnit& unit, Sink& sink, const Progress& progress);

} // namespace trainscope::importers::rocprof
