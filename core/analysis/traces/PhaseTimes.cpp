#include "core/analysis/traces/PhaseTimes.h"

#include <algorithm>

namespace trainscope::analysis {

namespace {

void add(WindowPhases& window, Phase phase, DurationNs length, bool isSendRecvOnly) {
    window.time[phase] = window.time[phase] + length;
    if (isSendRecvOnly)
        window.sendRecvOnly = window.sendRecvOnly + length;
}

} // namespace

PhaseMeter::PhaseMeter(const TraceWindow& shown)
    : m_isFixed(shown.fixed.has_value()) {
    m_all.window = shown.fixed.value_or(TimeRange{});
    for (const Iteration& iteration : shown.iterations) {
        IterationPhases phases;
        phases.window = iteration.range;
        phases.index = iteration.index;
        phases.warmup = iteration.warmup;
        m_iterations.push_back(phases);
        m_windows.add(iteration.range);
    }
}

Status PhaseMeter::piece(TimeRange range, std::span<const ActiveKernel> running) {
    if (!m_isFixed) {
        m_all.window = m_isFirst ? range : TimeRange{m_all.window.begin, range.end};
        m_isFirst = false;
    }
    if (running.empty()) // what is left of a window at the end
        return {};
    const Phase phase = phaseOf(running);
    const bool isSendRecvOnly = std::all_of(running.begin(), running.end(),
        [](const ActiveKernel& kernel) { return kernel.isPipelineTransfer; });
    add(m_all, phase, range.length(), isSendRecvOnly);
    m_windows.forEachTouched(range, [&](std::size_t i) {
        WindowPhases& window = m_iterations[i];
        const TimeRange part{
            std::max(range.begin, window.window.begin), std::min(range.end, window.window.end)};
        add(window, phase, part.length(), isSendRecvOnly);
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
    window.time[Phase::Idle] = window.window.length() - busy;
}

WindowPhases PhaseMeter::all(const MarkEvidence& evidence) const {
    WindowPhases result = m_all;
    finish(result, evidence);
    return result;
}

std::vector<IterationPhases> PhaseMeter::iterations(const MarkEvidence& evidence) const {
    std::vector<IterationPhases> result = m_iterations;
    for (IterationPhases& iteration : result)
        finish(iteration, evidence);
    return result;
}

} // namespace trainscope::analysis
