#pragma once
// A row of the first rocprof's tables, and what it becomes.

#include "importers/rocprof/TraceImport.h"

namespace trainscope::importers::rocprof {

enum class OldTable { Calls, Markers, Copies, Kernels };

struct OldRow {
    std::optional<std::int64_t> begin; // ns
    std::optional<std::int64_t> end;
    std::int64_t process = 0;
    std::int64_t thread = 0;
    std::int64_t correlation = 0;
    std::int64_t device = 0;
    std::int64_t queue = 0;
    std::string name; // a kernel's in quotes, or with ".kd" behind
    std::int64_t grid = 0; // work items; of kernels that were listed one by one
    std::int64_t workgroup = 0;
    std::int64_t registers = 0;
    std::int64_t localMemory = 0; // B
};

bool isWork(OldTable table);
Status writeOld(OldTable table, const OldRow& row, TraceImport& into);
// Imports a trace; `read` gives the rows of the host or those of the GPUs.
using OldVisit = std::function<Status(OldTable table, const OldRow& row)>;
Result<ImportReport> importOld(
    TraceImport& into, const std::function<Status(bool ofGpus, const OldVisit& visit)>& read);

} // namespace trainscope::importers::rocprof
