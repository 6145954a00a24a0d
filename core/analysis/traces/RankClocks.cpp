#include "core/analysis/traces/RankClocks.h"

#include "core/analysis/traces/Calls.h"
#include "core/analysis/traces/ClockFit.h"
#include "core/model/Try.h"
#include "core/model/WholeNumber.h"
#include "core/parallel/OrderedJobs.h"

namespace trainscope::analysis {

namespace {

constexpr std::size_t kFewestMatches = 3;
// Fewer leave the drift open, and with it a bound that grows with the trace.
constexpr std::size_t kFewestForBound = 4;
// Calls of groups that the trace does not name are taken for parts of one collective only where
// they end so close together, ns.
constexpr double kMostUnnamedSpread = 40'000.0;
constexpr double kLeastMatchedShare = 0.4; // share of calls between first and last match

using IterationStarts = std::map<std::int64_t, TimeNs>;

// b's clock against the reference, from b against a and a against the reference.
RankClock chained(const RankClock& a, const ClockFit& fit, int rank) {
    RankClock clock;
    clock.rank = rank;
    clock.reference = a.reference;
    clock.offsetNs = a.offsetNs + fit.offsetNs;
    clock.driftPpm = ((1.0 + a.driftPpm * 1e-6) * (1.0 + fit.drift) - 1.0) * 1e6;
    clock.uncertaintyNs = a.uncertaintyNs + fit.uncertaintyNs;
    clock.collectives = fit.collectives;
    clock.driftErrorPpm = std::hypot(a.driftErrorPpm, fit.driftError * 1e6);
    clock.residualNs = fit.residualNs;
    clock.via = a.rank;
    clock.lastCall = std::min(a.lastCall, a.onReference(fit.last));
    clock.growthPpm = a.growthPpm + fit.growth * 1e6;
    return clock;
}

double uncertaintyOver(const RankClock& clock, TimeRange trace) {
    const TimeNs begin = clock.onReference(trace.begin);
    const TimeNs end = clock.onReference(trace.end);
    const DurationNs before = clock.reference - std::min(clock.reference, begin);
    const DurationNs after = std::max(clock.lastCall, end) - clock.lastCall;
    return clock.uncertaintyNs
        + clock.growthPpm * 1e-6 * static_cast<double>(std::max(before, after).ns);
}

// From the reference rank outwards: ranks that take part in collectives with an aligned one first,
// those that only exchange messages with one last.
class Alignment {
public:
    Alignment(RankCalls calls, std::map<int, IterationStarts> iterations, const Progress& progress)
        : m_calls(std::move(calls))
        , m_iterations(std::move(iterations))
        , m_progress(progress) { }

    Result<RankClocks> align() {
        const std::vector<int> ranks = m_calls.ranks();
        if (ranks.empty())
            return RankClocks{};
        m_result.referenceRank = ranks.front();
        m_result.reference = m_calls.rangeOf(ranks.front()).begin;
        m_waiting.insert(ranks.begin() + 1, ranks.end());
        RankClock own;
        own.rank = ranks.front();
        own.reference = m_result.reference;
        m_result.ranks.push_back(own);
        // Many messages over a third rank may bound a clock better than a few calls do.
        for (const Pass pass : {Pass{false, kFewestForBound}, {true, kFewestForBound}, {true, 1}})
            RETURN_IF_ERROR(spread(pass));
        finish();
        return std::move(m_result);
    }

private:
    struct Pass {
        bool withMessages = false;
        std::size_t fewestCalls = 1;
    };

    Status spread(const Pass& pass) {
        // New ones are appended, and asked in their turn.
        std::size_t asked = 0;
        while (asked < m_result.ranks.size()) {
            const RankClock hub = m_result.ranks[asked++];
            RETURN_IF_ERROR(compareAll(hub, pass));
        }
        return {};
    }

    // The calls of a rank that are parts of a hub's collectives.
    struct Compared {
        int rank = -1;
        std::size_t calls = 0; // at most so many could match
        std::vector<MatchedCall> matched;
    };

    Status compareAll(const RankClock& hub, const Pass& pass) {
        OrderedJobs<Compared> jobs(
            WorkerPool::shared(), 0, [&](const Compared& compared) { take(hub, compared, pass); });
        const std::set<int> waiting = m_waiting;
        for (const int rank : waiting) {
            if (m_progress && !m_progress({"Comparing clocks", 0, 0}))
                return cancelled();
            ASSIGN_OR_RETURN(auto shared, m_calls.shared(hub.rank, rank, pass.withMessages));
            if (shared.first.empty() || shared.second.empty())
                continue;
            jobs.submit([rank, calls = std::move(shared), hint = hintFor(hub.rank, rank)] {
                const auto& [a, b] = calls;
                return Compared{
                    rank, std::min(a.size(), b.size()), credible(matchSequences(a, b, hint), a)};
            });
        }
        jobs.finish();
        return {};
    }

    void take(const RankClock& hub, const Compared& compared, const Pass& pass) {
        const auto& [rank, calls, matched] = compared;
        if (matched.size() < std::min(kFewestMatches, calls)) {
            m_reasons[rank] = "Too few of its collectives with rank " + std::to_string(hub.rank)
                + " can be told which is which: " + std::to_string(matched.size()) + " matched of "
                + std::to_string(calls) + ".";
            return;
        }
        if (matched.size() < pass.fewestCalls)
            return;
        const auto fit = fitClocks(matched, hub.toLocal(hub.reference));
        const bool isNamed
            = std::ranges::any_of(matched, [](const MatchedCall& call) { return call.a.isNamed; });
        if (!isNamed && fit->residualNs > kMostUnnamedSpread) {
            m_reasons[rank] = "Its trace does not say with which ranks it communicates, and its"
                              " collectives do not end together with those of rank "
                + std::to_string(hub.rank) + ".";
            return;
        }
        m_result.ranks.push_back(chained(hub, *fit, rank));
        m_waiting.erase(rank);
    }

    // Calls that only look alike match here and there; those of which most match are the same.
    static std::vector<MatchedCall> credible(
        const std::vector<MatchedCall>& matched, const std::vector<SequencedCall>& a) {
        std::vector<MatchedCall> result;
        if (matched.empty())
            return result;
        struct Counts {
            std::size_t matched = 0;
            std::size_t between = 0; // the first match and the last
        };
        std::map<std::uint32_t, Counts> bySignature;
        const TimeNs first = matched.front().a.end;
        const TimeNs last = matched.back().a.end;
        for (const SequencedCall& call : a)
            bySignature[call.signature].between += first <= call.end && call.end <= last ? 1U : 0U;
        for (const MatchedCall& call : matched)
            ++bySignature[call.a.signature].matched;
        for (const MatchedCall& call : matched) {
            const Counts& counts = bySignature[call.a.signature];
            if (static_cast<double>(counts.matched)
                >= kLeastMatchedShare * static_cast<double>(counts.between))
                result.push_back(call);
        }
        return result;
    }

    // From iterations that both have numbered.
    [[nodiscard]] std::optional<ClockHint> hintFor(int a, int b) const {
        const auto ofA = m_iterations.find(a);
        const auto ofB = m_iterations.find(b);
        if (ofA == m_iterations.end() || ofB == m_iterations.end() || ofA->second.size() < 2)
            return std::nullopt;
        std::vector<std::int64_t> differences;
        for (const auto& [index, start] : ofA->second) {
            if (const auto same = ofB->second.find(index); same != ofB->second.end())
                differences.push_back((same->second - start).ns);
        }
        if (differences.empty())
            return std::nullopt;
        std::ranges::sort(differences);
        const DurationNs length = ofA->second.rbegin()->second - ofA->second.begin()->second;
        const auto steps = static_cast<std::int64_t>(ofA->second.size() - 1);
        return ClockHint{{differences[differences.size() / 2]},
            {std::max<std::int64_t>(1, length.ns / steps / 3)}};
    }

    void finish() {
        for (const int rank : m_waiting) {
            const auto reason = m_reasons.find(rank);
            m_result.unaligned.push_back({rank,
                reason != m_reasons.end()
                    ? reason->second
                    : "It shares no collective with a rank whose clock is known."});
        }
        std::ranges::sort(m_result.ranks, {}, &RankClock::rank);
        for (RankClock& clock : m_result.ranks) {
            const TimeRange range = m_calls.rangeOf(clock.rank);
            for (const TimeNs end : {range.begin, range.end}) {
                const DurationNs correction = clock.correctionAt(end);
                if (std::abs(correction.ns) > std::abs(m_result.largestCorrection.ns))
                    m_result.largestCorrection = correction;
                m_result.agree = m_result.agree
                    && static_cast<double>(std::abs(correction.ns)) <= clock.uncertaintyNs;
            }
            clock.traceUncertaintyNs = uncertaintyOver(clock, range);
            m_result.largestUncertaintyNs
                = std::max(m_result.largestUncertaintyNs, clock.uncertaintyNs);
            m_result.largestTraceUncertaintyNs
                = std::max(m_result.largestTraceUncertaintyNs, clock.traceUncertaintyNs);
        }
    }

    RankCalls m_calls;
    std::map<int, IterationStarts> m_iterations;
    const Progress& m_progress;
    RankClocks m_result;
    std::set<int> m_waiting;
    std::map<int, std::string> m_reasons;
};

Result<RankClocks> findClocks(const RunStudy& study) {
    ASSIGN_OR_RETURN(auto calls, RankCalls::open(study));
    ASSIGN_OR_RETURN(const auto iterations, study.store.iterations(study.run.id));
    std::map<int, IterationStarts> starts;
    for (const Iteration& iteration : iterations) {
        if (iteration.rank >= 0)
            starts[iteration.rank].try_emplace(iteration.index, iteration.range.begin);
    }
    return Alignment(std::move(calls), std::move(starts), study.progress).align();
}

} // namespace

TimeNs RankClock::onReference(TimeNs local) const {
    const TimeNs drifted = local - DurationNs{offsetNs};
    const double drift = driftPpm * 1e-6;
    const auto since = static_cast<double>((drifted - reference).ns);
    return drifted - DurationNs{nearestWhole<std::int64_t>(since * (drift / (1.0 + drift)))};
}

TimeNs RankClock::toLocal(TimeNs onReferenceClock) const {
    const auto since = static_cast<double>((onReferenceClock - reference).ns);
    return onReferenceClock + DurationNs{offsetNs}
    + DurationNs{nearestWhole<std::int64_t>(since * driftPpm * 1e-6)};
}

const RankClock* RankClocks::find(int rank) const {
    const auto found = std::ranges::find(ranks, rank, &RankClock::rank);
    return found == ranks.end() ? nullptr : &*found;
}

Result<RankClocks> alignRanks(const RunStudy& study) {
    return study.once(findClocks);
}

} // namespace trainscope::analysis
