#pragma once
// Reads one run folder into a sink.

#include "importers/common/Importer.h"

namespace trainscope::importers::charllm {

inline constexpr const char* kImporterVersion = "charllm 1";
// Rank 0 of a run that ended in out-of-memory has fewer samples than this.
inline constexpr int kOomSamples = 10;

// A file that cannot be read is a warning and makes the run partial; only a folder with no usable
// line at all is an error.
Result<ImportReport> importRun(
    const SourceTree& tree, const ImportUnit& unit, Sink& sink, const Progress& progress);

} // namespace trainscope::importers::charllm
