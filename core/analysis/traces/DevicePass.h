#pragma once
// One pass over the traced devices of a run.

#include "core/analysis/StudyPass.h"
#include "core/analysis/traces/DeviceWalk.h"
#include "core/analysis/traces/TraceWindow.h"

namespace trainscope::analysis {

// A device and what reads it, on a worker or in this thread.
struct DeviceReading {
    const store::Store& store; // the worker's
    const DeviceTracks& device;
    const Progress progress;
    std::optional<TimeNs> hostFrom = {}; // as for walkDevice()

    // As walkDevice().
    template <typename... Visitors>
    Result<MarkEvidence> walk(TimeRange range, Visitors&... visitors) const {
        const std::array<DeviceVisitor*, sizeof...(Visitors)> all{&visitors...};
        return walkDevice(store, device, range, all, progress, hostFrom);
    }
    // The same without the annotations of streams: nothing tells phases.
    template <typename... Visitors>
    Result<MarkEvidence> walkLaunches(TimeRange range, Visitors&... visitors) const {
        DeviceTracks tracks = device;
        tracks.annotations.clear();
        return DeviceReading{store, tracks, progress, hostFrom}.walk(range, visitors...);
    }
    // The same without the host, too: nothing tells launches and marks.
    template <typename... Visitors>
    Result<MarkEvidence> walkStreams(TimeRange range, Visitors&... visitors) const {
        DeviceTracks tracks = device;
        tracks.threads.clear();
        return DeviceReading{store, tracks, progress}.walkLaunches(range, visitors...);
    }
};

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

// The same for the window of each traced device, without those that have none:
// ask(DeviceReading, TraceWindow) → Result<std::optional<Value>>. The window is on the clock of
// each rank; iterations of the whole run count where the traces cover them.
template <typename Value, typename Ask>
Result<std::vector<Value>> readWindows(const RunStudy& study, const RankWindow& windowOf,
    const IterationChoice& iterations, Ask&& ask) {
    ASSIGN_OR_RETURN(const auto devices, tracedDevices(study));
    const IterationChoice traced = tracedIterations(iterations, tracedOf(devices));
    const auto measure = [&](const DeviceReading& reading) -> Result<std::optional<Value>> {
        const auto shown = traceWindow(reading.device, windowOf(reading.device.rank), traced);
        return shown ? ask(reading, *shown) : Result<std::optional<Value>>(std::nullopt);
    };
    std::vector<Value> values;
    RETURN_IF_ERROR(forEachDevice(study, devices, measure, collectInto(values)));
    return values;
}

} // namespace trainscope::analysis
