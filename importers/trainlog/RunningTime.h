#pragma once
// Meaning of a number under "time": seconds since the start where it grows from line to line as
// iterations do, else those of one iteration. The first line does not tell the two apart.

#include "importers/trainlog/StepLine.h"

#include <algorithm>

namespace trainscope::importers::trainlog {

class RunningTime {
public:
    // `step.index` is known; sets `elapsedS` or `secondsEach`.
    void note(double seconds, StepLine& step) {
        const auto last = std::exchange(m_last, std::pair(step.index, seconds));
        if (last && step.index > last->first) {
            const double grown = seconds - last->second;
            const double paced = last->second * static_cast<double>(step.index - last->first)
                / static_cast<double>(std::max<std::int64_t>(last->first, 1));
            m_isRunning = m_isRunning.value_or(true) && grown > 0.0
                && (m_isRunning.has_value() || grown >= kGrowth * paced);
        }
        if (m_isRunning.value_or(true))
            step.elapsedS = seconds;
        else
            step.secondsEach = seconds;
    }

private:
    static constexpr double kGrowth = 0.5; // share of the growth that iterations at one pace make

    std::optional<std::pair<std::int64_t, double>> m_last; // iteration and number
    std::optional<bool> m_isRunning;
};

} // namespace trainscope::importers::trainlog
