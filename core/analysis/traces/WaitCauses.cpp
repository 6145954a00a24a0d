#include "core/analysis/traces/WaitCauses.h"

#include "core/analysis/iterations/Iterations.h"
#include "core/analysis/machine/RunLayout.h"
#include "core/analysis/telemetry/GpuClocks.h"

#include <numeric>
#include <tuple>

namespace trainscope::analysis {

namespace {

constexpr std::size_t kMostWaits = 1024; // waits of one rank that are remembered
constexpr std::size_t kMostCauses = 32; // causes of one rank's waits since a moment
constexpr std::size_t kMostPlaces = 4096; // collectives of a step that are followed by themselves
constexpr double kLeastClockLack = 0.01; // a smaller one is a step of the clock

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

LateReason reasonOf(ThrottleCause cause) {
    return cause == ThrottleCause::Thermal ? LateReason::Heat
        : cause == ThrottleCause::Power    ? LateReason::PowerLimit
                                           : LateReason::LowerClock;
}

class RankState {
public:
    void add(PastWait wait) {
        m_waitedUntil = std::max(m_waitedUntil, wait.range.end);
        m_waits.push_back(std::move(wait));
        if (m_waits.size() > kMostWaits)
            m_waits.pop_front();
    }
    // From the last arrival to the end of its part.
    void addTransfer(TimeRange transfer) {
        if (!m_transfers.empty())
            transfer.begin = std::max(transfer.begin, m_transfers.back().end);
        if (!transfer.isEmpty())
            m_transfers.push_back(transfer);
        if (m_transfers.size() > kMostWaits)
            m_transfers.pop_front();
    }
    [[nodiscard]] double transferNs(TimeRange range) const {
        const auto over = std::find_if(m_transfers.rbegin(), m_transfers.rend(),
            [&](const TimeRange& one) { return one.end <= range.begin; });
        const std::vector<TimeRange> later(m_transfers.rbegin(), over);
        return static_cast<double>(lengthOf(shared(later, range)).ns);
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
                result.push_back({share.rank, share.reason, ns, share.path, -1});
        }
    }

    std::deque<PastWait> m_waits; // by their end
    std::deque<TimeRange> m_transfers; // in order, without overlaps
    TimeNs m_waitedUntil = kAllTime.begin;
    TimeNs m_seenUntil = kAllTime.begin;
};

using KernelSeconds = std::unordered_map<NameId, double>;
struct CauseSums {
    CollectiveCause cause;
    KernelSeconds kernelS;
};

// Rounds of the collectives of one kind: in one each communicator meets once; the steps; and of
// each collective of a step, which tells a small cause in one from a large one in another.
struct KindRounds {
    WaitRounds meetings;
    WaitRounds steps;
    struct Place {
        WaitRounds rounds;
        std::size_t ranks = 0;
    };
    std::map<std::pair<std::uint32_t, std::size_t>, Place> places; // by communicator and number
    Place* place = nullptr; // the last collective's; nullptr: not followed
    std::map<std::uint32_t, std::pair<std::ptrdiff_t, std::size_t>> met; // a step, and how often
    std::set<std::uint32_t> meeting; // communicators
    std::set<int> ranks;
    std::ptrdiff_t step = 0;

    void begin(const Collective& one, std::ptrdiff_t inStep) {
        if (!meeting.insert(one.communicator).second) {
            meetings.close();
            meeting = {one.communicator};
        }
        if (inStep > step)
            steps.close();
        step = std::max(step, inStep);
        for (const CollectiveRank& rank : one.ranks)
            ranks.insert(rank.rank);
        auto& [at, number] = met[one.communicator];
        number = inStep > at ? 0 : number + 1;
        at = std::max(at, inStep);
        const std::pair key{one.communicator, number};
        const bool isFollowed = at > 0 && (places.size() < kMostPlaces || places.contains(key));
        place = isFollowed ? &places[key] : nullptr;
        if (isFollowed)
            place->ranks = one.ranks.size();
    }
    void add(const BlameShare& share, double seconds) {
        meetings.add(share.rank, seconds);
        steps.add(share.rank, seconds);
        // Late messages name a rank where it causes most of all alone.
        const bool isMessage = share.reason == LateReason::LateMessages;
        if (place != nullptr)
            place->rounds.add(isMessage ? kNoRank : share.rank, seconds);
    }
    void end() {
        if (place != nullptr)
            place->rounds.close();
    }
    void finish() {
        meetings.close();
        steps.close();
    }
    [[nodiscard]] bool isBeyondChance(int rank) const {
        return meetings.isBeyondChance(rank, ranks.size())
            || steps.isBeyondChance(rank, ranks.size())
            || std::ranges::any_of(places, [&](const auto& one) {
                   return one.second.rounds.isBeyondChance(rank, one.second.ranks, places.size());
               });
    }
};

class Blaming {
public:
    Blaming(const store::Store& store, const RunOfDomains& joined, const RankClocks& clocks,
        TimeRange window, DeviceLogs logs, GpuClocks gpuClocks, std::vector<TimeRange> steps)
        : m_store(store)
        , m_places(joined.run, joined.gpus)
        , m_clocks(clocks)
        , m_window(window)
        , m_logs(std::move(logs))
        , m_gpuClocks(std::move(gpuClocks))
        , m_steps(std::move(steps)) { }

    Status add(const Collective& one) {
        if (!isSynchronising(one.kind) && one.kind != CollectiveKind::SendRecv)
            return {};
        RETURN_IF_ERROR(m_logs.readTo(one.lastStart));
        auto& ends = m_ends[groupOf(one)];
        KindRounds* const rounds = isSynchronising(one.kind) ? &roundsOf(one) : nullptr;
        if (one.lastStart > one.firstStart)
            RETURN_IF_ERROR(blame(one, commonMoment(one, ends), rounds));
        if (rounds != nullptr)
            rounds->end();
        for (const CollectiveRank& rank : one.ranks) {
            ends[rank.rank] = rank.end;
            m_ranks[rank.rank].addTransfer({one.lastStart, rank.end});
        }
        return {};
    }

    Result<WaitCauses> finish() {
        std::map<int, KernelSeconds> kernels; // by rank
        for (auto& [kind, rounds] : m_rounds)
            rounds.finish();
        for (auto& [key, sums] : m_collectives) {
            CollectiveCause& one = sums.cause;
            one.collective = key.first;
            one.isBeyondChance = m_rounds[one.collective].isBeyondChance(one.rank);
            ASSIGN_OR_RETURN(one.kernel, largestKernel(sums.kernelS));
            WaitCause& cause = causeOf(one.rank);
            cause.waitS += one.waitS;
            cause.certainS += one.certainS;
            cause.byCollectiveS[one.collective] = one.waitS;
            cause.isBeyondChance |= one.isBeyondChance;
            for (const LateReason reason : kLateReasons)
                cause.byReasonS[reason] += one.byReasonS[reason];
            for (const auto& [kernel, seconds] : sums.kernelS)
                kernels[one.rank][kernel] += seconds;
            m_result.collectives.push_back(std::move(one));
        }
        for (auto& [rank, cause] : m_causes) {
            ASSIGN_OR_RETURN(cause.kernel, largestKernel(kernels[rank], &cause.kernelS));
            m_result.causes.push_back(std::move(cause));
        }
        std::ranges::stable_sort(m_result.causes, std::greater<>(), &WaitCause::waitS);
        std::ranges::stable_sort(m_result.collectives, std::greater<>(), &CollectiveCause::waitS);
        return std::move(m_result);
    }

private:
    using Ends = std::unordered_map<int, TimeNs>; // by rank, of the group's last collective
    struct Moment {
        TimeNs time;
        bool isRecordingsBegin = false;
        const Ends* ends = nullptr;
    };

    // From when on the group's previous collective held a rank no more, else from when on it was
    // recorded.
    [[nodiscard]] TimeNs freeFrom(int rank, const Ends& ends) const {
        const auto end = ends.find(rank);
        return end == ends.end() ? m_logs.recordedFrom(rank) : end->second;
    }
    // The same of all ranks.
    [[nodiscard]] Moment commonMoment(const Collective& one, const Ends& ends) const {
        Moment moment{kAllTime.begin, false, &ends};
        for (const CollectiveRank& rank : one.ranks) {
            const TimeNs from = freeFrom(rank.rank, ends);
            if (from > moment.time)
                moment = {from, !ends.contains(rank.rank), &ends};
        }
        return moment;
    }
    // A recording that begins later than the others' does not show what its rank has done before:
    // there each is looked at from its own begin on.
    [[nodiscard]] TimeNs beginOf(int rank, const Moment& moment) const {
        return moment.isRecordingsBegin ? freeFrom(rank, *moment.ends) : moment.time;
    }

    Status blame(const Collective& one, const Moment& moment, KindRounds* rounds) {
        const bool isMessage = !isSynchronising(one.kind);
        const bool isCounted = !isMessage && m_window.contains(one.end);
        const TimeNs since = moment.time;
        std::vector<Meanwhile> all;
        std::size_t last = 0;
        for (std::size_t i = 0; i < one.ranks.size(); ++i) {
            all.push_back(meanwhileOf(one.ranks[i], moment));
            last = one.ranks[i].rank == one.lastRank ? i : last;
        }
        ASSIGN_OR_RETURN(const auto kernels, kernelExcess(one, moment));
        WorkAhead& ahead = m_ahead[one.communicator];
        const double aheadNs = ahead.ns;
        const auto blamed = std::make_shared<const Blame>(blameFor(all, last, kernels,
            {isMessage, moment.isRecordingsBegin, isMessage ? nullptr : &ahead}));
        if (!isMessage) {
            for (const BlameShare& share : *blamed)
                rounds->add(share, share.share * waitIn(one));
            // A rank that had nothing more to do than the others has caught up.
            const bool isBehind = ahead.rank == one.lastRank && ahead.ns < aheadNs;
            ahead = {one.lastRank, (isBehind ? ahead.ns : 0.0) + aheadIn(one), *blamed};
        } else {
            join(one.ranks.front().rank, one.ranks.back().rank);
        }
        if (isCounted)
            count(one, since, *blamed, kernels);
        for (std::size_t i = 0; i < one.ranks.size(); ++i)
            addWait(
                one, one.ranks[i], freeFrom(one.ranks[i].rank, *moment.ends), blamed, isCounted);
        if (isCounted)
            addOwnLoss(one, since, *blamed);
        return {};
    }

    // Time that each rank computed and transferred while it waited, in the mean, ns.
    [[nodiscard]] double aheadIn(const Collective& one) const {
        double ns = 0.0;
        for (const CollectiveRank& rank : one.ranks) {
            const TimeRange wait{rank.start, std::min(one.lastStart, rank.end)};
            const auto state = m_ranks.find(rank.rank);
            ns += static_cast<double>(timesOf(rank.rank, wait)[DeviceState::Compute]);
            ns += state == m_ranks.end() ? 0.0 : state->second.transferNs(wait);
        }
        return ns / static_cast<double>(one.ranks.size() - 1);
    }

    KindRounds& roundsOf(const Collective& one) {
        const auto begun = std::ranges::upper_bound(m_steps, one.lastStart, {}, &TimeRange::begin);
        KindRounds& rounds = m_rounds[labelOf(one)];
        rounds.begin(one, begun - m_steps.begin());
        return rounds;
    }

    // Ranks that exchange messages, over others too, are a pipeline.
    void join(int a, int b) {
        const auto ranksOf = [this](int rank) {
            auto& all = m_pipelines[rank];
            return all ? all : all = std::make_shared<std::set<int>>(std::set{rank});
        };
        const auto all = ranksOf(a);
        const auto others = ranksOf(b);
        if (all == others)
            return;
        for (const int rank : *others)
            m_pipelines[rank] = all;
        all->insert(others->begin(), others->end());
    }
    // Its place in its pipeline.
    [[nodiscard]] int stageOf(int rank) const {
        const auto all = m_pipelines.find(rank);
        return all == m_pipelines.end()
            ? -1
            : static_cast<int>(std::distance(all->second->begin(), all->second->find(rank)));
    }

    static double waitIn(const Collective& one) {
        double seconds = 0.0;
        for (const CollectiveRank& rank : one.ranks)
            seconds += rank.wait.seconds();
        return seconds;
    }

    Meanwhile meanwhileOf(const CollectiveRank& rank, const Moment& moment) const {
        Meanwhile one{rank.rank, (rank.start - moment.time).ns, {}, {}};
        const TimeRange range{beginOf(rank.rank, moment), rank.start};
        one.beganNs = (range.begin - moment.time).ns;
        one.times = timesOf(rank.rank, range);
        const auto state = m_ranks.find(rank.rank);
        if (state == m_ranks.end() || range.isEmpty())
            return one;
        one.waits = state->second.waitsIn(range);
        for (BlamedTime& wait : one.waits)
            wait.stage = wait.reason == LateReason::LateMessages ? stageOf(wait.rank) : -1;
        auto notWaiting = static_cast<double>(one.times[DeviceState::Communication]);
        for (const BlamedTime& wait : one.waits)
            notWaiting -= wait.ns;
        one.transferNs
            = std::clamp(state->second.transferNs(range), 0.0, std::max(0.0, notWaiting));
        return one;
    }

    // The share of the others' mean clock that the last rank lacks.
    [[nodiscard]] double clockLack(const Collective& one, const Moment& moment) const {
        std::optional<double> own;
        RunningMean others;
        for (const CollectiveRank& rank : one.ranks) {
            const auto hz = m_gpuClocks.meanHz(
                rank.rank, m_logs.local(rank.rank, {beginOf(rank.rank, moment), rank.start}));
            if (rank.rank == one.lastRank)
                own = hz;
            else if (hz)
                others.add(*hz);
        }
        const double lack = own && others.count > 0 ? 1.0 - *own / others.value() : 0.0;
        return lack >= kLeastClockLack ? lack : 0.0;
    }

    Result<KernelExcess> kernelExcess(const Collective& one, const Moment& moment) {
        m_kernels.clear();
        for (const CollectiveRank& rank : one.ranks) {
            const TimeRange range{beginOf(rank.rank, moment), rank.start};
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
        excess.clockLack = clockLack(one, moment);
        for (const auto& [name, sums] : m_kernels)
            addExcess(excess, name, sums, one.ranks.size() - 1);
        if (excess.clockNs > 0.0) {
            const TimeRange own
                = m_logs.local(one.lastRank, {beginOf(one.lastRank, moment), one.lastStart});
            ASSIGN_OR_RETURN(const auto cause, m_gpuClocks.causeIn(one.lastRank, own));
            excess.clockReason = reasonOf(cause);
        }
        return excess;
    }

    void count(
        const Collective& one, TimeNs since, const Blame& blame, const KernelExcess& kernels) {
        const double waitS = waitIn(one);
        m_result.waitS += waitS;
        const RankClock* const clock = m_clocks.find(one.lastRank);
        const double error
            = (clock == nullptr ? 0.0 : clock->uncertaintyNs) + m_clocks.largestUncertaintyNs;
        const double latenessNs = waitS * 1e9 / static_cast<double>(one.ranks.size() - 1);
        countLast(one, waitS, blame);
        const std::string label = labelOf(one);
        const bool isCertain = latenessNs > error;
        std::map<int, double> byRank;
        for (const BlameShare& share : blame) {
            const double seconds = waitS * share.share;
            byRank[share.rank] += seconds;
            auto& sums = m_collectives[{label, share.rank}];
            sums.cause.rank = share.rank;
            sums.cause.waitS += seconds;
            sums.cause.byReasonS[share.reason] += seconds;
            sums.cause.certainS += isCertain ? seconds : 0.0;
            if (share.rank == one.lastRank)
                addKernel(share, waitS, kernels, sums.kernelS);
        }
        for (const auto& [rank, seconds] : byRank) {
            WaitCause& cause = causeOf(rank);
            if (rank != one.lastRank)
                cause.throughS[one.lastRank] += seconds;
            keepWorst(cause, one, since, seconds);
            keepWorst(m_collectives[{label, rank}].cause, one, since, seconds, blame);
        }
    }

    // The path is that of the largest of the rank's shares.
    static void keepWorst(CollectiveCause& cause, const Collective& one, TimeNs since,
        double seconds, const Blame& blame) {
        if (seconds <= cause.worstS)
            return;
        cause.worstS = seconds;
        cause.worst = {std::min(since, one.firstStart), one.end};
        cause.path = std::ranges::find(blame, cause.rank, &BlameShare::rank)->path;
        cause.victims.clear();
        for (const CollectiveRank& rank : one.ranks) {
            if (rank.wait.ns > 0)
                cause.victims.push_back(rank.rank);
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

    static void addKernel(const BlameShare& share, double waitS, const KernelExcess& kernels,
        KernelSeconds& kernelS) {
        const double sum = kernels.slowerNs + kernels.moreNs;
        const double part = share.reason == LateReason::SlowerKernels ? kernels.slowerNs
            : share.reason == LateReason::MoreKernels                 ? kernels.moreNs
                                                                      : 0.0;
        if (part > 0.0)
            kernelS[kernels.kernel] += waitS * share.share * std::min(1.0, kernels.kernelNs / sum);
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
        const double latenessS = waitIn(one) / static_cast<double>(one.ranks.size() - 1);
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
        WaitCause& cause = m_causes[rank];
        cause.rank = rank;
        return cause;
    }

    // Empty without one.
    Result<std::string> largestKernel(const KernelSeconds& kernels, double* seconds = nullptr) {
        const auto most = std::ranges::max_element(
            kernels, {}, [](const auto& one) { return std::pair(one.second, one.first); });
        if (most == kernels.end())
            return std::string();
        if (seconds != nullptr)
            *seconds = most->second;
        return m_store.name(most->first);
    }

    const store::Store& m_store;
    CommunicatorPlaces m_places;
    const RankClocks& m_clocks;
    TimeRange m_window;
    DeviceLogs m_logs;
    std::map<GroupKey, Ends> m_ends;
    std::map<std::uint32_t, WorkAhead> m_ahead; // by communicator
    std::unordered_map<int, RankState> m_ranks;
    std::map<int, std::shared_ptr<std::set<int>>> m_pipelines; // by rank
    GpuClocks m_gpuClocks;
    std::vector<TimeRange> m_steps; // in order
    std::map<int, WaitCause> m_causes; // by rank
    std::map<std::pair<std::string, int>, CauseSums> m_collectives; // by kind and rank
    std::map<std::string, KindRounds> m_rounds; // by kind
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
    ASSIGN_OR_RETURN(auto gpuClocks, GpuClocks::open(study));
    ASSIGN_OR_RETURN(const auto iterations, iterationsOf(study));
    Blaming blaming(study.store, joined, clocks, window, std::move(logs), std::move(gpuClocks),
        rangesOf(iterations.iterations));
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
