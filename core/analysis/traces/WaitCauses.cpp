#include "core/analysis/traces/WaitCauses.h"

#include "core/analysis/machine/RunMachine.h"
#include "core/analysis/statistics/TimeRanges.h"
#include "core/analysis/traces/DeviceLog.h"
#include "core/model/Try.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <numeric>
#include <tuple>
#include <unordered_map>

namespace trainscope::analysis {

namespace {

constexpr std::size_t kMostWaits = 1024; // waits of one rank that are remembered
constexpr std::size_t kMostCauses = 32; // causes of one rank's waits since a moment

// A message is a group of its two ranks.
using GroupKey = std::tuple<std::uint32_t, int, int>;

GroupKey groupOf(const Collective& one) {
    if (one.kind != CollectiveKind::SendRecv)
        return {one.communicator, -1, -1};
    return {one.communicator, one.ranks.front().rank, one.ranks.back().rank};
}

struct PastWait {
    TimeRange range;
    double exposedNs = 0.0;
    std::shared_ptr<const Blame> blame;
};

class RankState {
public:
    void add(PastWait wait) {
        m_waitedUntil = std::max(m_waitedUntil, wait.range.end);
        m_waits.push_back(std::move(wait));
        if (m_waits.size() > kMostWaits)
            m_waits.pop_front();
    }
    // By whose doing it waited in that time.
    [[nodiscard]] std::vector<BlamedTime> waitsIn(TimeRange range) const {
        std::vector<BlamedTime> result;
        const auto over = std::find_if(m_waits.rbegin(), m_waits.rend(),
            [&](const PastWait& wait) { return wait.range.end <= range.begin; });
        std::for_each(m_waits.rbegin(), over, [&](const PastWait& wait) {
            const auto part = static_cast<double>(shared(wait.range, range).length().ns);
            if (part > 0.0)
                addParts(wait, part / static_cast<double>(wait.range.length().ns), result);
        });
        std::ranges::stable_sort(result, std::greater<>(), &BlamedTime::ns);
        if (result.size() > kMostCauses)
            result.resize(kMostCauses);
        return result;
    }
    [[nodiscard]] TimeNs waitedUntil() const { return m_waitedUntil; }
    // Share of a range that has not been asked for before.
    double freshPart(TimeRange range) {
        if (range.isEmpty())
            return 0.0;
        const TimeRange fresh{std::max(range.begin, m_seenUntil), range.end};
        m_seenUntil = std::max(m_seenUntil, range.end);
        const auto length = static_cast<double>(std::max<std::int64_t>(fresh.length().ns, 0));
        return length / static_cast<double>(range.length().ns);
    }

private:
    static void addParts(const PastWait& wait, double part, std::vector<BlamedTime>& result) {
        for (const BlameShare& share : *wait.blame) {
            const double ns = wait.exposedNs * part * share.share;
            const auto known = std::ranges::find_if(result, [&](const auto& one) {
                return one.rank == share.rank && one.reason == share.reason;
            });
            if (known != result.end())
                known->ns += ns;
            else
                result.push_back({share.rank, share.reason, ns});
        }
    }

    std::deque<PastWait> m_waits; // by their end
    TimeNs m_waitedUntil = kAllTime.begin;
    TimeNs m_seenUntil = kAllTime.begin;
};

struct CauseSums {
    WaitCause cause;
    std::unordered_map<NameId, double> kernelS;
};

class Blaming {
public:
    Blaming(const store::Store& store, const RunOfDomains& joined, const RankClocks& clocks,
        TimeRange window, DeviceLogs logs)
        : m_store(store)
        , m_places(joined.run, joined.gpus)
        , m_clocks(clocks)
        , m_window(window)
        , m_logs(std::move(logs)) { }

    Status add(const Collective& one) {
        if (!isSynchronising(one.kind) && one.kind != CollectiveKind::SendRecv)
            return {};
        RETURN_IF_ERROR(m_logs.readTo(one.lastStart));
        auto& ends = m_ends[groupOf(one)];
        if (one.lastStart > one.firstStart)
            blame(one, commonMoment(one, ends));
        for (const CollectiveRank& rank : one.ranks)
            ends[rank.rank] = rank.end;
        return {};
    }

    Result<WaitCauses> finish() {
        for (auto& [rank, sums] : m_causes) {
            RETURN_IF_ERROR(nameKernel(sums));
            m_result.causes.push_back(std::move(sums.cause));
        }
        std::ranges::stable_sort(m_result.causes, std::greater<>(), &WaitCause::waitS);
        return std::move(m_result);
    }

private:
    using Ends = std::unordered_map<int, TimeNs>; // by rank, of the group's last collective
    struct Moment {
        TimeNs time;
        bool isRecordingsBegin = false;
    };

    // From when on the group's previous collective held a rank no more, else from when on it was
    // recorded.
    [[nodiscard]] TimeNs freeFrom(int rank, const Ends& ends) const {
        const auto end = ends.find(rank);
        return end == ends.end() ? m_logs.recordedFrom(rank) : end->second;
    }
    // The same of all ranks.
    [[nodiscard]] Moment commonMoment(const Collective& one, const Ends& ends) const {
        Moment moment{kAllTime.begin, false};
        for (const CollectiveRank& rank : one.ranks) {
            const TimeNs from = freeFrom(rank.rank, ends);
            if (from > moment.time)
                moment = {from, !ends.contains(rank.rank)};
        }
        return moment;
    }

    void blame(const Collective& one, Moment moment) {
        const bool isMessage = !isSynchronising(one.kind);
        const bool isCounted = !isMessage && m_window.contains(one.end);
        const TimeNs since = moment.time;
        const Ends& ends = m_ends[groupOf(one)];
        std::vector<Meanwhile> all;
        std::size_t last = 0;
        for (std::size_t i = 0; i < one.ranks.size(); ++i) {
            all.push_back(meanwhileOf(one.ranks[i], since));
            last = one.ranks[i].rank == one.lastRank ? i : last;
        }
        const KernelExcess kernels = kernelExcess(one, since);
        const auto blamed = std::make_shared<const Blame>(
            blameFor(all, last, kernels, {isMessage, moment.isRecordingsBegin}));
        if (isCounted)
            count(one, since, *blamed, kernels);
        for (std::size_t i = 0; i < one.ranks.size(); ++i)
            addWait(one, one.ranks[i], freeFrom(one.ranks[i].rank, ends), blamed, isCounted);
        if (isCounted)
            addOwnLoss(one, since, *blamed);
    }

    Meanwhile meanwhileOf(const CollectiveRank& rank, TimeNs since) const {
        Meanwhile one{rank.rank, (rank.start - since).ns, {}, {}};
        const TimeRange range{since, rank.start};
        one.times = timesOf(rank.rank, range);
        if (const auto state = m_ranks.find(rank.rank); state != m_ranks.end())
            one.waits = state->second.waitsIn(range);
        return one;
    }

    KernelExcess kernelExcess(const Collective& one, TimeNs since) {
        m_kernels.clear();
        for (const CollectiveRank& rank : one.ranks) {
            const TimeRange range{since, rank.start};
            const DeviceLog* const log = m_logs.find(rank.rank);
            if (range.isEmpty() || log == nullptr)
                continue;
            const bool isLast = rank.rank == one.lastRank;
            const auto take = [&](NameId name, DurationNs inside) {
                KernelSums& sums = m_kernels[name];
                (isLast ? sums.lastCount : sums.otherCount) += 1.0;
                (isLast ? sums.lastNs : sums.otherNs) += static_cast<double>(inside.ns);
            };
            log->forEachKernel(m_logs.local(rank.rank, range), take);
        }
        KernelExcess excess;
        for (const auto& [name, sums] : m_kernels)
            addExcess(excess, name, sums, one.ranks.size() - 1);
        return excess;
    }

    void count(
        const Collective& one, TimeNs since, const Blame& blame, const KernelExcess& kernels) {
        double waitS = 0.0;
        for (const CollectiveRank& rank : one.ranks)
            waitS += rank.wait.seconds();
        m_result.waitS += waitS;
        const RankClock* const clock = m_clocks.find(one.lastRank);
        const double error
            = (clock == nullptr ? 0.0 : clock->uncertaintyNs) + m_clocks.largestUncertaintyNs;
        const double latenessNs = waitS * 1e9 / static_cast<double>(one.ranks.size() - 1);
        countLast(one, waitS, blame);
        std::map<int, double> byRank;
        for (const BlameShare& share : blame) {
            byRank[share.rank] += waitS * share.share;
            causeOf(share.rank).byReasonS[share.reason] += waitS * share.share;
            if (share.rank == one.lastRank)
                addKernel(share, waitS, kernels);
        }
        for (const auto& [rank, seconds] : byRank) {
            WaitCause& cause = causeOf(rank);
            cause.waitS += seconds;
            cause.certainS += latenessNs > error ? seconds : 0.0;
            cause.byCollectiveS[labelOf(one)] += seconds;
            if (rank != one.lastRank)
                cause.throughS[one.lastRank] += seconds;
            keepWorst(cause, one, since, seconds);
        }
    }

    // Counts the share of the last rank's own delay that it alone causes, and the rank just before
    // it.
    void countLast(const Collective& one, double waitS, const Blame& blame) {
        const CollectiveRank* before = nullptr;
        for (const CollectiveRank& rank : one.ranks) {
            if (rank.rank != one.lastRank && (before == nullptr || rank.start > before->start))
                before = &rank;
        }
        double own = 0.0;
        for (const BlameShare& share : blame)
            own += share.rank == one.lastRank ? share.share : 0.0;
        WaitCause& cause = causeOf(one.lastRank);
        ++cause.collectives;
        const double aloneS = before->wait.seconds() * static_cast<double>(one.ranks.size() - 1);
        cause.aloneS += own * aloneS;
        cause.besideS[before->rank] += own * (waitS - aloneS);
    }

    // Keeps the worst moment; one at which the rank was late itself goes before one in which
    // another took its place.
    void keepWorst(WaitCause& cause, const Collective& one, TimeNs since, double seconds) const {
        const bool isOwn = one.lastRank == cause.rank;
        const bool wasOwn = cause.worstRank == cause.rank;
        if (isOwn < wasOwn || (isOwn == wasOwn && seconds <= cause.worstS))
            return;
        cause.worstS = seconds;
        cause.worstRank = one.lastRank;
        cause.worst = m_logs.local(one.lastRank, {std::min(since, one.firstStart), one.end});
    }

    void addKernel(const BlameShare& share, double waitS, const KernelExcess& kernels) {
        const double sum = kernels.slowerNs + kernels.moreNs;
        const double part = share.reason == LateReason::SlowerKernels ? kernels.slowerNs
            : share.reason == LateReason::MoreKernels                 ? kernels.moreNs
                                                                      : 0.0;
        if (part > 0.0)
            m_causes[share.rank].kernelS[kernels.kernel]
                += waitS * share.share * std::min(1.0, kernels.kernelNs / sum);
    }

    // Adds a rank's wait, and the part of its time since `freeFrom` that cost nothing as it waited.
    void addWait(const Collective& one, const CollectiveRank& rank, TimeNs freeFrom,
        const std::shared_ptr<const Blame>& blame, bool isCounted) {
        const TimeRange wait{rank.start, std::min(one.lastStart, rank.end)};
        if (wait.isEmpty())
            return;
        RankState& state = m_ranks[rank.rank];
        const double exposedNs = static_cast<double>(timesOf(rank.rank,
            {std::max(wait.begin, state.waitedUntil()), wait.end})[DeviceState::Communication]);
        state.add({wait, exposedNs, blame});
        if (!isCounted)
            return;
        const TimeRange before{std::max(freeFrom, m_window.begin), rank.start};
        const DeviceTimes times = timesOf(rank.rank, before);
        const double fresh = state.freshPart(before);
        const double idleNs = std::min(static_cast<double>(times.idle()) * fresh, exposedNs);
        const double hostNs
            = std::min(static_cast<double>(times[DeviceState::HostLate]) * fresh, exposedNs);
        for (const BlameShare& share : *blame) {
            LostTime& lost = m_result.lost[{rank.rank, share.rank}];
            const double part = share.share * 1e-9;
            lost.exposedByKindS[std::string(toString(one.kind))] += exposedNs * part;
            lost.idleS += idleNs * part;
            lost.hostS += hostNs * part;
            causeOf(share.rank).exposedS += exposedNs * part;
        }
    }

    void addOwnLoss(const Collective& one, TimeNs since, const Blame& blame) {
        double latenessS = 0.0;
        for (const CollectiveRank& rank : one.ranks)
            latenessS += rank.wait.seconds() / static_cast<double>(one.ranks.size() - 1);
        const double fresh = m_ranks[one.lastRank].freshPart({since, one.lastStart});
        LostTime& lost = m_result.lost[{one.lastRank, one.lastRank}];
        for (const BlameShare& share : blame) {
            if (share.rank != one.lastRank)
                continue;
            const bool isHost = share.reason == LateReason::HostLate;
            const bool isIdle
                = isHost || share.reason == LateReason::Stalled || share.reason == LateReason::Idle;
            lost.idleS += isIdle ? latenessS * share.share * fresh : 0.0;
            lost.hostS += isHost ? latenessS * share.share * fresh : 0.0;
        }
    }

    [[nodiscard]] DeviceTimes timesOf(int rank, TimeRange range) const {
        const DeviceLog* const log = m_logs.find(rank);
        return range.isEmpty() || log == nullptr ? DeviceTimes{}
                                                 : log->timesIn(m_logs.local(rank, range));
    }

    std::string labelOf(const Collective& one) {
        const std::string& along = m_places.placeOf(one).dimension;
        std::string label(KernelCategories::label(toString(one.kind)));
        return along.empty() || along == "world" ? label : label + " along " + along;
    }

    WaitCause& causeOf(int rank) {
        WaitCause& cause = m_causes[rank].cause;
        cause.rank = rank;
        return cause;
    }

    Status nameKernel(CauseSums& sums) {
        NameId largest;
        for (const auto& [name, seconds] : sums.kernelS) {
            if (seconds > sums.cause.kernelS) {
                sums.cause.kernelS = seconds;
                largest = name;
            }
        }
        if (!largest.isValid())
            return {};
        ASSIGN_OR_RETURN(sums.cause.kernel, m_store.name(largest));
        return {};
    }

    const store::Store& m_store;
    CommunicatorPlaces m_places;
    const RankClocks& m_clocks;
    TimeRange m_window;
    DeviceLogs m_logs;
    std::map<GroupKey, Ends> m_ends;
    std::unordered_map<int, RankState> m_ranks;
    std::map<int, CauseSums> m_causes; // by rank
    std::unordered_map<NameId, KernelSums> m_kernels; // kernels of one collective
    WaitCauses m_result;
};

} // namespace

double LostTime::exposedS() const {
    return std::accumulate(exposedByKindS.begin(), exposedByKindS.end(), 0.0,
        [](double sum, const auto& kind) { return sum + kind.second; });
}

Result<WaitCauses> waitCauses(const RunStudy& study, const RankClocks& clocks, TimeRange window) {
    ASSIGN_OR_RETURN(const auto joined, domainsAsNodes(study));
    ASSIGN_OR_RETURN(auto logs, DeviceLogs::open(study, clocks));
    Blaming blaming(study.store, joined, clocks, window, std::move(logs));
    Status failure;
    const auto scan = forEachCollective(study, clocks, [&](const Collective& one) {
        failure = blaming.add(one);
        return failure.hasValue();
    });
    if (!failure.hasValue())
        return failure.error();
    if (!scan.hasValue())
        return scan.error();
    return blaming.finish();
}

} // namespace trainscope::analysis
