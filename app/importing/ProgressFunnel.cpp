#include "app/importing/ProgressFunnel.h"

#include <algorithm>

namespace trainscope::app {

namespace {

constexpr auto kTellEvery = std::chrono::milliseconds(20);

} // namespace

ProgressFunnel::ProgressFunnel(const importers::ImportPlan& plan, const ImportListener& listener)
    : m_plan(plan)
    , m_listener(listener) {
    for (const importers::ImportUnit& unit : plan.units)
        m_progress.bytesTotal += unit.enabled ? unit.bytes : 0;
}

void ProgressFunnel::beginUnit(std::size_t index) {
    m_progress.unit = index;
    m_progress.phase = "Starting";
    m_progress.unitBytesDone = 0;
    m_progress.unitBytesTotal = m_plan.units[index].bytes;
    tell();
}

void ProgressFunnel::endUnit() {
    m_finishedBytes += m_progress.unitBytesTotal;
    m_progress.unitBytesDone = m_progress.unitBytesTotal;
    m_progress.bytesDone = m_finishedBytes;
    tell();
}

bool ProgressFunnel::report(const ProgressState& state) {
    if (m_cancelled)
        return false;
    const bool newPhase = state.phase != m_progress.phase;
    if (newPhase)
        m_progress.phase = state.phase;
    // Phases after reading (sorting, committing) count other things: the bytes stay where reading
    // left them.
    if (state.bytesTotal == m_progress.unitBytesTotal)
        m_progress.unitBytesDone
            = std::clamp(state.bytesDone, m_progress.unitBytesDone, m_progress.unitBytesTotal);
    m_progress.bytesDone = m_finishedBytes + m_progress.unitBytesDone;
    if (!newPhase && std::chrono::steady_clock::now() - m_lastTold < kTellEvery)
        return true;
    return tell();
}

bool ProgressFunnel::tell() {
    m_lastTold = std::chrono::steady_clock::now();
    if (!m_cancelled && m_listener)
        m_cancelled = !m_listener(m_progress);
    return !m_cancelled;
}

} // namespace trainscope::app
