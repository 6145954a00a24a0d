#include "importers/common/WallClock.h"

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

} // namespace trainscope::importers
