#include "importers/common/StampGate.h"

#include "core/text/Times.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <utility>

namespace trainscope::importers {

namespace {

constexpr std::int64_t kDay = std::int64_t{86'400} * 1'000'000'000;
constexpr std::int64_t kMonth = 31 * kDay;
constexpr std::int64_t kYear = 366 * kDay;
constexpr std::int64_t kMoment = 1'000'000'000;
constexpr std::size_t kAhead = 64; // moments
constexpr std::size_t kMostRows = 65536; // waiting at most
constexpr std::size_t kAgreeing = 3; // moments at the begin
constexpr std::int64_t kKnown = 2; // rows that followed: the clock before the leap is one

std::int64_t apart(TimeNs a, TimeNs b) {
    return std::abs((a - b).ns);
}

} // namespace

bool StampGate::wait(TimeNs time) {
    if (m_waiting.empty() || apart(time, m_waiting.back().time) >= kMoment)
        m_waiting.push_back({time, 0});
    ++m_waiting.back().rows;
    ++m_rowsWaiting;
    const bool isDecided = m_last ? areNear(time, *m_last) : momentsNear(time) >= kAgreeing;
    if (!isDecided && m_waiting.size() < kAhead && m_rowsWaiting < kMostRows)
        return true;
    judge();
    return false;
}

std::size_t StampGate::momentsNear(TimeNs time) const {
    return static_cast<std::size_t>(std::count_if(m_waiting.begin(), m_waiting.end(),
        [time](const Moment& moment) { return areNear(moment.time, time); }));
}

// A clock that walks back, as in a table that is sorted by GPU, was there.
bool StampGate::comesBack(std::size_t moment) const {
    const std::int64_t leap = apart(m_waiting[moment].time, *m_last);
    const bool isClock = m_followed > 0 || leap > kYear;
    for (std::size_t i = moment + 1; isClock && i < m_waiting.size(); ++i) {
        const std::int64_t step = apart(m_waiting[i].time, m_waiting[i - 1].time);
        if (areNear(m_waiting[i].time, *m_last) && step > kNear && 2 * step > leap)
            return true;
    }
    return false;
}

bool StampGate::isDamaged(std::size_t moment) const {
    const TimeNs time = m_waiting[moment].time;
    std::int64_t staying = 0;
    std::int64_t leaving = 0;
    std::int64_t together = 0; // among those leaving
    std::optional<TimeNs> other; // the time that the first of them goes to
    for (std::size_t i = moment + 1; i < m_waiting.size(); ++i) {
        const TimeNs next = m_waiting[i].time;
        if (areNear(next, time)) {
            ++staying;
            continue;
        }
        ++leaving;
        other = other.value_or(next);
        together += areNear(next, *other) ? 1 : 0;
    }
    const std::int64_t far = apart(time, m_last.value_or(other.value_or(time)));
    if (!m_last)
        return far > kMonth && together > 1
            && (staying == 0 || (together > staying + 1 && far > kYear));
    const bool isLone = staying == 0 && leaving > 1 && m_followed >= kKnown && far > kMonth;
    const bool isLastAndFar = staying + leaving == 0 && m_followed > 0 && far > kYear;
    return comesBack(moment) || isLone || isLastAndFar;
}

void StampGate::judge() {
    for (std::size_t i = 0; i < m_waiting.size(); ++i) {
        const Moment& moment = m_waiting[i];
        const bool isNear = m_last && areNear(moment.time, *m_last);
        const bool damaged = !isNear && isDamaged(i);
        m_verdicts.insert(m_verdicts.end(), moment.rows, damaged);
        if (isNear)
            follow(moment.time);
        else if (!damaged)
            m_last = moment.time;
    }
    m_waiting.clear();
    m_rowsWaiting = 0;
}

std::vector<bool> StampGate::takeWaiting() {
    return std::exchange(m_verdicts, {});
}

std::vector<bool> StampGate::finish() {
    judge();
    return takeWaiting();
}

std::string StampGate::damageText(TimeNs time) const {
    const TimeNs near = m_last.value_or(time);
    return "The time stamp is damaged: it lies " + text::decimal(apart(time, near), kDay, 1)
        + " days from those around it. The row is left out.";
}

} // namespace trainscope::importers
