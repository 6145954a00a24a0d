#pragma once
// The phase that each kernel and copy of a device belongs to, by one walk over its trace. Kept as
// the moments at which it changes on each stream, which are few.

#include "core/analysis/traces/DeviceWalk.h"

#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace trainscope::analysis {

class SpanPhases {
public:
    static Result<SpanPhases> read(
        const store::Store& store, const DeviceTracks& device, const Progress& progress);

    // Phase of work on a stream of the device; absent where nothing tells it.
    [[nodiscard]] std::optional<Phase> of(TrackId stream, const Span& span) const;

private:
    class Recorder;
    struct Change {
        TimeNs from;
        std::optional<Phase> phase;
    };
    std::unordered_map<TrackId, std::vector<Change>> m_changes; // by stream, in order of time
};

} // namespace trainscope::analysis
