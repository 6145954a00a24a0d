#pragma once
// Damaged stamps of a log: a clock that leaps away and comes back was never there. One that stays
// where it leapt to was turned, or the log was continued.

#include "core/model/Time.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainscope::importers {

// Wall clocks without a zone, read in the order of their lines: the hour that comes twice where
// summer time ends is unfolded, the one that is left out where it begins is closed, and times of
// day go on behind midnight.

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

// Rows go through in their order. A row whose stamp is far from those before waits, with all that
// follow, until the clock came back or stayed for as long as kAhead moments; so do the first rows,
// until three moments agree. Stamps within a second are one moment: a reading of several GPUs has a
// row for each.
class StampGate {
public:
    // True where that row, or one before it, now waits; else takeWaiting() tells of all that did.
    bool take(TimeNs time) {
        if (m_waiting.empty() && m_last && areNear(time, *m_last)) {
            follow(time);
            return false;
        }
        return wait(time);
    }
    // For each row that waited, in order, and the last one: whether its stamp is damaged.
    std::vector<bool> takeWaiting() { return std::exchange(m_verdicts, {}); }
    // The same for all that still wait, where no row follows.
    std::vector<bool> finish();
    [[nodiscard]] bool isWaiting() const { return !m_waiting.empty(); }

    // "The time stamp is damaged: it lies 13301.0 days from those around it. The row is left out."
    [[nodiscard]] std::string damageText(TimeNs time) const;

private:
    struct Moment {
        TimeNs time; // its first row's
        std::size_t rows = 0;
    };
    static constexpr std::int64_t kNear = std::int64_t{86'400} * 1'000'000'000; // a day
    [[nodiscard]] static bool areNear(TimeNs a, TimeNs b) {
        return (a - b).ns <= kNear && (b - a).ns <= kNear;
    }
    void follow(TimeNs time) {
        m_last = time;
        ++m_followed;
    }
    bool wait(TimeNs time);
    [[nodiscard]] std::size_t momentsNear(TimeNs time) const;
    [[nodiscard]] bool comesBack(std::size_t moment) const;
    [[nodiscard]] bool isDamaged(std::size_t moment) const;
    void judge();

    std::optional<TimeNs> m_last; // a good row's
    std::int64_t m_followed = 0; // good rows that lay near the one before
    std::vector<Moment> m_waiting;
    std::size_t m_rowsWaiting = 0;
    std::vector<bool> m_verdicts; // for those that waited
};

} // namespace trainscope::importers
