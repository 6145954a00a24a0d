#include "core/analysis/replay/StepAnalyses.h"

#include "core/analysis/iterations/Iterations.h"
#include "core/analysis/traces/DeviceTraces.h"
#include "core/analysis/traces/Pipeline.h"
#include "core/analysis/traces/WaitCauses.h"
#include "core/model/Try.h"
#include "core/text/Numbers.h"

#include <fmt/ranges.h>

namespace trainscope::analysis {

namespace {

constexpr double kCertainWait
    = 0.5; // part of a waiting that must be beyond the clocks' uncertainty

StepWait waitOf(const CollectiveCause& cause, double steps) {
    StepWait wait{cause.collective, cause.rank, cause.waitS / steps, kUnexplained, 0.0, {}, {},
        cause.path, cause.victims, cause.worst};
    ByLateReason<double> aStep;
    for (const LateReason reason : kLateReasons) {
        aStep[reason] = cause.byReasonS[reason] / steps;
        if (aStep[reason] > 0.0 && isExplanation(reason))
            wait.parts.push_back({std::string(toString(reason)), aStep[reason]});
    }
    std::ranges::stable_sort(wait.parts, std::greater<>(), &WaitPart::seconds);
    const bool isTold = cause.rank == kNoRank
        || (cause.isBeyondChance && cause.certainS >= kCertainWait * cause.waitS);
    const auto named = isTold ? namedReason(aStep) : std::nullopt;
    wait.cause = named ? toString(*named) : kUnexplained;
    wait.text = lateText(aStep, cause.kernel, isTold) + (isTold ? "" : "; it may be chance");
    for (const WaitPart& part : wait.parts) {
        const bool isOfCause
            = part.cause == wait.cause || part.cause == toString(LateReason::LateMessages);
        wait.explained += !named || isOfCause ? part.seconds / wait.seconds : 0.0;
    }
    return wait;
}

using DeviceTracePtrs = std::vector<const DeviceTrace*>; // one stage's

// A device's time in an iteration without communication; its arrival is its length. The part of
// idle time in which it waited for the host is the window's.
Meanwhile accountOf(const DeviceTrace& trace, const IterationBreakdown& one) {
    const auto idle = static_cast<double>(trace.breakdown.idle.ns);
    const auto hostBound = static_cast<double>(trace.activity.launches.hostBound.ns);
    const double hostPart = idle > 0.0 ? std::min(1.0, hostBound / idle) : 0.0;
    Meanwhile account{trace.breakdown.rank, one.compute.ns + one.copy.ns + one.idle.ns, {}, {}};
    const auto host = static_cast<std::int64_t>(hostPart * static_cast<double>(one.idle.ns));
    account.times[DeviceState::Compute] = one.compute.ns;
    account.times[DeviceState::Copy] = one.copy.ns;
    account.times[DeviceState::HostLate] = host;
    account.times[DeviceState::Idle] = one.idle.ns - host;
    return account;
}

// Over the whole window: it divides the computing of the iterations.
KernelExcess excessIn(const DeviceTracePtrs& traces, const DeviceTrace* last, std::string& kernel) {
    std::map<std::string, KernelSums> byName;
    for (const DeviceTrace* trace : traces) {
        for (const KernelRow& row : trace->breakdown.kernels) {
            KernelSums& sums = byName[row.name];
            (trace == last ? sums.lastCount : sums.otherCount) += static_cast<double>(row.count);
            (trace == last ? sums.lastNs : sums.otherNs) += static_cast<double>(row.time.ns);
        }
    }
    KernelExcess excess;
    for (const auto& [name, sums] : byName) {
        const double before = excess.kernelNs;
        if (!KernelCategories::isCommunication(name))
            addExcess(excess, {}, sums, traces.size() - 1);
        kernel = excess.kernelNs > before ? name : kernel;
    }
    return excess;
}

// The iteration of each trace, whose window is its own; empty where one lacks it.
std::vector<Meanwhile> accountsOf(const DeviceTracePtrs& traces, std::int64_t index) {
    std::vector<Meanwhile> all;
    for (const DeviceTrace* trace : traces) {
        const auto& iterations = trace->breakdown.iterations;
        const auto one = std::ranges::find(iterations, index, &IterationBreakdown::index);
        if (one == iterations.end())
            return {};
        all.push_back(accountOf(*trace, *one));
    }
    return all;
}

void addOwnSteps(const DeviceTracePtrs& traces, std::vector<StepWait>& waits) {
    std::map<int, CollectiveCause> causes;
    WaitRounds rounds;
    double steps = 0.0;
    for (const IterationBreakdown& one : traces.front()->breakdown.iterations) {
        const auto all = accountsOf(traces, one.index);
        if (all.size() < 2 || one.warmup)
            continue;
        ++steps;
        const auto late = std::ranges::max_element(all, {}, &Meanwhile::arrivalNs);
        const auto last = static_cast<std::size_t>(late - all.begin());
        CollectiveCause& cause = causes[late->rank];
        double waitS = 0.0;
        for (const Meanwhile& other : all)
            waitS += static_cast<double>(late->arrivalNs - other.arrivalNs) * 1e-9;
        const KernelExcess kernels = excessIn(traces, traces[last], cause.kernel);
        for (const BlameShare& share : waitS > 0.0 ? blameFor(all, last, kernels, {}) : Blame())
            cause.byReasonS[share.reason] += share.share * waitS;
        cause.waitS += waitS;
        cause.worst = waitS > cause.worstS ? one.window : cause.worst;
        cause.worstS = std::max(cause.worstS, waitS);
        rounds.add(late->rank, waitS);
        rounds.close();
    }
    for (auto& [rank, cause] : causes) {
        cause.collective = kOwnStep;
        cause.rank = rank;
        cause.path = {rank};
        for (const DeviceTrace* trace : traces) {
            if (trace->breakdown.rank != rank)
                cause.victims.push_back(trace->breakdown.rank);
        }
        cause.certainS = cause.waitS;
        cause.isBeyondChance = rounds.isBeyondChance(rank, traces.size());
        waits.push_back(waitOf(cause, steps));
    }
}

Status addAccounts(const RunStudy& study, const RankClocks& clocks, TimeRange window,
    std::vector<StepWait>& waits) {
    ASSIGN_OR_RETURN(const auto iterations, iterationsOf(study));
    ASSIGN_OR_RETURN(const auto stages, stagesOf(study));
    ASSIGN_OR_RETURN(const auto traces,
        deviceTraces(study, KernelCategories::builtIn(), [window](int) { return window; },
            {iterations.everyOne(), std::nullopt}));
    std::map<int, DeviceTracePtrs> byStage;
    for (const DeviceTrace& trace : traces) {
        const int rank = trace.breakdown.rank;
        const bool isKnown = stages && stages->stageOf.contains(rank);
        if (clocks.ranks.size() < 2 || clocks.find(rank) == nullptr)
            byStage[isKnown ? stages->stageOf.at(rank) : 0].push_back(&trace);
    }
    for (const auto& [stage, of] : byStage)
        addOwnSteps(of, waits);
    return {};
}

} // namespace

std::string causeText(const StepWait& wait) {
    constexpr std::size_t most = 2;
    constexpr double least = 0.05;
    std::vector<std::string> known;
    if (wait.cause != kUnexplained)
        known.push_back(text::roundedPercent(wait.explained));
    for (const WaitPart& part : wait.parts) {
        const double share = part.seconds / wait.seconds;
        if (wait.cause == kUnexplained && known.size() < most && share >= least)
            known.push_back(fmt::format("{} {}", part.cause, text::roundedPercent(share)));
    }
    std::string text
        = known.empty() ? wait.cause : fmt::format("{} ({})", wait.cause, fmt::join(known, ", "));
    std::ranges::replace(text, '_', ' ');
    return text;
}

Result<std::vector<StepWait>> stepWaits(
    const RunStudy& study, const RankClocks& clocks, TimeRange window, double steps) {
    ASSIGN_OR_RETURN(const auto causes, waitCauses(study, clocks, window));
    std::vector<StepWait> waits;
    for (const CollectiveCause& cause : causes.collectives)
        waits.push_back(waitOf(cause, steps));
    if (!clocks.unaligned.empty())
        RETURN_IF_ERROR(addAccounts(study, clocks, window, waits));
    std::ranges::stable_sort(waits, std::greater<>(), &StepWait::seconds);
    return waits;
}

} // namespace trainscope::analysis
