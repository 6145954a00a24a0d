#pragma once
// Dependencies that a profiler recorded, as spans of kind Sync. They lie on the track of kind Other
// of the device and stream that waits (its description's device and thread; thread "-1": the host).
//
//   "Stream Wait Event", "Event Sync", "Stream Sync", "Context Sync": the call that has the span's
//     correlation made the stream, or returned when (the host): work that the stream `from` had
//     before the event was recorded, by the call whose correlation is `record`; without either, as
//     newer writers leave them, before the last record of `event`. Stream Sync: all work of the
//     track's own stream; Context Sync: all work of the device.
//   kGraphEdge: within one launch of a graph of kernels. From the end of work on the stream `from`
//     at the span's start, to the work that begins on the track's stream at the span's end. Where
//     isBackward, clocks of streams differ: the work waited for ends at the span's end and the
//     waiting one begins at the span's start.
//   kGraphEvent, and names that begin with kGraphHost: nodes of a graph that are no work of the
//     device; edges begin and end at them as at work.
//
// What ran elsewhere than its stream says so in its own detail: "original_stream".
// Formats: libkineto's cuda_sync, torch/profiler/_cuspy/trace.py. Pure; any thread.

#include "core/model/Span.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace trainscope {

inline constexpr std::string_view kGraphEdge = "Graph edge";
inline constexpr std::string_view kGraphEvent = "EventRecord";
inline constexpr std::string_view kGraphHost = "HostNode";

struct RecordedEdge {
    std::string from; // the stream's TrackDescription::thread; empty: not said
    std::optional<std::int64_t> record; // correlation of the call that recorded the event
    std::optional<std::int64_t> event; // its id, which is recorded again and again
    bool isBackward = false;
};

// From the detail of a span of kind Sync; all empty where it says nothing.
RecordedEdge recordedEdgeOf(std::string_view detail);
// The detail of a kGraphEdge.
std::string graphEdgeDetail(std::string_view fromStream, bool isBackward);

} // namespace trainscope
