#pragma once
// Facts in the first bytes of a telemetry file, by reading them into nothing.

#include "importers/common/Source.h"
#include "importers/meters/ColumnOrder.h"
#include "importers/meters/Formats.h"

#include <functional>
#include <optional>
#include <set>
#include <string>

namespace trainscope::importers::meters {

struct FileProbe {
    const MeterFormat* format = nullptr; // nullptr: none knows it
    std::optional<Result<smi::ColumnOrder>> order; // of a log of rows
    int gpus = 0;
    int nodes = 0;
    int gpusPerNode = 0; // where the columns tell; 0: not known
    int switches = 0;
    std::set<std::string> metrics;
    std::string gpuModel;
    std::optional<StampKind> clock; // of the first stamp
    std::optional<TimeNs> start; // as written
    std::optional<TimeNs> end; // likewise, of what was looked at
};

enum class Look { Begin, BeginAndEnd };
// `dates`: as the user says, where nothing in the file tells.
FileProbe probeMeters(const SourceTree& tree, const std::string& path, MeterKinds kinds,
    DateOrder dates = DateOrder::Unknown, Look look = Look::Begin);

// End of the reading of a JSON text.
struct ObjectsEnd {
    Status status;
    std::optional<Error> broken; // the stream broke off
};
// `goesOn` is told how many bytes are behind.
ObjectsEnd readObjects(const MeterFormat& format, ByteStream& stream, MeterReader& reader,
    MeterLog& log, const std::function<bool(std::uint64_t)>& goesOn);

} // namespace trainscope::importers::meters
