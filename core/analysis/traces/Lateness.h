#pragma once
// Reasons of a late rank: its work between a moment that all had in common and its arrival, against
// the work of the others meanwhile. Pure; any thread. The work is in the log of each rank's device,
// made so that intervals of several ranks can be compared: the stretches of time in which one kind
// of work ran, and the kernels of compute. A log is made on one thread.

#include "core/analysis/traces/DeviceWalk.h"
#include "core/analysis/traces/RankClocks.h"

namespace trainscope::analysis {

// At each moment exactly one holds.
enum class DeviceState : std::uint8_t {
    Compute, // a kernel runs that is no communication
    Communication, // nothing but kernels of communication runs
    Copy, // nothing but copies and memsets runs
    HostLate, // nothing runs, and what runs next has not been launched yet
    Stalled, // nothing runs, though what runs next has been launched
    Idle, // nothing runs, and the trace does not say when what runs next was launched
};
inline constexpr std::size_t kDeviceStates = 6;

struct DeviceTimes : ByEnum<DeviceState, kDeviceStates, std::int64_t> { // ns
    // Nothing runs.
    [[nodiscard]] std::int64_t idle() const {
        return (*this)[DeviceState::HostLate] + (*this)[DeviceState::Stalled]
            + (*this)[DeviceState::Idle];
    }
};

// Log of one rank, in order of time, on its own clock.
class DeviceLog : public DeviceVisitor {
public:
    // Nothing is known of the time before.
    void beginAt(TimeNs begin) {
        m_from = begin;
        m_now = begin;
    }
    // Work that starts before it has been told already.
    void continueAt(TimeNs begin) { m_from = begin; }
    Status work(const DeviceWork& work) override;
    // Running work goes on until then at most; the next work tells whether the host is late.
    void runUntil(TimeNs until);
    void forgetBefore(TimeNs begin);

    [[nodiscard]] DeviceTimes timesIn(TimeRange range) const;
    // visit(name, time inside): of the kernels of compute that start in the range.
    template <typename Visit>
    void forEachKernel(TimeRange range, Visit&& visit) const {
        auto at = std::ranges::lower_bound(m_kernels, range.begin, {}, &Kernel::start);
        for (; at != m_kernels.end() && at->start < range.end; ++at)
            visit(at->name, std::min(at->duration, range.end - at->start));
    }

private:
    struct Stretch {
        TimeNs begin; // until the next one's
        DeviceState state;
    };
    struct Kernel {
        TimeNs start;
        DurationNs duration;
        NameId name;
    };
    void mark(DeviceState state, TimeNs until);

    TimeNs m_from;
    TimeNs m_now; // all before it is marked
    TimeNs m_computeUntil = kAllTime.begin;
    TimeNs m_communicationUntil = kAllTime.begin;
    TimeNs m_copyUntil = kAllTime.begin;
    std::vector<Stretch> m_stretches;
    std::vector<Kernel> m_kernels;
};

inline constexpr std::int64_t kLoggedSpans = 2'000'000; // on all streams together, in one window

// The logs of all ranks whose clocks are known. Reads the traces once, in windows of the common
// clock so short that what two of them hold fits into memory: of the past it knows one window. The
// ranks of a window are read on the pool of workers.
class DeviceLogs {
public:
    // Refers to the study and the clocks.
    static Result<DeviceLogs> open(const RunStudy& study, const RankClocks& clocks,
        std::int64_t spansPerWindow = kLoggedSpans);

    // Times of the common clock until then can be asked for.
    Status readTo(TimeNs time);
    // nullptr: nothing was recorded of that rank.
    [[nodiscard]] const DeviceLog* find(int rank) const;
    // Begin of the rank's recording, its host threads included, on the common clock.
    [[nodiscard]] TimeNs recordedFrom(int rank) const;
    // A range of the common clock on that rank's own.
    [[nodiscard]] TimeRange local(int rank, TimeRange range) const;

private:
    struct Rank {
        DeviceTracks tracks; // all its devices
        const RankClock* clock = nullptr;
        TimeNs recordedFrom; // own clock
        DeviceLog log;
    };
    explicit DeviceLogs(const RunStudy& study)
        : m_study(&study) { }
    void addRank(const DeviceTracks& device, const RankClocks& clocks);
    void chooseWindows(std::int64_t spansPerWindow);
    Status readNext();

    const RunStudy* m_study;
    std::map<int, Rank> m_ranks;
    std::vector<TimeRange> m_windows; // common clock
    std::size_t m_read = 0; // windows read so far
};

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
