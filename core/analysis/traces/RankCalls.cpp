#include "core/analysis/traces/RankCalls.h"

#include "core/analysis/traces/RankClocks.h"
#include "core/model/Try.h"

#include <algorithm>

namespace trainscope::analysis {

namespace {

constexpr std::size_t kMostKept = std::size_t{1} << 21U; // calls of all ranks

} // namespace

Result<RankCalls> RankCalls::open(
    const store::Store& store, const Run& run, const Progress& progress) {
    ASSIGN_OR_RETURN(auto calls, Calls::open(store, run));
    RankCalls result(std::move(calls));
    for (const int rank : result.m_calls.ranks()) {
        if (progress && !progress({"Reading collectives", 0, 0}))
            return cancelled();
        ASSIGN_OR_RETURN(const auto list, result.of(rank));
        auto& signatures = result.m_signatures[rank];
        for (const Call& call : *list)
            signatures.insert(result.m_calls.specs()[call.spec].signature);
    }
    return result;
}

TimeRange RankCalls::rangeOf(int rank) const {
    return m_calls.rangeOf(rank).value_or(TimeRange{});
}

Result<RankCalls::CallList> RankCalls::of(int rank) {
    if (const auto kept = m_kept.find(rank); kept != m_kept.end())
        return kept->second;
    if (m_last.first == rank)
        return m_last.second;
    ASSIGN_OR_RETURN(auto read, m_calls.read(rank, kAllTime, kMostAlignedCalls));
    const auto list = std::make_shared<const std::vector<Call>>(std::move(read));
    if (m_keptCalls + list->size() <= kMostKept) {
        m_keptCalls += list->size();
        m_kept.emplace(rank, list);
    }
    return CallList(list);
}

bool RankCalls::isShared(const CallSpec& spec, int a, int b, bool withMessages) const {
    const Communicator& group = m_calls.communicators()[spec.communicator];
    if (!group.mayHold(a) || !group.mayHold(b))
        return false;
    if (isSynchronising(spec.kind))
        return true;
    if (!withMessages)
        return false;
    if (spec.source >= 0)
        return std::minmax(spec.source, spec.destination) == std::minmax(a, b);
    // The k-th message of a rank is the k-th of another only where there is no third.
    return group.size == 2 || group.ranks.size() == 2 || m_calls.ranks().size() == 2;
}

std::vector<SequencedCall> RankCalls::select(
    const std::vector<Call>& calls, int a, int b, bool withMessages) const {
    std::vector<SequencedCall> result;
    for (const Call& call : calls) {
        const CallSpec& spec = m_calls.specs()[call.spec];
        if (isShared(spec, a, b, withMessages))
            result.push_back(
                {call.start, call.end, spec.signature, call.sequence, isSynchronising(spec.kind),
                    !m_calls.communicators()[spec.communicator].ranks.empty()});
    }
    return result;
}

Result<RankCalls::Shared> RankCalls::shared(int a, int b, bool withMessages) {
    const auto& ofA = m_signatures[a];
    const auto& ofB = m_signatures[b];
    if (std::none_of(ofA.begin(), ofA.end(),
            [&](std::uint32_t signature) { return ofB.contains(signature); }))
        return Shared{};
    ASSIGN_OR_RETURN(const auto first, of(a));
    m_last = {a, first};
    ASSIGN_OR_RETURN(const auto second, of(b));
    return Shared{select(*first, a, b, withMessages), select(*second, a, b, withMessages)};
}

} // namespace trainscope::analysis
