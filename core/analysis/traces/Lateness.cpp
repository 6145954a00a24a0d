#include "core/analysis/traces/Lateness.h"

#include <algorithm>

namespace trainscope::analysis {

namespace {

double waitOf(const Meanwhile& one, const BlamedTime& cause) {
    double ns = 0.0;
    for (const BlamedTime& wait : one.waits)
        ns += wait.rank == cause.rank && wait.reason == cause.reason ? wait.ns : 0.0;
    return ns;
}

double beforeCommonMoment(const Meanwhile& one) {
    return static_cast<double>(std::min<std::int64_t>(one.arrivalNs, 0));
}

// After the common moment: what is neither computing, idle nor a wait with a known cause.
double restOf(const Meanwhile& one) {
    double known = static_cast<double>(one.times[DeviceState::Compute] + one.times.idle());
    for (const BlamedTime& wait : one.waits)
        known += wait.ns;
    return static_cast<double>(std::max<std::int64_t>(one.arrivalNs, 0)) - known;
}

// The last rank's value less the mean of the others.
template <typename Value>
double excessOf(std::span<const Meanwhile> all, std::size_t last, Value&& value) {
    double others = 0.0;
    for (std::size_t i = 0; i < all.size(); ++i)
        others += i == last ? 0.0 : value(all[i]);
    return value(all[last]) - others / static_cast<double>(all.size() - 1);
}

void addPositive(Blame& blame, int rank, LateReason reason, double ns) {
    if (ns <= 0.0)
        return;
    for (BlameShare& share : blame) {
        if (share.rank == rank && share.reason == reason) {
            share.share += ns;
            return;
        }
    }
    blame.push_back({rank, reason, ns});
}

void addCompute(Blame& blame, int rank, double ns, const KernelExcess& kernels) {
    const double sum = kernels.slowerNs + kernels.moreNs;
    if (sum <= 0.0) {
        addPositive(blame, rank, LateReason::SlowerKernels, ns);
        return;
    }
    addPositive(blame, rank, LateReason::SlowerKernels, ns * kernels.slowerNs / sum);
    addPositive(blame, rank, LateReason::MoreKernels, ns * kernels.moreNs / sum);
}

double allWaits(const Meanwhile& one) {
    double ns = 0.0;
    for (const BlamedTime& wait : one.waits)
        ns += wait.ns;
    return ns;
}

// The others may have waited as long for somebody else: only what goes beyond is passed on.
void addWaits(Blame& blame, std::span<const Meanwhile> all, std::size_t last, bool isMessage) {
    Blame causes;
    double sum = 0.0;
    for (const BlamedTime& cause : all[last].waits) {
        const double ns
            = excessOf(all, last, [&](const Meanwhile& one) { return waitOf(one, cause); });
        addPositive(causes, cause.rank, cause.reason, ns);
        sum += std::max(ns, 0.0);
    }
    const double beyond = excessOf(all, last, allWaits);
    for (const BlameShare& cause : causes) {
        const bool isThere = std::ranges::any_of(
            all, [&](const Meanwhile& one) { return one.rank == cause.rank; });
        const bool isInTurn = !isMessage && isThere && cause.reason == LateReason::LateMessages;
        addPositive(blame, isInTurn ? kNoRank : cause.rank,
            isInTurn ? LateReason::InTurn : cause.reason, cause.share * beyond / sum);
    }
}

void keepLargest(Blame& blame) {
    std::ranges::stable_sort(blame, std::greater<>(), &BlameShare::share);
    double rest = 0.0;
    while (blame.size() >= kMostBlameShares) {
        rest += blame.back().share;
        blame.pop_back();
    }
    addPositive(blame, kNoRank, LateReason::Other, rest);
}

} // namespace

void addExcess(KernelExcess& excess, NameId kernel, const KernelSums& sums, std::size_t others) {
    const auto count = static_cast<double>(others);
    const double longer = sums.lastNs - sums.otherNs / count;
    if (longer <= 0.0)
        return;
    const double moreCalls = sums.lastCount - sums.otherCount / count;
    const double more = std::min(longer, std::max(0.0, moreCalls * sums.lastNs / sums.lastCount));
    excess.moreNs += more;
    excess.slowerNs += longer - more;
    if (longer > excess.kernelNs) {
        excess.kernel = kernel;
        excess.kernelNs = longer;
    }
}

Blame blameFor(std::span<const Meanwhile> all, std::size_t last, const KernelExcess& kernels,
    LatenessContext context) {
    Blame blame;
    const int rank = all[last].rank;
    const auto stateExcess = [&](DeviceState state) {
        return excessOf(all, last,
            [state](const Meanwhile& one) { return static_cast<double>(one.times[state]); });
    };
    addPositive(blame, rank, LateReason::HostLate, stateExcess(DeviceState::HostLate));
    addPositive(blame, rank, LateReason::Stalled, stateExcess(DeviceState::Stalled));
    addPositive(blame, rank, LateReason::Idle, stateExcess(DeviceState::Idle));
    addCompute(blame, rank, stateExcess(DeviceState::Compute), kernels);
    addPositive(blame, rank, context.isRecordingsBegin ? LateReason::Unrecorded : LateReason::Other,
        excessOf(all, last, beforeCommonMoment));
    addPositive(blame, rank, LateReason::Other, excessOf(all, last, restOf));
    if (context.isMessage) {
        for (BlameShare& share : blame)
            share.reason = LateReason::LateMessages;
    }
    addWaits(blame, all, last, context.isMessage);
    keepLargest(blame);
    double sum = 0.0;
    for (const BlameShare& share : blame)
        sum += share.share;
    for (BlameShare& share : blame)
        share.share /= sum;
    return blame;
}

} // namespace trainscope::analysis
