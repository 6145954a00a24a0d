#include "importers/common/StampGate.h"

#include "core/text/Times.h"

#include <algorithm>
#include <cstdlib>

namespace trainscope::importers {

namespace {

constexpr std::int64_t kSecondNs = 1'000'000'000;
constexpr std::int64_t kMinuteNs = 60 * kSecondNs;
constexpr std::int64_t kHourNs = 60 * kMinuteNs;
constexpr std::int64_t kWholeDayNs = 24 * kHourNs;
constexpr std::int64_t kBetweenNs = 5 * kMinuteNs; // may pass between two readings
constexpr std::int64_t kBlurNs = 5 * kSecondNs; // between loggers that write beside one another

// Clocks are turned on Sundays of spring and autumn, in the first hours.
bool mayTurn(TimeNs wall) {
    const std::int64_t days = wall.ns / kWholeDayNs;
    constexpr std::int64_t kThursday = 4; // 1970-01-01
    const bool isSunday = (days + kThursday) % 7 == 0;
    const std::int64_t dayOfYear = days % 1461 % 365; // to a few days
    constexpr std::int64_t kMarch = 57;
    constexpr std::int64_t kMay = 122;
    constexpr std::int64_t kSeptember = 240;
    constexpr std::int64_t kMidNovember = 322;
    const bool isSeason = (dayOfYear >= kMarch && dayOfYear <= kMay)
        || (dayOfYear >= kSeptember && dayOfYear <= kMidNovember);
    return wall.ns > 0 && isSunday && isSeason && wall.ns % kWholeDayNs < 4 * kHourNs;
}

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

TimeNs WallClock::unfold(TimeNs wall) {
    m_turn = Turn::None;
    const DurationNs step = wall - m_last.value_or(wall);
    const bool isOfSummer = m_shift.ns > 0 && std::abs((wall - m_beforeTurn).ns) <= kBlurNs
        && step.ns >= kHourNs - kBetweenNs;
    if (isOfSummer) // another GPU's, written late
        return wall + m_shift - DurationNs{kHourNs};
    const std::int64_t back = -step.ns;
    if (back <= kHourNs && back >= kHourNs - kBetweenNs && mayTurn(*m_last)) {
        m_turn = Turn::SummerEnds;
        m_beforeTurn = *m_last;
        m_shift = m_shift + DurationNs{kHourNs};
    } else if (step.ns > kHourNs && step.ns <= kHourNs + kBetweenNs && mayTurn(wall)
        && wall.ns % kHourNs < kBetweenNs && m_last->ns % kHourNs >= kHourNs - kBetweenNs) {
        m_turn = Turn::SummerBegins;
        m_shift = m_shift - DurationNs{kHourNs};
    }
    m_last = wall;
    return wall + m_shift;
}

TimeNs WallClock::ofDay(TimeNs sinceMidnight, TimeNs localStart) {
    const TimeNs last = m_last.value_or(sinceMidnight);
    if ((last - sinceMidnight).ns > kWholeDayNs / 2)
        ++m_midnights;
    m_last = sinceMidnight;
    const std::int64_t day = m_midnights + localStart.ns / kWholeDayNs;
    return sinceMidnight + DurationNs{day * kWholeDayNs};
}

std::string_view turnText(WallClock::Turn turn) {
    if (turn == WallClock::Turn::SummerEnds)
        return "Summer time ends here: the hour that comes twice is unfolded, and the times behind "
               "go on by the clock of summer.";
    if (turn == WallClock::Turn::SummerBegins)
        return "Summer time begins here: the hour that is left out is closed, and the times behind "
               "go on by the clock of winter.";
    return {};
}

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
