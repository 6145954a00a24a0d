#pragma once
// Facts that a training script tells of itself while it is recorded: names of the metrics that hold
// the work of a step, and the track that holds its named phases.

#include "core/model/Span.h"

namespace trainscope {

namespace metric {

// Facts of the step that begins at a sample or later, until the next sample: of the whole run, or
// of one rank's part.
inline constexpr const char* kStepTokens = "step_tokens";
inline constexpr const char* kStepSamples = "step_samples";

} // namespace metric

// A stretch of the whole run that its program names.
struct NamedPhase {
    std::string name;
    TimeRange range;

    bool operator==(const NamedPhase&) const = default;
};

inline TrackDescription phaseTrack() {
    TrackDescription track;
    track.name = "phases";
    return track;
}
// Holds the intervals that a log of the whole run tells: "run", "eval".
inline TrackDescription intervalTrack() {
    TrackDescription track;
    track.name = "training";
    return track;
}
inline bool isPhaseTrack(const TrackDescription& track) {
    return track.kind == TrackKind::Other && track.rank < 0 && track.name == phaseTrack().name;
}

} // namespace trainscope
