#pragma once
// The frame of every import of a trace of rocprof: the run, what was damaged, and the GPUs at its
// end.

#include "importers/common/Importer.h"
#include "importers/sqlite/ForeignDatabase.h"
#include "importers/trace/DetailText.h"
#include "importers/trace/ProfileWriter.h"
#include "importers/trace/RunGrouping.h"

namespace trainscope::importers::rocprof {

// Words of rocprofv3, translated into those that all traces have here.

// "MEMORY_COPY_HOST_TO_DEVICE" or "CopyHostToDevice" → "Memcpy HtoD".
std::string copyName(std::string_view direction);

// By the domain or category of a call: "HIP_RUNTIME_API", "MARKER_CORE_API", "RCCL_API".
SpanKind callKindOf(std::string_view domain);

// Shape of a kernel; sizes of the grid are in work items, as AMD counts them.
struct KernelShape {
    std::array<std::int64_t, 3> grid{};
    std::array<std::int64_t, 3> workgroup{};
    std::optional<std::int64_t> registers; // vector registers of a thread
    std::optional<std::int64_t> localMemory; // B
};
void describe(const KernelShape& shape, DetailText& detail);

// "Agent 4" or "4"; -1: neither.
std::int64_t agentNumber(std::string_view text);

// Looks up the first start in a table, where no other told one.
void takeFirst(
    ForeignDatabase& database, std::string_view table, std::string_view column, TraceFacts& facts);

class TraceImport {
public:
    TraceImport(const SourceTree& tree, const ImportUnit& unit, Sink& sink,
        const std::vector<std::int64_t>& processes = {}, DurationNs base = {});

    Status begin(std::string_view gpuModel = {});
    // Notes the size of a database, and whether its end is missing.
    void opened(const ForeignDatabase& database);
    // Reads a table of a database; what is damaged makes the run a partial one.
    Status scan(ForeignDatabase& database, std::string_view table, std::string_view columns,
        const std::function<Status(const ForeignRow&)>& visit);
    // Part of the trace is missing.
    void lose(std::string problem);
    // Fails where no span was written.
    Status finish(const TracedMachine& machine);

    [[nodiscard]] const ImportUnit& unit() const { return m_unit; }
    [[nodiscard]] Sink& sink() { return m_sink; }
    [[nodiscard]] ImportReport& report() { return m_report; }
    [[nodiscard]] ProfileWriter& writer() { return m_writer; }
    [[nodiscard]] DetailText& detail() { return m_detail; }

private:
    const SourceTree& m_tree;
    const ImportUnit& m_unit;
    Sink& m_sink;
    ImportReport m_report;
    Run m_run;
    ProfileWriter m_writer;
    DetailText m_detail;
};

// The forms in which traces of rocprof come, each in the file that stands above it.

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
