#pragma once
// Looks at a trace without importing it: its members for the plan, and its base time, which may
// stand at the very end of the file.

#include "core/model/Import.h"
#include "core/model/Time.h"
#include "importers/common/Importer.h"
#include "importers/common/Source.h"
#include "importers/kineto/TraceHeader.h"
#include "importers/kineto/TraceSyntax.h"

namespace trainscope::importers::kineto {

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
