#include "core/analysis/traces/Collectives.h"

#include "core/analysis/machine/ProcessGroups.h"
#include "core/analysis/statistics/TimeRanges.h"
#include "core/analysis/traces/CollectiveKind.h"
#include "core/analysis/traces/KernelCategory.h"
#include "core/model/Try.h"

#include <cmath>

namespace trainscope::analysis {

namespace {

constexpr std::int64_t kClockSlack = 2'000; // ns: traces of old writers count whole µs
constexpr std::int64_t kEndSlack = 50'000; // ns: parts of one collective end this close together
constexpr std::size_t kMostOpen = 1024; // per signature

bool isDirected(const CallSpec& spec) {
    return spec.source >= 0;
}

constexpr std::int64_t kSpansAtOnce = 2'000'000; // on all streams together

// A call on the common clock.
struct PlacedCall {
    TimeNs start;
    TimeNs end;
    std::uint32_t spec = 0;
    std::int64_t sequence = -1;
    int rank = 0;
};

class Scan {
public:
    Scan(Calls calls, const RankClocks& clocks, const CollectiveVisitor& visit,
        const Progress& progress, bool onCommonClock, TimeRange counted, TimeRange read)
        : m_calls(std::move(calls))
        , m_visit(visit)
        , m_progress(progress)
        , m_onCommonClock(onCommonClock)
        , m_counted(counted)
        , m_read(read)
        , m_matcher([this](const CallSpec& spec) { return expected(spec); },
              [this](const MatchedParts& matched) { take(matched); }) {
        for (const RankClock& clock : clocks.ranks)
            m_clockOf.emplace(clock.rank, &clock);
    }

    Result<CollectiveScan> run() {
        const std::vector<TimeRange> pieces = windows();
        for (const TimeRange& window : pieces) {
            RETURN_IF_ERROR(read(window));
            if (m_isStopped)
                return m_result;
        }
        m_matcher.finish();
        return m_result;
    }

private:
    // Windows of the common clock, so short that the calls of one are held at once.
    [[nodiscard]] std::vector<TimeRange> windows() const {
        std::int64_t spans = 0;
        TimeRange all = kNoTime;
        for (const auto& [rank, clock] : m_clockOf) {
            spans += m_calls.spanCount(rank);
            const auto range = m_calls.rangeOf(rank);
            if (range)
                all = spanned(all, clock->onReference(*range));
        }
        std::vector<TimeRange> result;
        const TimeRange part = shared(all, m_read);
        if (spans == 0 || part.isEmpty())
            return result;
        const double share = part.length().seconds() / all.length().seconds();
        const auto count
            = static_cast<std::int64_t>(static_cast<double>(spans) * share) / kSpansAtOnce + 1;
        const std::int64_t step = part.length().ns / count + 1;
        for (TimeNs begin = part.begin; begin < part.end; begin = begin + DurationNs{step})
            result.push_back({begin, begin + DurationNs{step}});
        return result;
    }

    Status read(TimeRange window) {
        std::vector<PlacedCall> placed;
        for (const auto& [rank, clock] : m_clockOf) {
            if (m_progress && !m_progress({"Matching collectives", m_bytes, 0}))
                return cancelled();
            ASSIGN_OR_RETURN(const auto calls,
                m_calls.read(rank, clock->toLocal(window), static_cast<std::size_t>(-1)));
            m_bytes += calls.size() * sizeof(Call);
            for (const Call& call : calls) {
                const TimeNs start = clock->onReference(call.start);
                placed.push_back(
                    {start, start + (call.end - call.start), call.spec, call.sequence, rank});
            }
        }
        std::ranges::stable_sort(placed, {}, &PlacedCall::start);
        for (const PlacedCall& call : placed) {
            add(call);
            if (m_isStopped)
                break;
        }
        return {};
    }

    void add(const PlacedCall& call) {
        const CallSpec& spec = m_calls.specs()[call.spec];
        if (expected(spec) < 2) {
            if (m_counted.contains(call.end))
                ++m_result.alone[call.rank];
            return;
        }
        const double error = m_clockOf.at(call.rank)->uncertaintyNs;
        m_matcher.add(call.spec, spec, call.sequence,
            {call.rank, call.start, call.end, std::llround(error), spec.bytes.value_or(-1.0)});
    }

    int expected(const CallSpec& spec) {
        if (spec.kind == CollectiveKind::SendRecv) {
            const bool isRecorded = spec.source < 0
                || (m_clockOf.contains(spec.source) && m_clockOf.contains(spec.destination)
                    && spec.source != spec.destination);
            return isRecorded ? std::min(2, recordedIn(spec.communicator)) : 1;
        }
        return recordedIn(spec.communicator);
    }

    int recordedIn(std::uint32_t communicator) {
        while (m_recorded.size() <= communicator) {
            const TracedCommunicator& group = m_calls.communicators()[m_recorded.size()];
            m_recorded.push_back(static_cast<int>(std::ranges::count_if(
                m_clockOf, [&](const auto& entry) { return group.mayHold(entry.first); })));
        }
        return m_recorded[communicator];
    }

    void take(const MatchedParts& matched) {
        if (m_isStopped)
            return;
        if (matched.parts.size() < 2) {
            if (m_counted.contains(matched.parts.front().end))
                ++m_result.unmatched[matched.parts.front().rank];
            return;
        }
        const Collective one = collectiveFrom(matched);
        ++(one.isComplete ? m_result.complete : m_result.incomplete);
        m_isStopped = !m_visit(one);
    }

    Collective collectiveFrom(const MatchedParts& matched) {
        const CallSpec& spec = m_calls.specs()[matched.spec];
        Collective one;
        one.kind = spec.kind;
        one.communicator = spec.communicator;
        one.group = &m_calls.communicators()[spec.communicator];
        // All who were there took part, if nothing names the participants.
        const bool isAnyones
            = one.group->ranks.empty() && one.group->size <= static_cast<int>(matched.parts.size());
        one.isComplete = matched.isComplete || isAnyones;
        one.bytes = meanBytes(matched);
        for (const CollectivePart& part : matched.parts) {
            const DurationNs back = m_onCommonClock
                ? DurationNs{}
                : m_clockOf.at(part.rank)->toLocal(part.start) - part.start;
            one.ranks.push_back({part.rank, part.start + back, part.end + back, {}});
        }
        const auto [first, last]
            = std::ranges::minmax_element(one.ranks, {}, &CollectiveRank::start);
        one.firstRank = first->rank;
        one.lastRank = last->rank;
        one.firstStart = first->start;
        one.lastStart = last->start;
        one.transfer = last->end - last->start;
        one.end = last->end;
        for (CollectiveRank& rank : one.ranks) {
            rank.wait = one.lastStart - rank.start;
            one.end = std::max(one.end, rank.end);
        }
        const int members
            = one.group->size > 0 ? one.group->size : static_cast<int>(one.ranks.size());
        one.ranksInGroup = one.kind == CollectiveKind::SendRecv ? 2 : members;
        std::ranges::sort(one.ranks, {}, &CollectiveRank::rank);
        return one;
    }

    static std::optional<double> meanBytes(const MatchedParts& matched) {
        double sum = 0.0;
        int count = 0;
        for (const CollectivePart& part : matched.parts) {
            sum += std::max(0.0, part.bytes);
            count += part.bytes >= 0.0 ? 1 : 0;
        }
        return count > 0 ? std::optional(sum / count) : std::nullopt;
    }

    Calls m_calls;
    const CollectiveVisitor& m_visit;
    const Progress& m_progress;
    bool m_onCommonClock;
    TimeRange m_counted;
    TimeRange m_read;
    CollectiveMatcher m_matcher;
    std::map<int, const RankClock*> m_clockOf;
    std::vector<int> m_recorded; // ranks of each communicator
    std::uint64_t m_bytes = 0; // bytes of calls, so far
    CollectiveScan m_result;
    bool m_isStopped = false;
};

// Parts of one collective are under way together, but a rank may wait long for the last.
constexpr std::array<DurationNs, 3> kReaches{{{5'000'000}, {1'000'000'000}, {30'000'000'000}}};

RankClocks clocksAsRecorded(const std::set<int>& ranks) {
    RankClocks clocks;
    for (const int rank : ranks) {
        RankClock clock;
        clock.rank = rank;
        clocks.ranks.push_back(clock);
    }
    return clocks;
}

// The one of which the call is a part, without its group; asked for more and more of the time
// around it. Absent where no part of another rank was found.
Result<std::optional<Collective>> collectiveOf(const RunStudy& study, const CollectiveRank& call,
    CollectiveKind kind, const RankClocks& clocks) {
    std::optional<Collective> found;
    const auto visit = [&](const Collective& one) {
        const bool isIt = std::ranges::any_of(one.ranks, [&call](const CollectiveRank& part) {
            return part.rank == call.rank && part.start == call.start && part.end == call.end;
        });
        if (!isIt)
            return true;
        found = one;
        found->group = nullptr;
        return false;
    };
    // Messages without numbers go in order, which a short look does not see.
    const std::size_t first = kind == CollectiveKind::SendRecv ? 1 : 0;
    for (std::size_t i = first; i < kReaches.size() && !(found && found->isComplete); ++i) {
        const TimeRange around{call.start - kReaches[i], call.end + kReaches[i]};
        ASSIGN_OR_RETURN(
            const auto scan, forEachCollective(study, clocks, visit, true, kAllTime, around));
        static_cast<void>(scan);
    }
    return found;
}

} // namespace

bool CollectiveMatcher::holds(const Open& open, int rank) {
    return std::ranges::any_of(
        open.matched.parts, [rank](const CollectivePart& part) { return part.rank == rank; });
}

std::int64_t CollectiveMatcher::distance(const Open& open, const CollectivePart& part) {
    return (std::max(part.end, open.lastEnd) - std::min(part.end, open.lastEnd)).ns;
}

bool CollectiveMatcher::fits(
    const Open& open, const CallSpec& spec, std::int64_t sequence, const CollectivePart& part) {
    if (holds(open, part.rank))
        return false;
    if (open.sequence >= 0 && sequence >= 0)
        return open.sequence == sequence;
    if (isDirected(spec))
        return true;
    const std::int64_t slack = open.clockError + part.clockError + kClockSlack;
    if ((part.start - open.firstEnd).ns > slack)
        return false;
    if (!isSynchronising(spec.kind) || !hasEqualSizes(spec.kind))
        return true;
    const std::int64_t shorter
        = std::min((part.end - part.start).ns, (open.lastEnd - open.matched.parts.back().start).ns);
    return distance(open, part) <= slack + std::max(kEndSlack, shorter / 4);
}

bool CollectiveMatcher::isOver(const Open& open, TimeNs now) {
    const std::int64_t patience = open.isSynchronising && open.sequence < 0
        ? 2 * open.clockError + kClockSlack + kEndSlack
        : kLongestApart.ns;
    return (now - open.lastEnd).ns > patience;
}

void CollectiveMatcher::closeOver(Queue& queue, TimeNs now) {
    while (!queue.empty() && (isOver(queue.front(), now) || queue.size() > kMostOpen)) {
        close(queue.front());
        queue.pop_front();
    }
}

void CollectiveMatcher::close(Open& open) {
    open.matched.isComplete = static_cast<int>(open.matched.parts.size()) == open.expected;
    m_take(open.matched);
}

void CollectiveMatcher::add(
    std::uint32_t index, const CallSpec& spec, std::int64_t sequence, const CollectivePart& part) {
    const int expected = m_expected(spec);
    Queue& queue = m_open[spec.signature];
    closeOver(queue, part.start);
    auto best = queue.end();
    for (auto at = queue.begin(); at != queue.end(); ++at) {
        if (!fits(*at, spec, sequence, part))
            continue;
        if (best == queue.end()
            || (!isDirected(spec) && distance(*at, part) < distance(*best, part)))
            best = at;
    }
    if (best == queue.end()) {
        queue.push_back({{index, {}, false}, sequence, expected, part.end, part.end, 0,
            isSynchronising(spec.kind)});
        best = queue.end() - 1;
    }
    best->matched.parts.push_back(part);
    best->sequence = std::max(best->sequence, sequence);
    best->firstEnd = std::min(best->firstEnd, part.end);
    best->lastEnd = std::max(best->lastEnd, part.end);
    best->clockError = std::max(best->clockError, part.clockError);
    if (static_cast<int>(best->matched.parts.size()) < expected)
        return;
    close(*best);
    queue.erase(best);
}

void CollectiveMatcher::finish() {
    for (auto& [signature, queue] : m_open) {
        for (Open& open : queue)
            close(open);
    }
    m_open.clear();
}

std::optional<double> Collective::algorithmBandwidth() const {
    if (!bytes || transfer.ns <= 0)
        return std::nullopt;
    return *bytes / transfer.seconds();
}

std::optional<double> Collective::busBandwidth() const {
    const auto bandwidth = algorithmBandwidth();
    return bandwidth ? std::optional(*bandwidth * busFactor(kind, ranksInGroup)) : std::nullopt;
}

Result<CollectiveScan> forEachCollective(const RunStudy& study, const RankClocks& clocks,
    const CollectiveVisitor& visit, bool onCommonClock, TimeRange counted, TimeRange read) {
    ASSIGN_OR_RETURN(auto calls, Calls::open(study));
    return Scan(std::move(calls), clocks, visit, study.progress, onCommonClock, counted, read)
        .run();
}

Result<std::optional<CollectivePeers>> collectivePeers(
    const RunStudy& study, int rank, const Span& span, const RankClocks* clocks) {
    const std::optional<CollectivePeers> none;
    ASSIGN_OR_RETURN(const auto name, study.store.name(span.name));
    if (span.kind != SpanKind::Kernel || !KernelCategories::isCommunication(name))
        return none;
    ASSIGN_OR_RETURN(const auto tracks, study.store.tracks(study.run.id));
    std::set<int> traced;
    for (const Track& track : tracks) {
        if (track.description.kind == TrackKind::Stream)
            traced.insert(track.description.rank);
    }
    ASSIGN_OR_RETURN(const auto detail, collectiveDetail(study.store, span.detail));
    const TracedCommunicator group
        = communicatorFrom(detail, std::max(study.run.worldSize, study.run.gpuCount));
    const RankClocks used = clocks != nullptr ? *clocks : clocksAsRecorded(traced);
    const RankClock* const own = used.find(rank);
    const TimeNs start = own == nullptr ? span.start : own->onReference(span.start);
    const CollectiveRank call{rank, start, start + span.duration, {}};
    const bool hasPeers
        = own != nullptr && std::ranges::any_of(used.ranks, [&](const RankClock& other) {
              return other.rank != rank && group.mayHold(other.rank);
          });
    CollectivePeers result{{call}, {}, rank, {}};
    if (hasPeers) {
        ASSIGN_OR_RETURN(
            auto found, collectiveOf(study, call, collectiveKind(name, detail.collective), used));
        if (found)
            result = {
                std::move(found->ranks), {}, found->lastRank, found->lastStart - found->firstStart};
    }
    for (const int member : group.ranks) {
        const bool isThere = std::ranges::any_of(
            result.ranks, [member](const CollectiveRank& part) { return part.rank == member; });
        if (!isThere)
            result.missingRanks.push_back(member);
    }
    return std::optional(std::move(result));
}

} // namespace trainscope::analysis
