#pragma once
// Matches calls of two ranks that are parts of the same collectives, while the offset of their
// clocks is unknown: recordings begin at different moments, calls are lost, clocks drift. All parts
// of a collective end together, so the right difference of the clocks is the one that makes the
// most ends coincide. Pure; any thread.

#include "core/model/Time.h"

#include <optional>
#include <span>
#include <vector>

namespace trainscope::analysis {

struct SequencedCall {
    TimeNs start;
    TimeNs end;
    std::uint32_t signature = 0; // only calls of equal signature belong together
    std::int64_t sequence = -1; // within its communicator; -1: not said
    bool synchronises = true; // see isSynchronising()
    bool isNamed = true; // the trace says which ranks take part
};

struct MatchedCall {
    SequencedCall a; // times of a's clock
    SequencedCall b; // times of b's clock
};

// Lead of b's clock over a's by a source less exact than collectives (iterations that both have
// numbered), within `within`. Decides between differences that the calls cannot tell apart, as when
// all iterations look alike.
struct ClockHint {
    DurationNs offset;
    DurationNs within;
};

// In order of a's ends; both inputs in order of start. Clocks may drift by 300 ppm against each
// other. Sequence numbers decide where both have them.
std::vector<MatchedCall> matchSequences(std::span<const SequencedCall> a,
    std::span<const SequencedCall> b, const std::optional<ClockHint>& hint = {});

} // namespace trainscope::analysis
