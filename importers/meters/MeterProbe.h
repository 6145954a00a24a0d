#pragma once
// Facts in the first bytes of a telemetry file, by reading them into nothing.

#include "importers/common/Source.h"
#include "importers/meters/ColumnOrder.h"
#include "importers/meters/Formats.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace trainscope::importers::meters {

struct FileProbe {
    const MeterFormat* format = nullptr; // nullptr: none knows it
    std::optional<Result<smi::ColumnOrder>> order; // for a log of rows
    int gpus = 0;
    int nodes = 0;
    int gpusPerNode = 0; // if the columns tell; 0: not known
    int switches = 0;
    std::set<std::string> metrics;
    std::string gpuModel;
    std::optional<StampKind> clock; // the first stamp's
    std::optional<TimeNs> start; // as written
    std::optional<TimeNs> end; // likewise, of what was looked at
};

enum class Look { Begin, BeginAndEnd };
// `dates`: as the user says, where nothing in the file tells.
FileProbe probeMeters(const SourceTree& tree, const std::string& path, MeterKinds kinds,
    DateOrder dates = DateOrder::Unknown, Look look = Look::Begin);

// Reads a file of that format to its end, or up to where it breaks off. `order`: of the columns of
// a log of rows. `goesOn` is told how many bytes of the file on disk are behind.
using GoesOn = std::function<bool(std::uint64_t)>;
Status readMeters(const MeterFormat& format, const smi::ColumnOrder* order,
    std::unique_ptr<ByteStream> stream, MeterLog& log, const GoesOn& goesOn);

} // namespace trainscope::importers::meters
