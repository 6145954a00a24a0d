#pragma once
// The calls of a run's ranks, kept while they are few and read again where they are many, and which
// of them two ranks have in common. One thread.

#include "core/analysis/traces/Calls.h"
#include "core/analysis/traces/SequenceMatch.h"

#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

namespace trainscope::analysis {

class RankCalls {
public:
    // Reads which communicators each rank uses. Cancelled by progress.
    static Result<RankCalls> open(
        const store::Store& store, const Run& run, const Progress& progress);

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
