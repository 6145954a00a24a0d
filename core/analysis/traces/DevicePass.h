#pragma once
// One pass over the traced devices of a run.

#include "core/analysis/StudyPass.h"
#include "core/analysis/traces/DeviceWalk.h"

#include <array>
#include <optional>
#include <utility>
#include <vector>

namespace trainscope::analysis {

// A device and what reads it, on a worker.
struct DeviceReading {
    const store::Store& store; // the worker's
    const DeviceTracks& device;
    const Progress progress;

    // As walkDevice().
    template <typename... Visitors>
    Result<MarkEvidence> walk(TimeRange range, Visitors&... visitors) const {
        const std::array<DeviceVisitor*, sizeof...(Visitors)> all{&visitors...};
        return walkDevice(store, device, range, all, progress);
    }
    // The same without the host and the annotations: nothing tells launches, marks and phases.
    template <typename... Visitors>
    Status walkStreams(TimeRange range, Visitors&... visitors) const {
        DeviceTracks streams = device;
        streams.threads.clear();
        streams.annotations.clear();
        const auto walked = DeviceReading{store, streams, progress}.walk(range, visitors...);
        return walked.hasValue() ? Status() : Status(walked.error());
    }
};

// For forEachDevice(): keeps the answers that there are.
template <typename Value>
auto collectInto(std::vector<Value>& values) {
    return [&values](const DeviceTracks&, std::optional<Value>&& value) {
        if (value)
            values.push_back(std::move(*value));
        return Status();
    };
}

// ask(DeviceReading) → Result<Answer>, on workers: it changes nothing that others see.
// take(const DeviceTracks&, Answer&&) → Status, in this thread. Ends with the first failure.
template <typename Ask, typename Take>
Status forEachDevice(
    const RunStudy& study, const std::vector<DeviceTracks>& devices, Ask&& ask, Take&& take) {
    const auto read
        = [&ask](const store::Store& store, const DeviceTracks& device, const Progress& progress) {
              return ask(DeviceReading{store, device, progress});
          };
    return forEachPart(study, "Reading traces", devices, read, std::forward<Take>(take));
}

} // namespace trainscope::analysis
