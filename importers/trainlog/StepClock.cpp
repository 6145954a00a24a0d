#include "importers/trainlog/StepClock.h"
#include "core/model/WholeNumber.h"

#include <algorithm>
#include <cmath>

namespace trainscope::importers::trainlog {

namespace {

constexpr DurationNs kNearby{250'000'000}; // between a stamped line and that of its step
constexpr DurationNs kBarResolution{1'000'000'000};
constexpr DurationNs kOrderStep{1'000'000'000};
constexpr std::int64_t kMostBetween = 100'000; // iterations between two lines
constexpr double kMostSeconds = 1e9;

DurationNs durationOf(double seconds) {
    return {nearestWhole<std::int64_t>(std::clamp(seconds, 0.0, kMostSeconds) * 1e9)};
}

} // namespace

TimeNs StepClock::absolute(const LogStamp& stamp) const {
    return stamp.isUtc ? stamp.time : stamp.time - m_settings.utcOffset;
}

std::optional<StepClock::Moment> StepClock::momentOf(const LoggedStep& step) const {
    if (m_settings.isDated && step.line.stamp)
        return Moment{absolute(*step.line.stamp), step.line.stamp->resolution};
    if (m_settings.isDated && step.nearby)
        return Moment{absolute(*step.nearby), std::max(kNearby, step.nearby->resolution)};
    if (!step.line.elapsedS || m_settings.isDated)
        return std::nullopt;
    const double seconds = m_elapsedBefore + *step.line.elapsedS;
    // Beside a duration it is a bar's, in whole seconds.
    return Moment{m_settings.start + m_shift + durationOf(seconds),
        step.line.secondsEach ? kBarResolution : DurationNs{}};
}

std::int64_t StepClock::countOf(std::int64_t index) const {
    if (m_lastIndex && index > *m_lastIndex)
        return index - *m_lastIndex <= kMostBetween ? index - *m_lastIndex : 1;
    const std::int64_t interval = m_settings.logInterval;
    return interval > 1 && index > 0 && index % interval == 0 ? std::min(interval, index) : 1;
}

StepTimes StepClock::step(const LoggedStep& step) {
    StepTimes times;
    const StepLine& line = step.line;
    Seen seen{line.index, line.elapsedS};
    if (const auto moment = momentOf(step); moment && !seen.seconds)
        seen.seconds = (moment->time - TimeNs{}).seconds();
    if (m_lastIndex && (line.index == *m_lastIndex || isCopy(seen)))
        return times;
    m_recent[m_nextRecent++ % m_recent.size()] = seen;
    times.isRestart = m_lastIndex && line.index < *m_lastIndex;
    times.isAfterPause = m_isPaused && !m_settings.isDated;
    times.count = countOf(line.index);
    if (times.isAfterPause)
        endPause();
    m_isPaused = false;
    times.isNewProcess = noteElapsed(line);
    if (!m_lastEnd && !m_settings.isDated)
        m_lastEnd = m_settings.start;
    times.range = rangeOf(step, times);
    // As many iterations lie before the first line as between it and the second.
    if (m_isFirstAlone && line.index == 2 * *m_lastIndex) {
        times.count = line.index;
        times.range.begin = m_settings.start;
    }
    m_isFirstAlone = !m_lastIndex && line.elapsedS && times.range.isEmpty() && !m_settings.isDated;
    m_lastIndex = line.index;
    m_lastEnd = times.range.end;
    return times;
}

// Two processes of a job that write to one log say each iteration twice, the second a moment later.
// One that starts again needs longer to come back to the same iteration.
bool StepClock::isCopy(const Seen& line) {
    constexpr double kSameS = 2.0;
    const auto seen = std::ranges::find(m_recent, line.index, &Seen::index);
    if (seen == m_recent.end() || !seen->seconds || !line.seconds)
        return false;
    const double lag = *line.seconds - *seen->seconds;
    if (std::abs(lag - m_copyLagS) > kSameS)
        return false;
    m_copyLagS = lag;
    return true;
}

// Later times move by the length of the pause, where that is known.
void StepClock::endPause() {
    const auto place = static_cast<std::size_t>(m_pauses);
    const DurationNs lasted
        = place < m_settings.pauses.size() ? m_settings.pauses[place] : DurationNs{};
    m_shift = m_shift + lasted;
    if (m_lastEnd)
        m_lastEnd = *m_lastEnd + lasted;
    ++m_pauses;
}

// Returns true where the time began anew.
bool StepClock::noteElapsed(const StepLine& line) {
    if (!line.elapsedS)
        return false;
    const bool beganAnew = *line.elapsedS + 1.0 < m_lastElapsed;
    if (beganAnew)
        m_elapsedBefore += m_lastElapsed;
    m_lastElapsed = *line.elapsedS;
    return beganAnew;
}

TimeRange StepClock::rangeOf(const LoggedStep& step, const StepTimes& times) const {
    const auto moment = momentOf(step);
    TimeNs end = moment ? moment->time : m_lastEnd.value_or(m_settings.start);
    if (!step.line.secondsEach) {
        // Without any time the order is all there is: a second stands for an iteration.
        if (!moment && !m_settings.isDated)
            end = end + DurationNs{times.count * kOrderStep.ns};
        // The number of iterations before a process's first line is not known.
        const bool isFirst = !m_lastIndex && times.count == 1 && step.line.index > 1;
        const bool hasBegin = moment && m_lastEnd && !times.isRestart && !isFirst;
        return {hasBegin ? std::min(*m_lastEnd, end) : end, end};
    }
    const DurationNs length = durationOf(*step.line.secondsEach * static_cast<double>(times.count));
    if (m_lastEnd && !(times.isRestart && m_settings.isDated)) {
        const TimeNs expected = *m_lastEnd + length;
        end = moment ? std::clamp(expected, moment->time, moment->time + moment->tolerance)
                     : expected;
    }
    TimeNs begin = end - length;
    if (m_lastEnd && !times.isRestart)
        begin = std::max(begin, *m_lastEnd);
    return {std::min(begin, end), end};
}

void StepClock::pause() {
    m_isPaused = m_lastIndex.has_value();
}

void StepClock::resume(const LoggedStep& step) {
    m_isPaused = false;
    m_lastIndex = step.line.index;
    if (const auto moment = momentOf(step))
        m_lastEnd = moment->time;
}

TimeNs StepClock::timeOf(const LoggedStep& step) const {
    const TimeNs last = m_lastEnd.value_or(m_settings.start);
    if (!m_settings.isDated)
        return last;
    const auto moment = momentOf(step);
    return moment ? moment->time : last;
}

} // namespace trainscope::importers::trainlog
