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

void TransferMeter::add(std::int64_t milliseconds, std::uint64_t bytesDone, double fraction) {
    const auto isOther = [&](const Point& last) {
        const bool isKnownNow = last.fraction < 0.0 && fraction >= 0.0;
        return bytesDone < last.bytes || fraction < last.fraction || isKnownNow;
    };
    if (!m_points.empty() && isOther(m_points.back()))
        m_points.clear();
    const Point point{milliseconds, bytesDone, fraction};
    if (m_points.empty())
        m_start = point;
    m_points.push_back(point);
    while (m_points.size() > 2 && milliseconds - m_points[1].milliseconds >= kWindow)
        m_points.pop_front();
}

std::optional<double> TransferMeter::rate() const {
    if (m_points.size() < 2)
        return std::nullopt;
    const auto elapsed = m_points.back().milliseconds - m_points.front().milliseconds;
    const auto bytes = m_points.back().bytes - m_points.front().bytes;
    if (elapsed < kSettling || bytes == 0)
        return std::nullopt;
    return static_cast<double>(bytes) * 1000.0 / static_cast<double>(elapsed);
}

std::optional<double> TransferMeter::secondsLeft() const {
    if (m_points.size() < 2 || m_points.back().fraction < 0.0)
        return std::nullopt;
    const Point& now = m_points.back();
    const auto perSecond = [&now](const Point& from) {
        return (now.fraction - from.fraction) * 1000.0
            / static_cast<double>(now.milliseconds - from.milliseconds);
    };
    if (now.milliseconds - m_points.front().milliseconds < kSettling)
        return std::nullopt;
    const double speed = 0.5 * (perSecond(m_start) + perSecond(m_points.front()));
    return speed > 0.0 ? std::optional((1.0 - now.fraction) / speed) : std::nullopt;
}

} // namespace trainscope::app
