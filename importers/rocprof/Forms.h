#pragma once
// The forms in which traces of rocprof come, each in the file that stands above it.

#include "importers/common/Importer.h"
#include "importers/sqlite/ForeignDatabase.h"
#include "importers/trace/RunGrouping.h"

namespace trainscope::importers::rocprof {

// CsvTables.cpp: the tables of one process, as rocprofv3 writes them beside each other, and those
// of the older rocprof.
enum class CsvTable { None, Kernels, OldKernels, Copies, Calls, Agents, Counters };
CsvTable csvTableOf(std::string_view head);
// Text before the table's name in the name of its file: "4711" of "4711_kernel_trace.csv".
std::string_view csvPrefix(std::string_view path);
Result<ImportReport> importTables(
    const SourceTree& tree, const ImportUnit& unit, Sink& sink, const Progress& progress);

// ToolJson.cpp: the JSON of rocprofv3 (`--output-format json`), one object for each process under
// "rocprofiler-sdk-tool", with its agents, kernels, names of calls, and records of each kind.
bool isToolJson(std::string_view head);
TraceFacts factsOfToolJson(const SourceTree& tree, const SourceFile& file);
Result<ImportReport> importToolJson(
    const SourceTree& tree, const ImportUnit& unit, Sink& sink, const Progress& progress);

// OldRocprof.cpp: the JSON for chrome://tracing that the first rocprof makes of its database.
bool isOldJson(std::string_view head);
TraceFacts factsOfOldJson(const SourceTree& tree, const SourceFile& file);
Result<ImportReport> importOldJson(
    const SourceTree& tree, const ImportUnit& unit, Sink& sink, const Progress& progress);

// A kind of SQLite database.
struct DatabaseForm {
    std::string_view kind;
    bool (*isIt)(const ForeignDatabase& database);
    void (*tell)(ForeignDatabase& database, TraceFacts& facts);
    Result<ImportReport> (*import)(
        ForeignDatabase& database, const SourceTree& tree, const ImportUnit& unit, Sink& sink);
};
// Rocpd.cpp: rocprofv3's (rocpd, schema 3): tables whose names end in the number of the recording,
// several where databases were put together, each of which is read on its own.
extern const DatabaseForm kRocpd;
// Rpd.cpp: AMD's rocmProfileData (.rpd, schemas 1 to 3): calls, the operations of the GPUs that
// they caused, and what the tracer read of the GPUs meanwhile, as telemetry. Each process that uses
// a GPU is a rank, in the order of their GPUs.
extern const DatabaseForm kRpd;
// OldRocprof.cpp: that of the first rocprof, with tables HIP, HSA, rocTX, OPS, COPY and KERN.
extern const DatabaseForm kOldDatabase;

} // namespace trainscope::importers::rocprof
