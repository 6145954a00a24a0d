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
#include <span>
#include <string_view>
#include <vector>

namespace trainscope::analysis {

enum class LateReason : std::uint8_t {
    HostLate, // its device was idle longer: the host launched later
    Stalled, // its device was idle longer though the work had been launched
    Idle, // its device was idle longer; the trace has no launches that say why
    SlowerKernels, // the same kernels took longer
    MoreKernels, // it ran kernels that the others did not, or more of them
    LateMessages, // its messages came late, which made another rank late
    InTurn, // nobody's: the late rank waited for messages of ranks that were there before it, as
            // stages of a pipeline do
    Unrecorded, // before the recording of all of the ranks had begun
    Other, // copies, transfers, waits whose cause is not known
};
constexpr auto namesOf(LateReason) {
    return enumNames("host_late", "stalled", "idle", "slower_kernels", "more_kernels",
        "late_messages", "in_turn", "unrecorded", "other");
}
inline constexpr auto kLateReasons = allValues<LateReason>();

// A value for each reason.
template <typename T>
using ByLateReason = ByEnum<LateReason, kLateReasons.size(), T>;

inline constexpr int kNoRank = -1;
// Shares of blame for a wait; they sum to 1. No rank: waiting in turn, and causes too small to be
// followed.
struct BlameShare {
    int rank = 0;
    LateReason reason = LateReason::Other;
    double share = 0.0;
};
using Blame = std::vector<BlameShare>;
inline constexpr std::size_t kMostBlameShares = 8;

// Time that a rank waited in earlier collectives, by the one to blame.
struct BlamedTime {
    int rank = 0;
    LateReason reason = LateReason::Other;
    double ns = 0.0;
};

struct Meanwhile {
    int rank = 0;
    std::int64_t arrivalNs = 0; // after the common moment; negative: before it
    DeviceTimes times; // from the common moment to the arrival
    std::vector<BlamedTime> waits; // in that time
};

// The compute kernels of the rank that came last against those of the others in the same time.
struct KernelExcess {
    double slowerNs = 0.0;
    double moreNs = 0.0;
    NameId kernel; // with the largest excess
    double kernelNs = 0.0;
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

// Facts that all ranks of a collective share.
struct LatenessContext {
    bool isMessage = false; // between ranks whose work is not alike
    bool isRecordingsBegin = false; // the common moment is where the last recording begins
};

// all[last] came last. Its lateness against the mean of the others is the sum of the differences of
// the parts of its time; the positive ones share the blame. Its own waiting beyond that of the
// others is the doing of those that it waited for, unless their messages kept it and they were
// there before it. A rank late with a message is told without a reason. Empty unless all[last] came
// after the others' mean.
Blame blameFor(std::span<const Meanwhile> all, std::size_t last, const KernelExcess& kernels,
    LatenessContext context);

} // namespace trainscope::analysis
