#pragma once
// Sums over slices of a run's traces, so that the figures of any stretch are read from a few of
// them and from the spans at its two ends. The sums are derived: computed by one pass over the
// traces, kept in the database (core/store/KeptSums.h), and computed again where they are missing.

#include "core/analysis/traces/Calls.h"
#include "core/analysis/traces/CollectiveKind.h"
#include "core/analysis/traces/Collectives.h"
#include "core/analysis/traces/DevicePass.h"
#include "core/analysis/traces/DeviceTraces.h"
#include "core/analysis/traces/RankClocks.h"
#include "core/analysis/traces/TraceWindow.h"
#include "core/store/KeptSums.h"
#include "core/store/codec/Bytes.h"

namespace trainscope::analysis {

// The calls of a rank and their waits, and what those of a stretch of time add up to by kind and
// purpose. A call belongs to the stretch in which it starts. One thread.

// Key of a row of a selection, with the size of the communicators.
struct CallGroup {
    CollectiveKind kind = CollectiveKind::Other;
    std::string group; // purpose of the communicator, else its name; empty: not said
    int ranks = 0; // 0: not known
    bool isWhole = false; // all of its ranks were traced

    auto operator<=>(const CallGroup&) const = default;
};

// Gives each group a number.
class CallGroups {
public:
    // Ranks that were traced, ascending.
    explicit CallGroups(std::vector<int> traced = {})
        : m_traced(std::move(traced)) { }

    std::int64_t numberOf(CollectiveKind kind, const TracedCommunicator& group);
    [[nodiscard]] const std::vector<CallGroup>& list() const { return m_list; } // by number
    [[nodiscard]] bool has(std::int64_t number) const {
        return number >= 0 && number < std::ssize(m_list);
    }

    void encode(store::Bytes& out) const;
    static bool decode(store::ByteView bytes, CallGroups& groups);

private:
    [[nodiscard]] bool isWhole(const TracedCommunicator& group) const;

    std::vector<int> m_traced;
    std::vector<CallGroup> m_list;
    std::map<CallGroup, std::int64_t> m_numbers;
};

struct CallEntry {
    std::int64_t start = 0; // ns
    std::int64_t group = 0;
    std::int64_t time = 0; // ns
    std::int64_t bytes = -1; // not said
};
struct WaitEntry {
    std::int64_t start = 0; // ns
    std::int64_t group = 0;
    std::int64_t wait = 0; // ns, until the last rank started
    std::int64_t sizedWait = 0; // part of `wait` within the call, if its bytes are known
};

struct CallSum {
    std::int64_t group = 0;
    std::int64_t count = 0;
    std::int64_t time = 0; // ns
    std::int64_t sized = 0; // calls that say their bytes
    std::int64_t bytes = 0;
    std::int64_t sizedTime = 0; // ns
    std::int64_t matched = 0; // waits
    std::int64_t wait = 0; // ns
    std::int64_t sizedWait = 0; // ns
};

CallEntry entryOf(const Call& call, const Calls& calls, CallGroups& groups);
// take(rank, wait): of the parts of a collective whose rank has a clock.
template <typename Take>
void forEachWait(const Collective& one, const RankClocks& clocks, CallGroups& groups, Take&& take) {
    const std::int64_t group = groups.numberOf(one.kind, *one.group);
    for (const CollectiveRank& part : one.ranks) {
        const RankClock* const clock = clocks.find(part.rank);
        if (clock == nullptr)
            continue;
        const DurationNs sized
            = one.bytes ? std::min(part.wait, part.end - part.start) : DurationNs{};
        take(part.rank, WaitEntry{clock->toLocal(part.start).ns, group, part.wait.ns, sized.ns});
    }
}

using CallSums = std::map<std::int64_t, CallSum>; // by group

void add(CallSums& sums, const CallEntry& call);
void add(CallSums& sums, const WaitEntry& wait);
void add(CallSums& sums, const CallSum& part);

// A slice: its entries, and what they add up to. False: the bytes are none of these.
void encodeSums(const CallSums& sums, store::Bytes& out);
bool decodeSums(store::ByteView bytes, std::vector<CallSum>& sums);
void encodeEntries(std::span<const CallEntry> calls, store::Bytes& out);
void encodeEntries(std::span<const WaitEntry> waits, store::Bytes& out);
bool decodeEntries(store::ByteView bytes, std::vector<CallEntry>& calls);
bool decodeEntries(store::ByteView bytes, std::vector<WaitEntry>& waits);

// Sums of the operators of a host thread in a part of its time. Sums of parts that follow each
// other add up to those of the whole: times are cut at the edges of the part, and an operator
// counts where it begins. Self: the time in which it is the last to have begun of those that run,
// so not that of operators called by it. One thread.

struct OperatorSum {
    NameId name;
    std::int64_t count = 0; // calls that begin in the part
    std::int64_t carried = 0; // calls that began before it
    DurationNs time;
    DurationNs self;
};

// By name. Carried calls of the part were counted before, unless it is the first.
using OperatorSums = std::vector<OperatorSum>;
void addSums(OperatorSums& sums, std::span<const OperatorSum> part, bool isFirst);

void encodeSums(std::span<const OperatorSum> sums, store::Bytes& out);
bool decodeSums(store::ByteView bytes, OperatorSums& sums);

// Memory grows with the operators of a part.
class OperatorMeter {
public:
    explicit OperatorMeter(TimeNs begin)
        : m_begin(begin) { }

    // In order of start; what is no operator is passed over.
    void add(const Span& span);
    // Ends the part here; all that begins before was added. The next part follows.
    OperatorSums close(TimeNs end);

    [[nodiscard]] std::size_t begun() const { return m_begun; } // in this part
    [[nodiscard]] TimeNs lastStart() const { return m_lastStart; }

private:
    TimeNs m_begin;
    TimeNs m_lastStart = kAllTime.begin;
    std::vector<Span> m_spans; // calls that touch the part
    std::size_t m_begun = 0;
};

// Sums of a thread in the window, in parts in which about `most` calls begin: take(part, sums).
// Cancelled where goesOn(spans read since the last call) is false.
Status forEachOperatorPart(const store::Store& store, const Track& thread, TimeRange window,
    std::size_t most, const std::function<bool(std::size_t)>& goesOn,
    const std::function<void(TimeRange, const OperatorSums&)>& take);
// All of the window together.
Result<OperatorSums> operatorSums(const store::Store& store, const Track& thread, TimeRange window,
    const Progress& progress = {});

// Kind of a sequence of slices; its place is the device, the track, or 0. The replay is no sum, and
// of no basis (replay/ReplayBytes.h).
enum class SumKind { Device, Thread, Calls, Waits, CallPaths, CallTree, Replay };
store::SumPlace placeOf(SumKind kind, int rank, std::int64_t place = 0);

// Raise it when sums are computed differently: those of another version are computed again.
inline constexpr std::int64_t kTraceSumsVersion = 6;

// One pass over all traces of the run: all sums but the call trees
// (core/analysis/operators/KeptTraces.h). Memory grows with the slices and the names, and with the
// calls of one rank; waits beyond that many are sorted in a file beside the database. Cancelled by
// progress. Blocking; for a worker.
inline constexpr std::size_t kWaitsInMemory = std::size_t{1} << 20U;
Result<store::KeptSums> sumTraces(
    const RunStudy& study, std::size_t waitsInMemory = kWaitsInMemory);

// Sums of traces so long that reading a stretch of them takes a while, and that are not kept.
enum class LackingSums { None, AllButCallTrees, All };
Result<LackingSums> lackingSums(const RunStudy& study);

// Kept sums of a run, read by any of its stores.
class TraceSums {
public:
    // Absent where nothing is kept.
    static Result<std::optional<TraceSums>> open(const RunStudy& study);

    [[nodiscard]] Result<DeviceAccount> device(
        const DeviceReading& reading, const TraceWindow& shown) const;
    // Sums of a host thread inside the window.
    [[nodiscard]] Result<OperatorSums> operators(
        const store::Store& store, const Track& thread, TimeRange window) const;
    // Adds the calls of a rank that start in the window, with their waits if wanted.
    Status addCalls(const store::Store& store, int rank, TimeRange window, bool withWaits,
        CallSums& sums) const;
    [[nodiscard]] const std::vector<CallGroup>& groups() const { return m_groups.list(); }

private:
    explicit TraceSums(RunId run)
        : m_run(run) { }
    template <typename Entry>
    Status addEntries(const store::Store& store, const store::SumPlace& place, TimeRange window,
        CallSums& sums) const;

    RunId m_run;
    CallGroups m_groups;
};

} // namespace trainscope::analysis
