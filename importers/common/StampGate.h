#pragma once
// Damaged stamps of a log: a clock that leaps by more than a month and comes back was never there.
// One that stays where it leapt to was turned, or the log was continued.

#include "core/model/Time.h"

#include <optional>
#include <string>
#include <vector>

namespace trainscope::importers {

// Rows go through in their order; where a stamp is far from those before, its row waits for the
// next ones.
class StampGate {
public:
    // True where that row, or one before it, now waits; else takeWaiting() tells of all that did.
    bool take(TimeNs time);
    // For each row that waited, in order, and the last one: whether its stamp is damaged.
    std::vector<bool> takeWaiting();
    // At the end of the log.
    std::vector<bool> finish();
    [[nodiscard]] bool isWaiting() const { return !m_waiting.empty(); }

    // "The time stamp is damaged: it lies 13301.0 days from those around it. The row is left out."
    [[nodiscard]] std::string damageText(TimeNs time) const;

private:
    [[nodiscard]] static bool areNear(TimeNs a, TimeNs b);

    std::optional<TimeNs> m_last; // of a row that is good
    std::vector<TimeNs> m_waiting;
    std::vector<bool> m_verdicts; // of those that waited
};

} // namespace trainscope::importers
