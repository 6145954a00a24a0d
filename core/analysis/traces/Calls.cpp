#include "core/analysis/traces/Calls.h"

#include "core/analysis/statistics/TimeRanges.h"
#include "core/analysis/traces/RankClocks.h"
#include "core/model/Gather.h"
#include "core/model/Try.h"

#include <numeric>

namespace trainscope::analysis {

namespace {

// Details that number their collectives are all different: what was looked up must not pile up.
constexpr std::size_t kMostSeen = std::size_t{1} << 16U;

std::string keyOf(const CallSpec& spec, bool withSize) {
    const std::string bytes = spec.bytes ? std::to_string(*spec.bytes) : std::string();
    return std::to_string(spec.communicator) + '/' + std::to_string(static_cast<int>(spec.kind))
        + '/' + (withSize ? bytes : std::string()) + '/' + std::to_string(spec.source) + '/'
        + std::to_string(spec.destination);
}

bool isBefore(const Call& a, const Call& b) {
    return a.start != b.start ? a.start < b.start : a.end < b.end;
}

constexpr std::size_t kMostKept = std::size_t{1} << 21U; // calls of all ranks

} // namespace

bool TracedCommunicator::mayHold(int rank) const {
    return ranks.empty() || std::binary_search(ranks.begin(), ranks.end(), rank);
}

Result<Calls> Calls::open(const RunStudy& study) {
    Calls calls(study.store);
    calls.m_worldSize = study.run.worldSize;
    ASSIGN_OR_RETURN(auto tracks, study.store.tracks(study.run.id));
    for (const Track& track : tracks) {
        const int rank = track.description.rank;
        if (rank < 0 || track.count == 0)
            continue;
        auto& range = calls.m_ranges.try_emplace(rank, track.range).first->second;
        range = spanned(range, track.range);
        if (track.description.kind == TrackKind::Stream)
            calls.m_streams[rank].push_back(track);
    }
    if (calls.m_streams.empty())
        return calls;
    ASSIGN_OR_RETURN(auto names, study.store.names(study.run.id));
    for (auto& [id, text] : names) {
        if (KernelCategories::isCommunication(text))
            calls.m_kernels.emplace(id, std::move(text));
    }
    return calls;
}

std::vector<int> Calls::ranks() const {
    return vectorOf(m_streams, [](const auto& one) { return one.first; });
}

std::optional<TimeRange> Calls::rangeOf(int rank) const {
    const auto found = m_ranges.find(rank);
    return found == m_ranges.end() ? std::nullopt : std::optional(found->second);
}

std::int64_t Calls::spanCount(int rank) const {
    std::int64_t count = 0;
    if (const auto found = m_streams.find(rank); found != m_streams.end()) {
        for (const Track& track : found->second)
            count += track.count;
    }
    return count;
}

Result<std::vector<Call>> Calls::read(int rank, TimeRange window, std::size_t most) {
    std::vector<Call> calls;
    const auto found = m_streams.find(rank);
    if (found == m_streams.end() || m_kernels.empty())
        return calls;
    for (const Track& track : found->second)
        RETURN_IF_ERROR(readTrack(track, window, most, calls));
    std::ranges::stable_sort(calls, isBefore);
    if (calls.size() > most)
        calls.resize(most);
    return calls;
}

Result<TimeRange> Calls::extentOf(int rank, TimeRange window) const {
    TimeRange extent = kNoTime;
    const auto found = m_streams.find(rank);
    if (found == m_streams.end() || m_kernels.empty())
        return extent;
    for (const Track& track : found->second) {
        RETURN_IF_ERROR(m_store->forEachSpan(track.id, window, [&](std::span<const Span> spans) {
            for (const Span& span : spans) {
                if (span.kind == SpanKind::Kernel && m_kernels.contains(span.name))
                    extent = spanned(extent, {span.start, span.start + span.duration});
            }
            return true;
        }));
    }
    return extent;
}

Status Calls::readTrack(
    const Track& track, TimeRange window, std::size_t most, std::vector<Call>& calls) {
    Status failure;
    std::size_t taken = 0;
    const auto take = [&](std::span<const Span> spans) {
        for (const Span& span : spans) {
            if (span.kind != SpanKind::Kernel || !window.contains(span.start)
                || !m_kernels.contains(span.name))
                continue;
            failure = add(track.description.rank, span, calls);
            if (!failure.hasValue() || ++taken >= most)
                return false;
        }
        return true;
    };
    if (window != kAllTime) {
        const auto status = m_store->forEachSpan(track.id, window, take);
        return failure.hasValue() ? status : failure;
    }
    for (const auto& [name, text] : m_kernels) {
        taken = 0;
        const auto status = m_store->forEachSpanNamed(track.id, name, take);
        if (!failure.hasValue() || !status.hasValue())
            return failure.hasValue() ? status : failure;
    }
    return {};
}

Status Calls::add(int rank, const Span& span, std::vector<Call>& calls) {
    ASSIGN_OR_RETURN(const auto seen, lookUp(rank, span));
    // A communicator of one rank moves nothing.
    const CallSpec& spec = m_specs[seen.spec];
    if (m_communicators[spec.communicator].size != 1)
        calls.push_back({span.start, span.start + span.duration, seen.spec, seen.sequence});
    return {};
}

Result<Calls::Seen> Calls::lookUp(int rank, const Span& span) {
    if (m_seenRank != rank || m_seen.size() > kMostSeen) {
        m_seen.clear();
        m_seenRank = rank;
    }
    const std::pair key{span.name, span.detail};
    if (const auto found = m_seen.find(key); found != m_seen.end())
        return found->second;
    ASSIGN_OR_RETURN(const auto detail, collectiveDetail(*m_store, span.detail));
    return m_seen.emplace(key, interned(rank, m_kernels.at(span.name), detail)).first->second;
}

Calls::Seen Calls::interned(int rank, const std::string& kernel, const CollectiveDetail& detail) {
    CallSpec spec;
    spec.kind = collectiveKind(kernel, detail.collective);
    spec.communicator = communicatorOf(detail);
    spec.bytes = bytesOf(detail);
    if (spec.kind == CollectiveKind::SendRecv && (detail.source || detail.destination)) {
        spec.source = detail.source.value_or(rank);
        spec.destination = detail.destination.value_or(rank);
    }
    const auto next = static_cast<std::uint32_t>(m_specs.size());
    const auto [at, isNew] = m_specIds.try_emplace(keyOf(spec, true), next);
    if (isNew) {
        spec.signature = signatureOf(spec);
        m_specs.push_back(spec);
    }
    return {at->second, detail.sequence.value_or(-1)};
}

TracedCommunicator communicatorFrom(const CollectiveDetail& detail, int worldSize) {
    TracedCommunicator group{{detail.group, detail.description, detail.ranks},
        detail.ranks.empty() ? static_cast<int>(detail.groupSize.value_or(0))
                             : static_cast<int>(detail.ranks.size())};
    // Long lists are elided; one as long as the world holds every rank.
    if (group.ranks.empty() && group.size > 0 && group.size == worldSize) {
        group.ranks.resize(static_cast<std::size_t>(group.size));
        std::iota(group.ranks.begin(), group.ranks.end(), 0);
    }
    std::ranges::sort(group.ranks);
    return group;
}

std::uint32_t Calls::communicatorOf(const CollectiveDetail& detail) {
    TracedCommunicator group = communicatorFrom(detail, m_worldSize);
    std::string key = group.name + '\n';
    for (const int rank : group.ranks)
        key += std::to_string(rank) + ',';
    if (group.ranks.empty())
        key += detail.ranksText + '\n' + std::to_string(group.size);
    const auto next = static_cast<std::uint32_t>(m_communicators.size());
    const auto [at, isNew] = m_communicatorIds.try_emplace(key, next);
    if (isNew)
        m_communicators.push_back(std::move(group));
    return at->second;
}

std::uint32_t Calls::signatureOf(const CallSpec& spec) {
    const auto next = static_cast<std::uint32_t>(m_signatureIds.size());
    return m_signatureIds.try_emplace(keyOf(spec, hasEqualSizes(spec.kind)), next).first->second;
}

Result<RankCalls> RankCalls::open(const RunStudy& study) {
    ASSIGN_OR_RETURN(auto calls, Calls::open(study));
    RankCalls result(std::move(calls));
    for (const int rank : result.m_calls.ranks()) {
        if (study.progress && !study.progress({"Reading collectives", 0, 0}))
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
    const TracedCommunicator& group = m_calls.communicators()[spec.communicator];
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
    if (std::ranges::none_of(ofA, [&](std::uint32_t signature) { return ofB.contains(signature); }))
        return Shared{};
    ASSIGN_OR_RETURN(const auto first, of(a));
    m_last = {a, first};
    ASSIGN_OR_RETURN(const auto second, of(b));
    return Shared{select(*first, a, b, withMessages), select(*second, a, b, withMessages)};
}

} // namespace trainscope::analysis
