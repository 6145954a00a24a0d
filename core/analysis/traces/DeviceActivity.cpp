#include "core/analysis/traces/DeviceActivity.h"

#include "core/analysis/statistics/TimeRanges.h"
#include "core/analysis/traces/MovedBytes.h"
#include "core/analysis/traces/TraceBreakdown.h"
#include "core/model/Try.h"

#include <algorithm>
#include <array>
#include <utility>

namespace trainscope::analysis {

namespace {

void add(WindowPhases& window, Phase phase, DurationNs length, bool isSendRecvOnly) {
    window.time[phase] = window.time[phase] + length;
    if (isSendRecvOnly)
        window.sendRecvOnly = window.sendRecvOnly + length;
}

class BreakdownVisitor : public DeviceVisitor {
public:
    BreakdownVisitor(const TraceWindow& shown, KernelNames& names)
        : m_meter(shown, names) { }

    Status work(const DeviceWork& work) override { return m_meter.add(work.span); }
    DeviceBreakdown finish() { return m_meter.finish(); }

private:
    BreakdownMeter m_meter;
};

} // namespace

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
    if (running.isNothing()) // what is left of a window at the end
        return {};
    const Phase phase = phaseOf(running);
    const bool isSendRecvOnly = !running.kernels.empty()
        && std::all_of(running.kernels.begin(), running.kernels.end(),
            [](const ActiveKernel& kernel) { return kernel.isPipelineTransfer; });
    add(m_all, phase, range.length(), isSendRecvOnly);
    m_windows.forEachTouched(range, [&](std::size_t i) {
        WindowPhases& window = m_iterations[i];
        add(window, phase, shared(range, window.window).length(), isSendRecvOnly);
    });
    return {};
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
    const auto found = std::find_if(kKinds.begin(), kKinds.end(),
        [&](const auto& kind) { return name.find(kind.first) != std::string_view::npos; });
    return found == kKinds.end() ? "other" : std::string(found->second);
}

Result<CopyMeter::Facts> CopyMeter::factsOf(const Span& span) {
    const std::pair key{span.name, span.detail};
    if (const auto known = m_facts.find(key); known != m_facts.end())
        return known->second;
    Facts facts;
    std::string name;
    if (span.name.isValid()) {
        ASSIGN_OR_RETURN(name, m_store.name(span.name));
    }
    if (span.detail.isValid()) {
        ASSIGN_OR_RETURN(const auto detail, m_store.name(span.detail));
        facts.bytes = movedBytes(detail);
    }
    facts.kind = &m_result[copyDirection(name)];
    m_facts.emplace(key, facts);
    return facts;
}

Status CopyMeter::work(const DeviceWork& work) {
    if (work.span.kind != SpanKind::Copy)
        return {};
    ASSIGN_OR_RETURN(const auto facts, factsOf(work.span));
    const TimeNs end = work.span.start + work.span.duration;
    const TimeRange inside{std::max(work.span.start, m_range.begin),
        std::max(m_range.begin, std::min(end, m_range.end))};
    CopyKind& kind = *facts.kind;
    ++kind.count;
    kind.time = kind.time + inside.length();
    if (facts.bytes && inside.length() == work.span.duration) {
        ++kind.withBytes;
        kind.bytes += *facts.bytes;
        kind.timeWithBytes = kind.timeWithBytes + work.span.duration;
    }
    return {};
}

Result<std::vector<DeviceTrace>> deviceTraces(const store::Store& store, const Run& run,
    const KernelCategories& categories, const RankWindow& window, const IterationChoice& iterations,
    const Progress& progress) {
    ASSIGN_OR_RETURN(const auto devices, tracedDevices(store, run));
    const IterationChoice traced = tracedIterations(iterations, tracedOf(devices));
    KernelNames names(store, categories);
    std::vector<DeviceTrace> result;
    for (const DeviceTracks& device : devices) {
        const auto shown = traceWindow(device.rank, device.captures, window(device.rank), traced);
        if (!shown)
            continue;
        PhaseMeter phases(*shown);
        LaunchMeter launches(device, *shown);
        CopyMeter copies(store, *shown);
        BreakdownVisitor kernels(*shown, names);
        const std::array<DeviceVisitor*, 4> visitors{&phases, &launches, &copies, &kernels};
        ASSIGN_OR_RETURN(
            const auto evidence, walkDevice(store, device, shown->range, visitors, progress));
        const WindowPhases all = phases.all(evidence);
        result.push_back({kernels.finish(),
            {device.rank, device.device, all, phases.iterations(evidence), evidence,
                launches.result(all.traced), copies.result()}});
        result.back().breakdown.rank = device.rank;
        result.back().breakdown.device = device.device;
    }
    return result;
}

Result<std::vector<DeviceTrace>> deviceTraces(const store::Store& store, const Run& run,
    const KernelCategories& categories, TimeRange window, const IterationChoice& iterations,
    const Progress& progress) {
    return deviceTraces(store, run, categories, ownWindows(nullptr, window), iterations, progress);
}

Result<std::vector<DeviceActivity>> deviceActivity(const store::Store& store, const Run& run,
    TimeRange window, const IterationChoice& iterations, const Progress& progress) {
    ASSIGN_OR_RETURN(auto traces,
        deviceTraces(store, run, KernelCategories::builtIn(), window, iterations, progress));
    std::vector<DeviceActivity> result;
    for (DeviceTrace& trace : traces)
        result.push_back(std::move(trace.activity));
    return result;
}

} // namespace trainscope::analysis
