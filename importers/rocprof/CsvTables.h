#pragma once
// The CSV tables of one process, as rocprofv3 writes them beside each other, and those of the older
// rocprof.

#include "importers/common/Importer.h"

#include <string_view>

namespace trainscope::importers::rocprof {

enum class CsvTable { None, Kernels, OldKernels, Copies, Calls, Agents, Counters };

CsvTable csvTableOf(std::string_view head);

// Text before the table's name in the name of its file: "4711" of "4711_kernel_trace.csv".
std::string_view csvPrefix(std::string_view path);

Result<ImportReport> importTables(
    const SourceTree& tree, const ImportUnit& unit, Sink& sink, const Progress& progress);

} // namespace trainscope::importers::rocprof
