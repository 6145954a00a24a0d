#pragma once
// Wall clocks without a zone, read in the order of their lines: the hour that comes twice where
// summer time ends is unfolded, the one that is left out where it begins is closed, and times of
// day go on behind midnight.

#include "core/model/Time.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace trainscope::importers {

class WallClock {
public:
    enum class Turn { None, SummerEnds, SummerBegins };

    // The time that a stamp means, by the clock that the first stamp was written by.
    TimeNs unfold(TimeNs wall);
    // Turn that the last call of unfold() found.
    [[nodiscard]] Turn turn() const { return m_turn; }

    // A time of day, the first of the day of `localStart`; where it falls by half a day, the next
    // day began.
    TimeNs ofDay(TimeNs sinceMidnight, TimeNs localStart);

private:
    std::optional<TimeNs> m_last;
    TimeNs m_beforeTurn; // the last stamp of summer
    DurationNs m_shift;
    Turn m_turn = Turn::None;
    std::int64_t m_midnights = 0;
};

// Sentence for a turn; empty without one.
std::string_view turnText(WallClock::Turn turn);

} // namespace trainscope::importers
