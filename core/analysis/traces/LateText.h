#pragma once
// The cause that is named for a rank's lateness, and its words. Findings and the waits of a step
// share them. Pure; any thread.

#include "core/analysis/traces/Lateness.h"

#include <optional>
#include <string>

namespace trainscope::analysis {

inline constexpr double kNamedCause = 0.8; // share of the lateness that a named cause explains
inline constexpr double kToldReason = 0.02; // share of the caused wait: smaller parts are joined
// Share of the lateness in collectives that tells why a rank's messages come late.
inline constexpr double kTellsOfMessages = 0.1;

// True where the reason explains a lateness; idle time without launches explains none.
bool isExplanation(LateReason reason);
// The reason that explains kNamedCause of all seconds. A rank's late messages are told without a
// reason: theirs is that of its lateness in collectives, where there is enough of that.
std::optional<LateReason> namedReason(const ByLateReason<double>& seconds);

// "because its kernels take longer, most of all gemm (306 ms)" where a reason may be named and is,
// else "meanwhile …"; the largest first, and what is too small to say joined to the last. kernel:
// that exceeds the others' time most.
std::string lateText(
    const ByLateReason<double>& seconds, const std::string& kernel, bool mayBeNamed);

} // namespace trainscope::analysis
