#pragma once
// Reasons of a late rank: its work between a moment that all had in common and its arrival, against
// the work of the others meanwhile. Pure; any thread.

#include "core/analysis/traces/DeviceLog.h"
#include "core/model/ByEnum.h"
#include "core/model/EnumNames.h"
#include "core/model/Id.h"
#include "core/model/Time.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trainscope::analysis {

enum class LateReason : std::uint8_t {
    HostLate, // its device was idle longer: the host launched later
    Stalled, // its device was idle longer though the work had been launched
    Idle, // its device was idle longer; the trace has no launches that say why
    SlowerKernels, // the same kernels took longer
    LowerClock, // they did as its clock was lower than the others', no more than in proportion
    Heat, // the same, and heat held the clock back
    PowerLimit, // the same, and the power limit did
    MoreKernels, // it ran kernels that the others did not, or more of them
    Copies, // nothing but copies ran longer
    SlowTransfers, // its earlier collectives and messages took longer from the last arrival on
    LateMessages, // its messages came late, which made another rank late
    InTurn, // nobody's: the late rank waited for messages of ranks that were there before it, as
            // stages of a pipeline do
    Unrecorded, // before the recording of all of the ranks had begun
    Other, // waits and work whose cause is not known
};
constexpr auto namesOf(LateReason) {
    return enumNames("host_late", "stalled", "idle", "slower_kernels", "lower_clock", "heat",
        "power_limit", "more_kernels", "copies", "slow_transfers", "late_messages", "in_turn",
        "unrecorded", "other");
}
// A rank's doing, for people.
constexpr auto titlesOf(LateReason) {
    return enumNames("its GPU waits for its host, which launches late",
        "its GPU stands idle though work was launched, as if another stream or process held it",
        "its GPU stands idle (no launches are recorded that say why)", "its kernels take longer",
        "its kernels take longer as its clock is lower than the others'",
        "its kernels take longer as heat holds its clock below the others'",
        "its kernels take longer as the power limit holds its clock below the others'",
        "it runs more kernels", "its copies take longer",
        "its transfers take longer, as of a slower link", "its messages come late",
        "the stages of a pipeline go in turn", "before the recording of all ranks began",
        "what is not known");
}
using trainscope::titleOf;
inline constexpr auto kLateReasons = allValues<LateReason>();

// A value for each reason.
template <typename T>
using ByLateReason = ByEnum<LateReason, kLateReasons.size(), T>;

inline constexpr double kNamedCause = 0.8; // share of the lateness that a named cause explains
inline constexpr double kToldReason = 0.02; // share of the caused wait: smaller parts are joined

// True where the reason explains a lateness; idle time without launches explains none.
bool isExplanation(LateReason reason);
// The reason that explains kNamedCause of all seconds. Late messages are told without a reason:
// theirs is that of the sender's lateness in collectives, where that is a tenth of all or more.
std::optional<LateReason> namedReason(const ByLateReason<double>& seconds);
// "because its kernels take longer, most of all gemm (306 ms)" where a reason may be named and is,
// else "meanwhile …". kernel: that exceeds the others' time most.
std::string lateText(
    const ByLateReason<double>& seconds, const std::string& kernel, bool mayBeNamed);

inline constexpr int kNoRank = -1;
// Shares of blame for a wait; they sum to 1. No rank: waiting in turn, and causes too small to be
// followed.
struct BlameShare {
    int rank = 0;
    LateReason reason = LateReason::Other;
    double share = 0.0;
    std::vector<int> path; // from the rank over those that handed it on to the one that was late
};
using Blame = std::vector<BlameShare>;
inline constexpr std::size_t kMostBlameShares = 8;
inline constexpr std::size_t kLongestPath = 8; // its first ranks are known

// Time that a rank waited in earlier collectives, by the one to blame.
struct BlamedTime {
    int rank = 0;
    LateReason reason = LateReason::Other;
    double ns = 0.0;
    std::vector<int> path; // to the rank that was waited for
    int stage = -1; // its place in its pipeline, where its messages were waited for; else -1
};

struct Meanwhile {
    int rank = 0;
    std::int64_t arrivalNs = 0; // after the common moment; negative: before it
    DeviceTimes times; // from the common moment to the arrival
    std::vector<BlamedTime> waits; // in that time
    double transferNs = 0.0; // in matched transfers, not waiting
    std::int64_t beganNs = 0; // its recording, where times are from there on; before the moment
};

// The compute kernels of the rank that came last against those of the others in the same time.
struct KernelExcess {
    double slowerNs = 0.0;
    double moreNs = 0.0;
    NameId kernel; // with the largest excess
    double kernelNs = 0.0;
    double clockLack = 0.0; // share of the others' clock that the last one's lacked
    double clockNs = 0.0; // part of slowerNs in proportion to it
    LateReason clockReason = LateReason::LowerClock;
};
struct KernelSums {
    double lastCount = 0.0;
    double lastNs = 0.0;
    double otherCount = 0.0; // summed over the others
    double otherNs = 0.0;
};
// Calls beyond the others' mean count are more kernels, at the mean duration of the last rank's
// own; what is left of the excess is slower ones.
void addExcess(KernelExcess& excess, NameId kernel, const KernelSums& sums, std::size_t others);

// Work that the others did while they waited for a rank, which has it still to do: that it is late
// once more has the reasons of that wait.
struct WorkAhead {
    int rank = kNoRank;
    double ns = 0.0; // computing and transfers, the mean of the others
    Blame blame; // the blame for that wait
};

// Facts that all ranks of a collective share.
struct LatenessContext {
    bool isMessage = false; // between ranks whose work is not alike
    bool isRecordingsBegin = false; // the common moment is where the last recording begins
    WorkAhead* ahead = nullptr; // the others'; what the blame rests on is taken off it
};

// all[last] came last. Its lateness against the mean of the others is the sum of the differences of
// the parts of its time; the positive ones share the blame. Its own waiting beyond that of the
// others is the doing of those that it waited for, unless their messages kept it and they were
// there before it. A rank late with a message is told without a reason. Empty unless all[last] came
// after the others' mean.
Blame blameFor(std::span<const Meanwhile> all, std::size_t last, const KernelExcess& kernels,
    LatenessContext context);

} // namespace trainscope::analysis
