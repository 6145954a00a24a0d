#pragma once
// Dependencies that a profiler recorded, as spans of kind Sync on the track of kind Other of the
// device and stream that waits (its description's device and thread; thread "-1": the host).
//
//   "Stream Wait Event", "Event Sync", "Stream Sync", "Context Sync": the call of the span's
//     correlation made the stream wait, or returned when (the host), for what the stream `from` had
//     before the call with the correlation `record`; without these, as newer writers leave them,
//     before the last record of `event`. Stream Sync: all of the track's stream; Context Sync: all
//     of the device.
//   kGraphEdge: in one launch of a graph of kernels, from the end of work on the stream `from`,
//     at the span's start, to work that begins on the track's stream at the span's end, but for
//     rounding (1 ns). isBackward, where clocks of streams differ: the waiting one begins at the
//     span's start, and what it waits for ends at the span's end.
//   kGraphEvent, and names that begin with kGraphHost: nodes of a graph that are no work of the
//     device; edges begin and end at them as at work.
// Formats: libkineto's cuda_sync, torch/profiler/_cuspy/trace.py. Pure; any thread.

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
    std::optional<std::int64_t> record;
    std::optional<std::int64_t> event; // its number; events are recorded again and again
    bool isBackward = false;
};

// From the detail of a span of kind Sync; all empty where it says nothing.
RecordedEdge recordedEdgeOf(std::string_view detail);

} // namespace trainscope
