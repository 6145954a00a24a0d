#pragma once
// Reads one telemetry file into one series.

#include "importers/charllm/Inventory.h"
#include "importers/charllm/SampleStatistics.h"
#include "importers/common/Importer.h"

#include <functional>
#include <optional>
#include <string>

namespace trainscope::importers::charllm {

struct FileOutcome {
    SampleStatistics statistics;
    std::uint64_t bytes = 0; // of the file on disk
    bool isBroken = false; // the file could not be read, or not to its end
    std::string found; // where there was no usable line: what stood there instead
};

// Told how many bytes of the file on disk are behind; false stops the import.
using FileProgress = std::function<bool(std::uint64_t bytes)>;

// Counts rows, samples and warnings into `report`. The series is made in the sink with the file's
// first usable line, of a run that `run` names. Fails only where the sink does or on request.
Result<FileOutcome> importFile(const SourceTree& tree, const TelemetryFile& file, RunId run,
    Sink& sink, ImportReport& report, const FileProgress& progress);

} // namespace trainscope::importers::charllm
