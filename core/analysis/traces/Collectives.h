#pragma once
// Collectives across ranks: the calls that belong together, and what each transferred and waited.

#include "core/analysis/traces/Calls.h"
#include "core/analysis/traces/RankClocks.h"

#include <deque>

namespace trainscope::analysis {

// Puts the parts of collectives together that arrive in order of their start on one clock. A part
// belongs to a collective of its communicator, kind and size that still lacks its rank: where the
// trace numbers them, the one of its number; else one that it overlaps (no part of a synchronising
// collective ends before the last has started) and that ends when it ends. Messages whose ends are
// known go in order. Memory is that of the collectives that are not complete. One thread.

struct CollectivePart {
    int rank = 0;
    TimeNs start;
    TimeNs end;
    std::int64_t clockError = 0; // ns, of both times
    double bytes = -1.0; // negative: not known
};

struct MatchedParts {
    std::uint32_t spec = 0; // the first part's
    std::vector<CollectivePart> parts; // in order of arrival
    bool isComplete = false; // every rank that could take part does
};

class CollectiveMatcher {
public:
    using Take = std::function<void(const MatchedParts&)>;

    // `expected`: how many of the recorded ranks can be parts of a collective of that spec.
    // Collectives of one part are handed over too.
    CollectiveMatcher(std::function<int(const CallSpec&)> expected, Take take)
        : m_expected(std::move(expected))
        , m_take(std::move(take)) { }

    void add(std::uint32_t index, const CallSpec& spec, std::int64_t sequence,
        const CollectivePart& part);
    // Delivers the incomplete collectives, in no particular order.
    void finish();

private:
    struct Open {
        MatchedParts matched;
        std::int64_t sequence = -1;
        int expected = 0;
        TimeNs firstEnd;
        TimeNs lastEnd;
        std::int64_t clockError = 0;
        bool isSynchronising = false;
    };
    using Queue = std::deque<Open>;

    static bool holds(const Open& open, int rank);
    static bool fits(
        const Open& open, const CallSpec& spec, std::int64_t sequence, const CollectivePart& part);
    static bool isOver(const Open& open, TimeNs now);
    static std::int64_t distance(const Open& open, const CollectivePart& part);
    void closeOver(Queue& queue, TimeNs now);
    void close(Open& open);

    std::function<int(const CallSpec&)> m_expected;
    Take m_take;
    std::unordered_map<std::uint32_t, Queue> m_open; // by signature
};

// The collectives of a run, each with the parts of all ranks on one clock: matched by communicator,
// kind, size, number and time. Streamed: memory does not grow with the trace.

struct CollectiveRank {
    int rank = 0;
    TimeNs start;
    TimeNs end;
    DurationNs wait; // from its start until the last rank started
};

struct Collective {
    CollectiveKind kind = CollectiveKind::Other;
    const TracedCommunicator* group = nullptr; // valid during the visit
    std::uint32_t communicator = 0; // its number in this scan
    std::optional<double> bytes; // see bytesOf(); the mean where ranks hand in differently much
    std::vector<CollectiveRank> ranks; // by rank; two or more
    bool isComplete = false; // every recorded rank of the communicator is there
    int ranksInGroup = 0; // ranks for the bus bandwidth: the communicator's, else ranks.size()
    int firstRank = 0; // it started first
    int lastRank = 0; // it started last and kept the others waiting
    TimeNs firstStart;
    TimeNs lastStart;
    TimeNs end; // end of the last part
    // From the last start to the end of that part: what the transfer took, on one clock.
    DurationNs transfer;

    // Without some rank of the communicator: the transfer holds what is waited for whom nobody saw.
    [[nodiscard]] bool isPartial() const { return static_cast<int>(ranks.size()) < ranksInGroup; }
    // bytes / transfer, and that × busFactor(); absent without bytes or time.
    [[nodiscard]] std::optional<double> algorithmBandwidth() const; // B/s
    [[nodiscard]] std::optional<double> busBandwidth() const; // B/s
};

struct CollectiveScan {
    std::int64_t complete = 0; // collectives
    std::int64_t incomplete = 0; // some recorded rank's part was not found
    std::map<int, std::int64_t> unmatched; // calls without a partner though there should be one
    std::map<int, std::int64_t> alone; // calls none of whose partners was recorded
};

// The visitor returns false to stop. `onCommonClock` false: times stay those of each rank's clock
// (matching uses the clocks all the same). Ranks without an aligned clock are left out. The order
// is about that of time. Calls that stay without a partner count where they end in `counted`
// (common clock). Only calls that start in `read` (common clock) are looked at. Cancelled by
// progress, which counts the bytes of the calls so far.
using CollectiveVisitor = std::function<bool(const Collective&)>;
// Parts of one collective are no further apart, from the end of one to the begin of another.
inline constexpr DurationNs kLongestApart{1'000'000'000};
Result<CollectiveScan> forEachCollective(const RunStudy& study, const RankClocks& clocks,
    const CollectiveVisitor& visit, bool onCommonClock = true, TimeRange counted = kAllTime,
    TimeRange read = kAllTime);

// The other ranks' parts of a collective. Its kernel runs on every rank of its process group, and
// the part that starts last keeps the others waiting, so comparing the starts shows who was late.

struct CollectivePeers {
    std::vector<CollectiveRank> ranks; // by rank, the one asked for among them
    std::vector<int> missingRanks; // ranks of the process group without a trace or a match
    int lastRank = -1; // its part started last
    DurationNs startSpread; // from the first start to the last
};

// Absent for a span that is no communication kernel. The parts are those that forEachCollective()
// finds among the calls around the span, which are read from 5 ms up to 30 s around it, until every
// recorded rank is there. Times are of the reference clock; without clocks they are as recorded,
// for ranks whose clocks agree. Cancelled by progress.
Result<std::optional<CollectivePeers>> collectivePeers(
    const RunStudy& study, int rank, const Span& span, const RankClocks* clocks = nullptr);

} // namespace trainscope::analysis
