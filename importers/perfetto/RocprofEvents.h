#pragma once
// Perfetto traces of AMD's rocprofv3 and rocprofiler-systems, by their categories, as the other
// forms of rocprof's are read: each process that uses a GPU is a rank, ranges of ROCTx are
// annotations, are projected onto the GPU and tell iterations. Arguments as in rocprofiler-sdk's
// generatePerfetto.cpp; sizes of grids are in work items.

#include "importers/common/Importer.h"
#include "importers/perfetto/EventMaker.h"

namespace trainscope::importers::perfetto {

// "kernel_dispatch", "hip_api", "rocm_marker_api".
bool isRocprofCategory(std::string_view category);

Result<ImportReport> importRocprof(const SourceTree& tree, const ImportUnit& unit, Sink& sink,
    const Progress& progress, const std::shared_ptr<TraceScan>& scan);

} // namespace trainscope::importers::perfetto
