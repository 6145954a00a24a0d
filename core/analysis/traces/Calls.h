#pragma once
// The communication kernels of a run as calls: what each of them is a part of, and from when to
// when. Times are those of the rank's own clock. One thread.

#include "core/analysis/traces/CollectiveKind.h"
#include "core/analysis/traces/KernelCategory.h"
#include "core/analysis/traces/SequenceMatch.h"
#include "core/layout/ProcessGroup.h"

#include <set>

namespace trainscope::analysis {

// The ranks of a communicator. Two groups of one name are two communicators where their lists of
// ranks differ.
struct TracedCommunicator : layout::ProcessGroup { // no ranks: any of the run may be in it
    int size = 0; // ranks in it, 0: not known

    [[nodiscard]] bool mayHold(int rank) const;
};

// As the arguments of a call describe it, in a world of that many ranks (0: not known).
TracedCommunicator communicatorFrom(const CollectiveDetail& detail, int worldSize);

// Properties that calls share if they may be parts of one collective, and their size.
struct CallSpec {
    CollectiveKind kind = CollectiveKind::Other;
    std::uint32_t communicator = 0; // index
    std::optional<double> bytes;
    int source = -1; // messages only, if the trace says it
    int destination = -1;
    std::uint32_t signature = 0; // equal for calls that may belong together
};

struct Call {
    TimeNs start;
    TimeNs end;
    std::uint32_t spec = 0; // index
    std::int64_t sequence = -1; // as the trace numbers it within the communicator; -1: not said
};

class Calls {
public:
    // Refers to the store.
    static Result<Calls> open(const RunStudy& study);

    // Ranks with device streams, ascending.
    [[nodiscard]] std::vector<int> ranks() const;
    // From the first span of that rank to the last, of all its tracks.
    [[nodiscard]] std::optional<TimeRange> rangeOf(int rank) const;
    // Spans on the streams of a rank: no fewer than its calls.
    [[nodiscard]] std::int64_t spanCount(int rank) const;
    // Calls of a rank that start in the window, in order of start; at most `most`.
    Result<std::vector<Call>> read(int rank, TimeRange window, std::size_t most);
    // From the first begin to the last end of the calls that touch the window; kNoTime: of none.
    [[nodiscard]] Result<TimeRange> extentOf(int rank, TimeRange window) const;

    // Both grow while reading.
    [[nodiscard]] const std::vector<CallSpec>& specs() const { return m_specs; }
    [[nodiscard]] const std::vector<TracedCommunicator>& communicators() const {
        return m_communicators;
    }

private:
    explicit Calls(const store::Store& store)
        : m_store(&store) { }

    struct Seen {
        std::uint32_t spec = 0;
        std::int64_t sequence = -1;
    };

    Status readTrack(
        const Track& track, TimeRange window, std::size_t most, std::vector<Call>& calls);
    Status add(int rank, const Span& span, std::vector<Call>& calls);
    Result<Seen> lookUp(int rank, const Span& span);
    Seen interned(int rank, const std::string& kernel, const CollectiveDetail& detail);
    std::uint32_t communicatorOf(const CollectiveDetail& detail);
    std::uint32_t signatureOf(const CallSpec& spec);

    const store::Store* m_store;
    int m_worldSize = 0;
    std::map<int, std::vector<Track>> m_streams; // by rank
    std::map<int, TimeRange> m_ranges;
    std::map<NameId, std::string> m_kernels; // communication kernels
    std::vector<TracedCommunicator> m_communicators;
    std::vector<CallSpec> m_specs;
    std::map<std::string, std::uint32_t> m_communicatorIds;
    std::map<std::string, std::uint32_t> m_specIds;
    std::map<std::string, std::uint32_t> m_signatureIds;
    int m_seenRank = -1; // rank that m_seen is for
    std::unordered_map<std::pair<NameId, NameId>, Seen, NamePairHash> m_seen;
};

// The calls of a run's ranks, kept while they are few and read again where they are many, and which
// of them two ranks have in common. One thread.
class RankCalls {
public:
    // Reads which communicators each rank uses. Cancelled by progress.
    static Result<RankCalls> open(const RunStudy& study);

    [[nodiscard]] std::vector<int> ranks() const { return m_calls.ranks(); }
    [[nodiscard]] TimeRange rangeOf(int rank) const;
    // Calls of both ranks that may be parts of the same collectives, of messages between them too
    // or of synchronising collectives only. Both empty where there are none.
    using Shared = std::pair<std::vector<SequencedCall>, std::vector<SequencedCall>>;
    Result<Shared> shared(int a, int b, bool withMessages);

private:
    using CallList = std::shared_ptr<const std::vector<Call>>;

    explicit RankCalls(Calls calls)
        : m_calls(std::move(calls)) { }
    Result<CallList> of(int rank);
    [[nodiscard]] bool isShared(const CallSpec& spec, int a, int b, bool withMessages) const;
    [[nodiscard]] std::vector<SequencedCall> select(
        const std::vector<Call>& calls, int a, int b, bool withMessages) const;

    Calls m_calls;
    std::map<int, std::set<std::uint32_t>> m_signatures; // by rank
    std::map<int, CallList> m_kept;
    std::size_t m_keptCalls = 0;
    std::pair<int, CallList> m_last{-1, nullptr}; // read again and again while it is the hub
};

} // namespace trainscope::analysis
