#pragma once
// Facts of a trace that importers keep in the correlation, the detail or the track of a span, and
// how analyses read them. Pure; any thread.

#include "core/model/Span.h"

namespace trainscope {

// Traces of a training's operations (forward-compute, grads-reduce-scatter) in place of its
// kernels: the process of their tracks. A rank's data rank, stage and tensor rank are those of
// Megatron's order in the run's launch configuration; step, chunk of the model and micro-batch are
// numbers in an operation's detail ("step", "model_chunk", "mb_id"; −1 or absent: not said).
inline constexpr const char* kOperationProcess = "operations";

// Work on a device whose detail states its own FLOP and bytes, as XLA's operators do
// (core/work/TracedWork.h). Kept as the correlation of its span, which no launch has, so that a
// walk over spans knows it without reading a detail.
inline constexpr std::int64_t kStatesWork = -1;
constexpr bool statesWork(const Span& span) {
    return span.kind == SpanKind::Kernel && span.correlation == kStatesWork;
}

// Links operators of the backward pass to the one of the forward pass that they belong to. PyTorch
// numbers the nodes of the backward graph. The operator that makes a node and those that run it
// later carry the node's sequence number; so do operators called before the next node is made. The
// last of several forward operators with one number to begin is therefore the one that made the
// node.
//
// Kept as the correlation of an operator's span, below zero, where no launch has its number.
struct AutogradLink {
    std::int64_t sequence = 0;
    bool isBackward = false;

    bool operator==(const AutogradLink&) const = default;
};

constexpr std::int64_t kMostAutogradSequence = std::int64_t{1} << 61U;

// 0, no link, for numbers out of range.
constexpr std::int64_t correlationOf(const AutogradLink& link) {
    if (link.sequence < 0 || link.sequence > kMostAutogradSequence)
        return 0;
    return -(2 * link.sequence + (link.isBackward ? 2 : 1));
}

constexpr std::optional<AutogradLink> autogradLinkOf(std::int64_t correlation) {
    if (correlation >= 0)
        return std::nullopt;
    const std::int64_t code = -(correlation + 1); // correlation may be the least number there is
    return AutogradLink{code / 2, code % 2 != 0};
}

// The number that joins a span to a launch or to what was launched; 0: nothing.
constexpr std::int64_t launchOf(const Span& span) {
    return span.correlation > 0 ? span.correlation : 0;
}

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
// Formats: libkineto's cuda_sync, torch/profiler/_cuspy/trace.py.
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
