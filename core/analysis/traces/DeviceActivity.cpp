#include "core/analysis/traces/DeviceActivity.h"

#include "core/analysis/statistics/TimeRanges.h"

#include <nlohmann/json.hpp>
#include <set>

namespace trainscope::analysis {
namespace {

constexpr double kNanosecond = 1e-9; // s

void add(WindowPhases& window, Phase phase, DurationNs length, bool isSendRecvOnly) {
    window.time[phase] = window.time[phase] + length;
    if (isSendRecvOnly)
        window.sendRecvOnly = window.sendRecvOnly + length;
}

} // namespace

LaunchFlow::LaunchFlow(std::size_t streams, TimeNs begin, std::span<const TimeRange> captures)
    : m_begin(begin)
    , m_busyUntil(begin)
    , m_captures(captures.begin(), captures.end())
    , m_queues(streams) {
    m_sums.queues.resize(streams);
}

void LaunchFlow::add(const DeviceWork& work) {
    const TimeNs start = work.span.start;
    if (start >= m_begin) {
        if (work.kernel != nullptr)
            ++(work.launch ? m_sums.joined : m_sums.unjoined);
        if (work.launch) {
            const TimeNs launched = work.launch->call.begin;
            m_sums.early += work.kernel != nullptr && start < launched ? 1 : 0;
            m_since = std::min(m_since, launched);
            enqueue(work.stream, start, launched, start);
            countGap(start, launched);
        }
    }
    m_busyUntil = std::max(m_busyUntil, start + work.span.duration);
}

void LaunchFlow::addLater(const DeviceWork& work, TimeNs end, bool isNext) {
    if (!work.launch)
        return;
    const TimeNs launched = work.launch->call.begin;
    if (launched < end)
        enqueue(work.stream, work.span.start, launched, end);
    if (isNext)
        countGap(end, launched);
}

// A stream starts its work in the order of the launches, so whoever has started by the time of one
// launch has by the next.
void LaunchFlow::enqueue(std::size_t stream, TimeNs start, TimeNs launched, TimeNs end) {
    Queue& queue = m_queues[stream];
    QueueSums& sums = m_sums.queues[stream];
    sums.isKnown = true;
    if (launched < queue.launched)
        m_since = std::min(m_since, queue.launchedStart);
    else
        queue.launchedStart = start;
    queue.launched = std::max(queue.launched, launched);
    while (!queue.starts.empty() && queue.starts.front() <= launched)
        queue.starts.pop_front();
    if (start <= launched)
        return;
    queue.starts.push_back(start);
    sums.maxDepth = std::max(sums.maxDepth, static_cast<std::int64_t>(queue.starts.size()));
    sums.waited = sums.waited + tracedIn({std::max(launched, m_begin), end});
}

DurationNs LaunchFlow::tracedIn(TimeRange range) const {
    if (m_captures.size() < 2)
        return range.length();
    auto capture = std::ranges::upper_bound(m_captures, range.begin, {}, &TimeRange::end);
    DurationNs length;
    for (; capture != m_captures.end() && capture->begin < range.end; ++capture)
        length = length + shared(*capture, range).length();
    return length;
}

void LaunchFlow::countGap(TimeNs start, TimeNs launched) {
    for (; m_captured < m_captures.size() && m_captures[m_captured].begin <= start; ++m_captured)
        m_busyUntil = std::max(m_busyUntil, m_captures[m_captured].begin);
    if (start <= m_busyUntil)
        return;
    m_since = std::min(m_since, m_busyUntil);
    const TimeNs until = std::min(start, launched);
    if (until > m_busyUntil)
        m_sums.hostBound = m_sums.hostBound + tracedIn({m_busyUntil, until});
}

LaunchSums LaunchFlow::take() {
    LaunchSums sums = std::exchange(m_sums, {});
    m_sums.queues.resize(m_queues.size());
    m_since = kAllTime.end;
    return sums;
}

LaunchStatistics launchStatistics(
    const LaunchSums& sums, std::span<const std::string> streams, DurationNs traced) {
    LaunchStatistics result;
    static_cast<LaunchCounts&>(result) = sums;
    for (std::size_t i = 0; i < sums.queues.size(); ++i) {
        const QueueSums& queue = sums.queues[i];
        if (!queue.isKnown || traced.ns <= 0)
            continue;
        // Each capture has tracks of its own for the same streams.
        auto known = std::ranges::find(result.queues, streams[i], &StreamQueue::stream);
        if (known == result.queues.end())
            known = result.queues.insert(known, {streams[i], 0.0, 0});
        known->meanDepth += static_cast<double>(queue.waited.ns) / static_cast<double>(traced.ns);
        known->maxDepth = std::max(known->maxDepth, queue.maxDepth);
    }
    return result;
}

void DelaySums::add(std::int64_t ns) {
    m_all.add(static_cast<double>(ns), 1);
    m_sum += static_cast<double>(ns);
    m_max = std::max(m_max, ns);
}

std::optional<DelayStatistics> DelaySums::statistics() const {
    const auto median = m_all.median();
    const auto p99 = m_all.quantile(0.99);
    if (!median || !p99)
        return std::nullopt;
    return DelayStatistics{m_sum / static_cast<double>(m_all.totalWeight()), *median, *p99, m_max};
}

void CategoryShares::add(DurationNs length, const Running& running) {
    const auto ns = static_cast<double>(length.ns);
    if (running.kernels.empty()) {
        m_copyNs += ns;
        return;
    }
    const std::int64_t compute = running.countOf(false);
    const std::int64_t sharing = compute > 0 ? compute : running.countOf(true);
    for (const ActiveKernels& kernel : running.kernels) {
        if (compute > 0 && kernel.isCommunication)
            continue;
        const double part = ns * static_cast<double>(kernel.count) / static_cast<double>(sharing);
        const std::size_t place = placeOf(kernel.category);
        m_categories[place].ns += part;
        if (kernel.isCommunication)
            m_exposed[{place, kernel.detail}] += part;
    }
}

std::size_t CategoryShares::placeOf(const std::string* category) {
    const auto [found, isNew] = m_places.try_emplace(category, m_categories.size());
    if (isNew)
        m_categories.push_back({*category});
    return found->second;
}

std::map<std::string, double> CategoryShares::seconds() const {
    std::map<std::string, double> out;
    for (const Category& category : m_categories)
        out[category.text] += category.ns * kNanosecond;
    if (m_copyNs > 0.0)
        out[std::string(toString(Phase::Copy))] = m_copyNs * kNanosecond;
    return out;
}

std::map<CategoryShares::Collective, double> CategoryShares::exposed() const {
    std::map<Collective, double> out;
    for (const auto& [key, time] : m_exposed)
        out[{m_categories[key.first].text, key.second}] += time * kNanosecond;
    return out;
}

PhaseMeter::PhaseMeter(const TraceWindow& shown)
    : m_shown(shown) {
    m_all.window = shown.fixed.value_or(TimeRange{});
    for (const Iteration& iteration : shown.iterations) {
        IterationPhases phases;
        phases.window = iteration.range;
        phases.traced = iteration.range.length();
        phases.index = iteration.index;
        phases.warmup = iteration.warmup;
        m_iterations.push_back(phases);
        m_windows.add(iteration.range);
    }
}

Status PhaseMeter::piece(TimeRange range, const Running& running) {
    if (!m_shown.fixed) {
        m_all.window = m_isFirst ? range : TimeRange{m_all.window.begin, range.end};
        m_isFirst = false;
    }
    if (running.isNothing()) // the rest of a window at the end
        return {};
    const Phase phase = phaseOf(running);
    const bool isSendRecvOnly = !running.kernels.empty()
        && std::ranges::all_of(
            running.kernels, [](const ActiveKernels& kernel) { return kernel.isPipelineTransfer; });
    add(m_all, phase, range.length(), isSendRecvOnly);
    if (phase == Phase::CommunicationExposed)
        addKinds(range.length(), running);
    if (m_iterations.empty())
        m_shares.add(range.length(), running);
    m_windows.forEachTouched(range, [&](std::size_t i) {
        WindowPhases& window = m_iterations[i];
        const DurationNs length = shared(range, window.window).length();
        add(window, phase, length, isSendRecvOnly);
        m_shares.add(length, running);
    });
    return {};
}

void PhaseMeter::addKinds(DurationNs length, const Running& running) {
    std::set<std::string_view> kinds;
    for (const ActiveKernels& kernel : running.kernels) {
        if (kinds.insert(*kernel.category).second) {
            DurationNs& time = m_exposedByKind[*kernel.category];
            time = time + length;
        }
    }
}

void PhaseMeter::finish(WindowPhases& window, const MarkEvidence& evidence) {
    DurationNs& unmarked = window.time[Phase::Compute];
    if (evidence.unmarked() != Phase::Compute) {
        window.time[evidence.unmarked()] = window.time[evidence.unmarked()] + unmarked;
        unmarked = {};
    }
    DurationNs busy;
    for (const Phase phase : kAllPhases)
        busy = busy + (phase == Phase::Idle ? DurationNs{} : window.time[phase]);
    window.time[Phase::Idle] = window.traced - busy;
}

WindowPhases PhaseMeter::all(const MarkEvidence& evidence) const {
    WindowPhases result = m_all;
    result.traced = m_shown.tracedIn(result.window);
    finish(result, evidence);
    return result;
}

std::vector<IterationPhases> PhaseMeter::iterations(const MarkEvidence& evidence) const {
    std::vector<IterationPhases> result = m_iterations;
    for (IterationPhases& iteration : result)
        finish(iteration, evidence);
    return result;
}

std::optional<double> CopyKind::bandwidth() const {
    if (timeWithBytes.ns <= 0)
        return std::nullopt;
    return static_cast<double>(bytes) / timeWithBytes.seconds();
}

std::string copyDirection(std::string_view name) {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 14> kKinds{{
        {"HtoD", "HtoD"},
        {"DtoH", "DtoH"},
        {"DtoD", "DtoD"},
        {"PtoP", "PtoP"},
        {"HtoH", "HtoH"},
        {"HostToDevice", "HtoD"},
        {"DeviceToHost", "DtoH"},
        {"DeviceToDevice", "DtoD"},
        {"PeerToPeer", "PtoP"},
        {"HostToHost", "HtoH"},
        {"Host-to-Device", "HtoD"}, // as Nsight Systems says it
        {"Device-to-Host", "DtoH"},
        {"Device-to-Device", "DtoD"},
        {"Peer-to-Peer", "PtoP"},
    }};
    const auto found = std::ranges::find_if(
        kKinds, [&](const auto& kind) { return name.find(kind.first) != std::string_view::npos; });
    return found == kKinds.end() ? "other" : std::string(found->second);
}

std::optional<std::int64_t> movedBytes(std::string_view detail) {
    const auto json = nlohmann::json::parse(detail, nullptr, false);
    if (!json.is_object())
        return std::nullopt;
    const auto bytes = json.find("bytes");
    if (bytes == json.end() || !bytes->is_number_integer() || bytes->get<std::int64_t>() < 0)
        return std::nullopt;
    return bytes->get<std::int64_t>();
}

} // namespace trainscope::analysis
