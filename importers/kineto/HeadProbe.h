#pragma once
// A look at the members of a trace without importing it, for the plan.

#include "core/model/Import.h"
#include "importers/common/Source.h"
#include "importers/kineto/TraceHeader.h"

#include <cstdint>
#include <optional>
#include <string>

namespace trainscope::importers::kineto {

struct TraceProbe {
    TraceHeader header;
    std::optional<std::int64_t> firstNs; // first event's time stamp as written
    std::string problem; // why it could not be read; empty: it could
};

enum class ProbeDepth {
    Head, // up to the first event with a time
    Members, // all members, also those behind the events, within 64 MiB of text
};

TraceProbe probeTrace(const SourceTree& tree, const std::string& path, ProbeDepth depth);

} // namespace trainscope::importers::kineto
