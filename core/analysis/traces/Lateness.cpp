#include "core/analysis/traces/Lateness.h"

#include "core/analysis/statistics/TimeRanges.h"
#include "core/analysis/traces/DevicePass.h"
#include "core/model/Gather.h"
#include "core/text/Table.h"

#include <fmt/format.h>

namespace trainscope::analysis {

namespace {

// A launch takes some microseconds to reach an idle device: the host was late until then.
constexpr DurationNs kLaunchLatency{20'000};

// For the same rank, or for the messages of the same stage: pipelines side by side fill and drain
// alike.
double waitOf(const Meanwhile& one, const BlamedTime& cause) {
    double ns = 0.0;
    for (const BlamedTime& wait : one.waits) {
        const bool isAlike
            = wait.rank == cause.rank || (wait.stage >= 0 && wait.stage == cause.stage);
        ns += isAlike && wait.reason == cause.reason ? wait.ns : 0.0;
    }
    return ns;
}

double beforeCommonMoment(const Meanwhile& one) {
    return static_cast<double>(std::min({std::int64_t{0}, one.arrivalNs, one.beganNs}));
}

// Neither computing, copying, idle, a transfer nor a wait with a known cause.
double restOf(const Meanwhile& one) {
    double known = one.transferNs
        + static_cast<double>(
            one.times[DeviceState::Compute] + one.times[DeviceState::Copy] + one.times.idle());
    for (const BlamedTime& wait : one.waits)
        known += wait.ns;
    return static_cast<double>(one.arrivalNs) - beforeCommonMoment(one) - known;
}

// The last rank's value less the mean of the others.
template <typename Value>
double excessOf(std::span<const Meanwhile> all, std::size_t last, Value&& value) {
    double others = 0.0;
    for (std::size_t i = 0; i < all.size(); ++i)
        others += i == last ? 0.0 : std::invoke(value, all[i]);
    return std::invoke(value, all[last]) - others / static_cast<double>(all.size() - 1);
}

void addPositive(
    Blame& blame, int rank, LateReason reason, double ns, const std::vector<int>& path = {}) {
    if (ns <= 0.0)
        return;
    for (BlameShare& share : blame) {
        if (share.rank == rank && share.reason == reason) {
            share.share += ns;
            return;
        }
    }
    blame.push_back({rank, reason, ns, path});
}

// The part of an excess that the others had not done ahead.
double addAhead(Blame& blame, int rank, double ns, WorkAhead* ahead) {
    if (ahead == nullptr || ahead->rank != rank)
        return ns;
    const double done = std::min(std::max(ns, 0.0), ahead->ns);
    for (const BlameShare& share : ahead->blame)
        addPositive(blame, share.rank, share.reason, done * share.share, share.path);
    ahead->ns -= done;
    return ns - done;
}

void addCompute(Blame& blame, int rank, double ns, const KernelExcess& kernels) {
    const double sum = kernels.slowerNs + kernels.moreNs;
    if (sum <= 0.0) {
        addPositive(blame, rank, LateReason::SlowerKernels, ns);
        return;
    }
    addPositive(
        blame, rank, LateReason::SlowerKernels, ns * (kernels.slowerNs - kernels.clockNs) / sum);
    addPositive(blame, rank, kernels.clockReason, ns * kernels.clockNs / sum);
    addPositive(blame, rank, LateReason::MoreKernels, ns * kernels.moreNs / sum);
}

double allWaits(const Meanwhile& one) {
    return summed<double>(one.waits, &BlamedTime::ns);
}

// The others may have waited as long for somebody else: only what goes beyond is passed on.
void addWaits(Blame& blame, std::span<const Meanwhile> all, std::size_t last, bool isMessage) {
    Blame causes;
    double sum = 0.0;
    for (const BlamedTime& cause : all[last].waits) {
        const double alike = waitOf(all[last], cause);
        const double share = alike > 0.0 ? cause.ns / alike : 0.0;
        const double ns
            = share * excessOf(all, last, [&](const Meanwhile& one) { return waitOf(one, cause); });
        addPositive(causes, cause.rank, cause.reason, ns, cause.path);
        sum += std::max(ns, 0.0);
    }
    const double beyond = excessOf(all, last, allWaits);
    for (const BlameShare& cause : causes) {
        const bool isThere = std::ranges::any_of(
            all, [&](const Meanwhile& one) { return one.rank == cause.rank; });
        const bool isInTurn = !isMessage && isThere && cause.reason == LateReason::LateMessages;
        std::vector<int> path = cause.path;
        if (path.size() < kLongestPath)
            path.push_back(all[last].rank);
        addPositive(blame, isInTurn ? kNoRank : cause.rank,
            isInTurn ? LateReason::InTurn : cause.reason, cause.share * beyond / sum, path);
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

double sumOf(const ByLateReason<double>& seconds) {
    return summed<double>(kLateReasons, [&](LateReason reason) { return seconds[reason]; });
}

// "its kernels take longer, most of all gemm (306 ms)"
std::string reasonText(LateReason reason, double seconds, const std::string& kernel) {
    constexpr std::size_t longest = 48; // characters of a mangled or generated name in a sentence
    const std::string most = kernel.empty() ? "" : ", most of all " + text::elided(kernel, longest);
    return fmt::format("{}{} ({})", titleOf(reason), most, text::seconds(seconds));
}

} // namespace

void DeviceLog::mark(DeviceState state, TimeNs until) {
    if (until <= m_now)
        return;
    if (m_stretches.empty() || m_stretches.back().state != state)
        m_stretches.push_back({m_now, state});
    m_now = until;
}

void DeviceLog::runUntil(TimeNs until) {
    mark(DeviceState::Compute, std::min(until, m_computeUntil));
    mark(DeviceState::Communication, std::min(until, m_communicationUntil));
    mark(DeviceState::Copy, std::min(until, m_copyUntil));
}

Status DeviceLog::work(const DeviceWork& work) {
    const TimeNs start = work.span.start;
    if (start < m_from)
        return {};
    runUntil(start);
    if (!work.launch) {
        mark(DeviceState::Idle, start);
    } else {
        const TimeNs launched = work.launch->call.begin;
        const bool isAtOnce = launched > m_now && start - launched <= kLaunchLatency;
        mark(DeviceState::HostLate, isAtOnce ? start : std::min(start, launched));
        mark(DeviceState::Stalled, start);
    }
    const TimeNs end = start + work.span.duration;
    if (work.kernel == nullptr) {
        m_copyUntil = std::max(m_copyUntil, end);
    } else if (work.kernel->isCommunication) {
        m_communicationUntil = std::max(m_communicationUntil, end);
    } else {
        m_computeUntil = std::max(m_computeUntil, end);
        m_kernels.push_back({start, work.span.duration, work.span.name});
    }
    return {};
}

void DeviceLog::forgetBefore(TimeNs begin) {
    const auto stretch = std::ranges::upper_bound(m_stretches, begin, {}, &Stretch::begin);
    if (stretch != m_stretches.begin())
        m_stretches.erase(m_stretches.begin(), stretch - 1);
    const auto kernel = std::ranges::lower_bound(m_kernels, begin, {}, &Kernel::start);
    m_kernels.erase(m_kernels.begin(), kernel);
}

DeviceTimes DeviceLog::timesIn(TimeRange range) const {
    DeviceTimes times;
    auto at = std::ranges::upper_bound(m_stretches, range.begin, {}, &Stretch::begin);
    if (at != m_stretches.begin())
        --at;
    for (; at != m_stretches.end() && at->begin < range.end; ++at) {
        const TimeNs end = at + 1 == m_stretches.end() ? m_now : (at + 1)->begin;
        const TimeRange part = shared({at->begin, end}, range);
        times[at->state] += std::max<std::int64_t>(part.length().ns, 0);
    }
    return times;
}

Result<DeviceLogs> DeviceLogs::open(
    const RunStudy& study, const RankClocks& clocks, std::int64_t spansPerWindow) {
    DeviceLogs logs(study);
    ASSIGN_OR_RETURN(const auto devices, tracedDevices(study));
    for (const DeviceTracks& device : devices)
        logs.addRank(device, clocks);
    for (auto& [rank, one] : logs.m_ranks)
        one.log.beginAt(one.recordedFrom);
    logs.chooseWindows(spansPerWindow);
    return logs;
}

void DeviceLogs::addRank(const DeviceTracks& device, const RankClocks& clocks) {
    const RankClock* const clock = clocks.find(device.rank);
    if (clock == nullptr)
        return;
    const auto [at, isNew] = m_ranks.try_emplace(device.rank);
    Rank& rank = at->second;
    if (isNew) {
        rank.tracks = device;
        rank.clock = clock;
        rank.recordedFrom = device.extent.begin;
        for (const Track& thread : device.threads) {
            if (thread.count > 0)
                rank.recordedFrom = std::min(rank.recordedFrom, thread.range.begin);
        }
        return;
    }
    DeviceTracks& all = rank.tracks;
    all.extent = spanned(all.extent, device.extent);
    all.streams.insert(all.streams.end(), device.streams.begin(), device.streams.end());
    all.annotations.insert(
        all.annotations.end(), device.annotations.begin(), device.annotations.end());
    rank.recordedFrom = std::min(rank.recordedFrom, device.extent.begin);
}

void DeviceLogs::chooseWindows(std::int64_t spansPerWindow) {
    std::int64_t spans = 0;
    TimeRange all = kNoTime;
    for (const auto& [id, rank] : m_ranks) {
        for (const Track& stream : rank.tracks.streams)
            spans += stream.count;
        all = spanned(
            all, rank.clock->onReference(TimeRange{rank.recordedFrom, rank.tracks.extent.end}));
    }
    if (m_ranks.empty() || all.isEmpty())
        return;
    const std::int64_t count = spans / spansPerWindow + 1;
    const DurationNs step{all.length().ns / count + 1};
    for (TimeNs begin = all.begin; begin < all.end; begin = begin + step)
        m_windows.push_back({begin, begin + step});
}

Status DeviceLogs::readTo(TimeNs time) {
    while (m_read < m_windows.size() && m_windows[m_read].begin <= time)
        RETURN_IF_ERROR(readNext());
    return {};
}

Status DeviceLogs::readNext() {
    const TimeRange window = m_windows[m_read];
    std::vector<std::pair<int, Rank*>> ranks;
    for (auto& [id, rank] : m_ranks)
        ranks.emplace_back(id, &rank);
    // Nobody else touches the log of a rank meanwhile.
    const auto read = [&](const store::Store& store, const std::pair<int, Rank*>& one,
                          const Progress& progress) -> Result<bool> {
        const auto& [id, rank] = one;
        const TimeRange range = m_windows.size() == 1 ? kAllTime : local(id, window);
        if (m_read > 1)
            rank->log.forgetBefore(local(id, m_windows[m_read - 1]).begin);
        if (m_read > 0)
            rank->log.continueAt(range.begin);
        RETURN_IF_ERROR(DeviceReading{store, rank->tracks, progress}.walk(range, rank->log));
        rank->log.runUntil(range.end);
        return true;
    };
    const auto take = [](const std::pair<int, Rank*>&, bool) { return Status(); };
    RETURN_IF_ERROR(forEachPart(*m_study, "Following launches", ranks, read, take));
    ++m_read;
    return {};
}

const DeviceLog* DeviceLogs::find(int rank) const {
    const auto found = m_ranks.find(rank);
    return found == m_ranks.end() ? nullptr : &found->second.log;
}

TimeNs DeviceLogs::recordedFrom(int rank) const {
    const auto found = m_ranks.find(rank);
    if (found == m_ranks.end())
        return kAllTime.begin;
    return found->second.clock->onReference(found->second.recordedFrom);
}

TimeRange DeviceLogs::local(int rank, TimeRange range) const {
    const auto found = m_ranks.find(rank);
    if (found == m_ranks.end())
        return range;
    return found->second.clock->toLocal(range);
}

bool isExplanation(LateReason reason) {
    return reason != LateReason::Idle && reason != LateReason::Unrecorded
        && reason != LateReason::Other;
}

std::optional<LateReason> namedReason(const ByLateReason<double>& seconds) {
    constexpr double tellsOfMessages = 0.1;
    ByLateReason<double> told = seconds;
    if (sumOf(seconds) - seconds[LateReason::LateMessages] >= tellsOfMessages * sumOf(seconds))
        told[LateReason::LateMessages] = 0.0;
    const auto most = std::ranges::max_element(
        kLateReasons, {}, [&](LateReason reason) { return told[reason]; });
    const bool isNamed = isExplanation(*most) && told[*most] >= kNamedCause * sumOf(told);
    return isNamed && told[*most] > 0.0 ? std::optional(*most) : std::nullopt;
}

std::string lateText(
    const ByLateReason<double>& seconds, const std::string& kernel, bool mayBeNamed) {
    auto reasons = kLateReasons;
    std::ranges::stable_sort(
        reasons, std::greater<>(), [&](LateReason one) { return seconds[one]; });
    const bool runsMore = seconds[LateReason::MoreKernels] > seconds[LateReason::SlowerKernels];
    const LateReason ofKernel = runsMore ? LateReason::MoreKernels : LateReason::SlowerKernels;
    const double sum = sumOf(seconds);
    double rest = sum;
    std::string text;
    for (const LateReason reason : reasons) {
        if (!text.empty() && seconds[reason] < kToldReason * sum)
            continue;
        text += text.empty() ? "" : "; ";
        text += reasonText(reason, seconds[reason], reason == ofKernel ? kernel : "");
        rest -= seconds[reason];
    }
    if (rest > 0.001 * sum)
        text += fmt::format("; the rest is {}", text::seconds(rest));
    return (mayBeNamed && namedReason(seconds) ? "because " : "meanwhile ") + text;
}

void addExcess(KernelExcess& excess, NameId kernel, const KernelSums& sums, std::size_t others) {
    const auto count = static_cast<double>(others);
    const double longer = sums.lastNs - sums.otherNs / count;
    if (longer <= 0.0)
        return;
    const double moreCalls = sums.lastCount - sums.otherCount / count;
    const double more = std::min(longer, std::max(0.0, moreCalls * sums.lastNs / sums.lastCount));
    excess.moreNs += more;
    excess.slowerNs += longer - more;
    excess.clockNs += std::min(longer - more, sums.lastNs * std::max(0.0, excess.clockLack));
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
    addPositive(blame, rank, LateReason::Copies, stateExcess(DeviceState::Copy));
    const double computeNs
        = addAhead(blame, rank, stateExcess(DeviceState::Compute), context.ahead);
    const double transferNs
        = addAhead(blame, rank, excessOf(all, last, &Meanwhile::transferNs), context.ahead);
    addPositive(blame, rank, LateReason::SlowTransfers, transferNs);
    addCompute(blame, rank, computeNs, kernels);
    addPositive(blame, rank, context.isRecordingsBegin ? LateReason::Unrecorded : LateReason::Other,
        excessOf(all, last, beforeCommonMoment));
    addPositive(blame, rank, LateReason::Other, excessOf(all, last, restOf));
    for (BlameShare& share : blame) {
        share.path = share.path.empty() ? std::vector{rank} : share.path;
        share.reason = context.isMessage ? LateReason::LateMessages : share.reason;
    }
    addWaits(blame, all, last, context.isMessage);
    keepLargest(blame);
    const double sum = summed<double>(blame, &BlameShare::share);
    for (BlameShare& share : blame)
        share.share /= sum;
    return blame;
}

} // namespace trainscope::analysis
