#include "core/analysis/replay/StepWaits.h"

#include "core/analysis/iterations/Iterations.h"
#include "core/analysis/traces/DeviceTraces.h"
#include "core/analysis/traces/LateText.h"
#include "core/analysis/traces/Pipeline.h"
#include "core/analysis/traces/WaitCauses.h"
#include "core/analysis/traces/WaitRounds.h"
#include "core/model/Try.h"

#include <algorithm>
#include <map>
#include <utility>

namespace trainscope::analysis {

namespace {

constexpr double kCertainWait
    = 0.5; // part of a waiting that must be beyond the clocks' uncertainty

// `byReasonS`: of all steps; the rank's lateness is told from chance.
void nameCause(StepWait& wait, const ByLateReason<double>& byReasonS, double steps, bool mayBeNamed,
    const std::string& kernel) {
    ByLateReason<double> aStep;
    for (const LateReason reason : kLateReasons) {
        aStep[reason] = byReasonS[reason] / steps;
        wait.seconds += aStep[reason];
        if (aStep[reason] > 0.0 && isExplanation(reason) && mayBeNamed)
            wait.parts.push_back({std::string(toString(reason)), aStep[reason]});
    }
    std::ranges::stable_sort(wait.parts, std::greater<>(), &WaitPart::seconds);
    const auto named = mayBeNamed ? namedReason(aStep) : std::nullopt;
    wait.cause = named ? toString(*named) : kUnexplained;
    for (const WaitPart& part : wait.parts) {
        if (!named || part.cause == wait.cause || part.cause == toString(LateReason::LateMessages))
            wait.explained += part.seconds / wait.seconds;
    }
    wait.text = mayBeNamed ? lateText(aStep, kernel, true) : "no more than by chance";
}

StepWait waitOf(const CollectiveCause& cause, double steps) {
    StepWait wait;
    wait.collective = cause.collective;
    wait.rank = cause.rank;
    wait.chain = cause.path;
    wait.victims = cause.victims;
    wait.worst = cause.worst;
    const bool isCertain = cause.certainS >= kCertainWait * cause.waitS;
    nameCause(wait, cause.byReasonS, steps,
        cause.rank == kNoRank || (cause.isBeyondChance && isCertain), cause.kernel);
    return wait;
}

// What the device of each rank did in the iterations that all of a stage have.
class StepAccounts {
public:
    explicit StepAccounts(std::vector<const DeviceTrace*> traces)
        : m_traces(std::move(traces)) { }

    void addTo(std::vector<StepWait>& waits) {
        if (m_traces.size() < 2)
            return;
        for (const IterationBreakdown& one : m_traces.front()->breakdown.iterations) {
            if (!one.warmup)
                add(one.index);
        }
        m_rounds.close();
        for (const auto& [rank, byReasonS] : m_byReasonS) {
            StepWait wait;
            wait.collective = kOwnStep;
            wait.rank = rank;
            wait.chain = {rank};
            wait.worst = m_worst[rank].second;
            nameCause(wait, byReasonS, m_steps, m_rounds.isBeyondChance(rank, m_traces.size()),
                m_kernel[rank]);
            for (const DeviceTrace* trace : m_traces) {
                if (trace->breakdown.rank != rank)
                    wait.victims.push_back(trace->breakdown.rank);
            }
            waits.push_back(std::move(wait));
        }
    }

private:
    static Meanwhile accountOf(const DeviceTrace& trace, const IterationBreakdown& one) {
        const auto& launches = trace.activity.launches;
        const std::int64_t idle = trace.breakdown.idle.ns;
        const double hostPart = idle > 0
            ? std::min(1.0, static_cast<double>(launches.hostBound.ns) / static_cast<double>(idle))
            : 0.0;
        Meanwhile account{trace.breakdown.rank, one.compute.ns + one.copy.ns + one.idle.ns, {}, {}};
        const auto host = static_cast<std::int64_t>(hostPart * static_cast<double>(one.idle.ns));
        account.times[DeviceState::Compute] = one.compute.ns;
        account.times[DeviceState::Copy] = one.copy.ns;
        account.times[DeviceState::HostLate] = host;
        account.times[DeviceState::Idle] = one.idle.ns - host;
        return account;
    }

    void add(std::int64_t index) {
        std::vector<Meanwhile> all;
        for (const DeviceTrace* trace : m_traces) {
            const auto& iterations = trace->breakdown.iterations;
            const auto one = std::ranges::find(iterations, index, &IterationBreakdown::index);
            if (one == iterations.end())
                return;
            all.push_back(accountOf(*trace, *one));
        }
        const auto late = std::ranges::max_element(all, {}, &Meanwhile::arrivalNs);
        const auto last = static_cast<std::size_t>(late - all.begin());
        double waitS = 0.0;
        for (const Meanwhile& one : all)
            waitS += static_cast<double>(late->arrivalNs - one.arrivalNs) * 1e-9;
        ++m_steps;
        if (waitS <= 0.0)
            return;
        for (const BlameShare& share : blameFor(all, last, kernelsOf(last), {}))
            m_byReasonS[late->rank][share.reason] += share.share * waitS;
        m_rounds.close();
        m_rounds.add(late->rank, waitS);
        auto& [worstS, worst] = m_worst[late->rank];
        if (waitS > worstS) {
            worstS = waitS;
            worst = std::ranges::find(
                m_traces[last]->breakdown.iterations, index, &IterationBreakdown::index)
                        ->window;
        }
    }

    // Of the whole window: it divides the computing of its iterations.
    KernelExcess kernelsOf(std::size_t last) {
        std::map<std::string, KernelSums> byName;
        for (const DeviceTrace* trace : m_traces) {
            const bool isLast = trace == m_traces[last];
            for (const KernelRow& row : trace->breakdown.kernels) {
                KernelSums& sums = byName[row.name];
                (isLast ? sums.lastCount : sums.otherCount) += static_cast<double>(row.count);
                (isLast ? sums.lastNs : sums.otherNs) += static_cast<double>(row.time.ns);
            }
        }
        KernelExcess excess;
        for (const auto& [name, sums] : byName) {
            const double before = excess.kernelNs;
            if (!KernelCategories::isCommunication(name))
                addExcess(excess, {}, sums, m_traces.size() - 1);
            if (excess.kernelNs > before)
                m_kernel[m_traces[last]->breakdown.rank] = name;
        }
        return excess;
    }

    std::vector<const DeviceTrace*> m_traces; // of one stage
    WaitRounds m_rounds; // iterations
    double m_steps = 0.0;
    std::map<int, ByLateReason<double>> m_byReasonS; // by rank
    std::map<int, std::string> m_kernel;
    std::map<int, std::pair<double, TimeRange>> m_worst;
};

} // namespace

Result<std::vector<StepWait>> waitsByAccount(
    const RunStudy& study, const std::vector<int>& ranks, TimeRange window) {
    ASSIGN_OR_RETURN(const auto iterations, iterationsOf(study));
    ASSIGN_OR_RETURN(const auto stages, stagesOf(study));
    ASSIGN_OR_RETURN(const auto traces,
        deviceTraces(study, KernelCategories::builtIn(), [window](int) { return window; },
            {iterations.everyOne(), std::nullopt}));
    std::map<int, std::vector<const DeviceTrace*>> byStage;
    for (const DeviceTrace& trace : traces) {
        const int rank = trace.breakdown.rank;
        const auto stage
            = stages ? stages->stageOf.find(rank) : std::map<int, int>::const_iterator();
        if (std::ranges::find(ranks, rank) != ranks.end())
            byStage[stages && stage != stages->stageOf.end() ? stage->second : 0].push_back(&trace);
    }
    std::vector<StepWait> waits;
    for (auto& [stage, of] : byStage)
        StepAccounts(std::move(of)).addTo(waits);
    return waits;
}

Result<std::vector<StepWait>> stepWaits(
    const RunStudy& study, const RankClocks& clocks, TimeRange window, double steps) {
    ASSIGN_OR_RETURN(const auto causes, waitCauses(study, clocks, window));
    std::vector<StepWait> waits;
    for (const CollectiveCause& cause : causes.collectives)
        waits.push_back(waitOf(cause, steps));
    if (!clocks.unaligned.empty()) {
        std::vector<int> ranks;
        for (const UnalignedRank& one : clocks.unaligned)
            ranks.push_back(one.rank);
        if (clocks.ranks.size() < 2 && clocks.referenceRank >= 0)
            ranks.push_back(clocks.referenceRank);
        ASSIGN_OR_RETURN(auto accounts, waitsByAccount(study, ranks, window));
        std::ranges::move(accounts, std::back_inserter(waits));
    }
    std::ranges::stable_sort(waits, std::greater<>(), &StepWait::seconds);
    return waits;
}

} // namespace trainscope::analysis
