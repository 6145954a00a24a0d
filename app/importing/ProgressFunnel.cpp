#include "app/importing/ProgressFunnel.h"

namespace trainscope::app {

namespace {

constexpr auto kTellEvery = std::chrono::milliseconds(20);
// The number of phases to come is not known: each takes this part of what the ones before have
// left.
constexpr double kPhasePart = 0.9;
constexpr double kLeastShare = 0.2;
constexpr double kMostShare = 0.95;

double share(std::uint64_t done, std::uint64_t total) {
    return total == 0 ? 0.0 : std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
}

double seconds(std::chrono::steady_clock::duration time) {
    return std::chrono::duration<double>(time).count();
}

} // namespace

ProgressFunnel::ProgressFunnel(
    const importers::ImportPlan& plan, const ImportListener& listener, Clock clock)
    : m_plan(plan)
    , m_listener(listener)
    , m_clock(std::move(clock)) {
    for (const importers::ImportUnit& unit : plan.units)
        m_progress.bytesTotal += unit.enabled ? unit.bytes : 0;
}

void ProgressFunnel::beginUnit(std::size_t index) {
    m_progress.unit = index;
    m_progress.phase = "Starting";
    m_progress.unitBytesDone = 0;
    m_progress.unitBytesTotal = m_plan.units[index].bytes;
    m_unitStart = m_clock();
    m_isInUnit = true;
    m_isFinishing = false;
    m_finishing = 0.0;
    update(0.0);
    tell();
}

void ProgressFunnel::endUnit() {
    learn();
    m_progress.unitBytesDone = m_progress.unitBytesTotal;
    update(1.0);
    m_finishedBytes += m_progress.unitBytesTotal;
    m_isInUnit = false;
    tell();
}

bool ProgressFunnel::report(const ProgressState& state) {
    if (m_cancelled)
        return false;
    const bool newPhase = state.phase != m_progress.phase;
    if (newPhase)
        m_progress.phase = state.phase;
    // Phases after reading (sorting, committing) count other things.
    if (m_isInUnit && state.bytesTotal == m_progress.unitBytesTotal && !m_isFinishing)
        takeReading(state);
    else if (m_isInUnit)
        takeFinishing(state, newPhase);
    if (!newPhase && m_clock() - m_lastTold < kTellEvery)
        return true;
    return tell();
}

void ProgressFunnel::takeReading(const ProgressState& state) {
    m_progress.unitBytesDone
        = std::clamp(state.bytesDone, m_progress.unitBytesDone, m_progress.unitBytesTotal);
    update(m_readingShare * share(m_progress.unitBytesDone, m_progress.unitBytesTotal));
}

void ProgressFunnel::takeFinishing(const ProgressState& state, bool newPhase) {
    if (!std::exchange(m_isFinishing, true))
        m_readingEnd = m_clock();
    if (newPhase)
        m_phaseStart = m_finishing;
    const double done = share(state.bytesDone, state.bytesTotal);
    m_finishing = std::max(m_finishing, m_phaseStart + (1.0 - m_phaseStart) * kPhasePart * done);
    update(m_readingShare + (1.0 - m_readingShare) * m_finishing);
}

void ProgressFunnel::learn() {
    const double all = seconds(m_clock() - m_unitStart);
    if (!m_isFinishing || all <= 0.0)
        return;
    const double reading = seconds(m_readingEnd - m_unitStart) / all;
    m_readingShare = std::clamp(0.5 * (m_readingShare + reading), kLeastShare, kMostShare);
}

void ProgressFunnel::update(double unitFraction) {
    m_progress.unitFraction = unitFraction;
    m_progress.bytesDone = m_finishedBytes + m_progress.unitBytesDone;
    const double finished = static_cast<double>(m_finishedBytes);
    const double unit = unitFraction * static_cast<double>(m_progress.unitBytesTotal);
    if (m_progress.bytesTotal > 0)
        m_progress.fraction = (finished + unit) / static_cast<double>(m_progress.bytesTotal);
}

bool ProgressFunnel::tell() {
    m_lastTold = m_clock();
    if (!m_cancelled && m_listener)
        m_cancelled = !m_listener(m_progress);
    return !m_cancelled;
}

} // namespace trainscope::app
