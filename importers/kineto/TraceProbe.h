#pragma once
// Looks at a trace without importing it: its members for the plan, and its base time, which may
// stand at the very end of the file.

#include "importers/common/Importer.h"
#include "importers/common/JsonScanner.h"
#include "importers/common/Source.h"
#include "importers/kineto/TraceSyntax.h"

namespace trainscope::importers::kineto {

// Facts about the run in the top-level members of a trace: distributedInfo, deviceProperties,
// baseTimeNanoseconds and the versions. They may stand before or behind traceEvents.

struct TraceHeader {
    std::optional<int> rank; // distributedInfo.rank
    int worldSize = 0; // distributedInfo.world_size, 0: not said
    std::optional<std::int64_t> baseNs; // added to every time stamp
    std::map<int, std::string> deviceNames; // deviceProperties by id: all visible GPUs
    std::map<int, std::string> deviceUuids; // likewise, of those that have one
    std::map<int, std::string> devicePciAddresses; // likewise
    std::map<std::string, std::string> facts; // everything else worth showing, by a readable name
    bool isExecutionTrace = false; // has "nodes": PyTorch execution trace or Chakra, not Kineto

    void take(std::string_view key, const JsonToken& value);
    // The model of that device, or of the only one there is; empty: not said.
    [[nodiscard]] std::string deviceName(int device) const;
};

struct TraceProbe {
    TraceHeader header;
    std::optional<std::int64_t> firstNs; // first event's time stamp as written
    std::string process; // the process id of the first host event, as written; empty: none was seen
    std::string problem; // the reason that it could not be read; empty: it could
};

// True for a written time stamp that counts from the epoch. Others count from the trace's base (a
// few months at most) or from the boot.
constexpr bool isAbsolute(TimeNs written) {
    constexpr TimeNs kThreeYears{100'000'000'000'000'000};
    return written > kThreeYears;
}

enum class ProbeDepth {
    Head, // up to the first event with a time
    Members, // all members, also those behind the events, within 64 MiB of text
};

TraceProbe probeTrace(const SourceTree& tree, const std::string& path, ProbeDepth depth);

struct BaseTime {
    std::optional<std::int64_t> ns; // absent where the trace has none
    bool isCutShort = false; // without one: the text does not end as a trace does
};

// The base time that stands in a trace, wherever that is. Mostly it is seen in the last bytes of
// the file, or, where these are compressed, of its text; only a trace that says it elsewhere is
// parsed for it.
Result<BaseTime> findBaseTime(
    const SourceTree& tree, const std::string& path, const Progress& progress);

// From the first to the last moment of a trace, since the epoch where it has a base time. Reads all
// of a file of up to 64 MiB on disk, and the ends of a larger one that is not compressed; absent
// for other files and where no event has a time.
std::optional<TimeRange> traceExtent(const SourceTree& tree, const std::string& path);

// The GPU on which most kernels, copies and memory sets of a trace ran. Reads all of it.
Result<UsedGpu> usedGpuOf(
    const SourceTree& tree, const std::string& path, const Progress& progress);
Result<UsedGpu> usedGpuOf(const ReadEvents& read, const Progress& progress);

// The base time among the members between the events and the end of a trace, of which `tail` is the
// last part; absent if the end is not like that.
std::optional<std::int64_t> baseTimeOfTail(std::string_view tail);

} // namespace trainscope::importers::kineto
