#include "importers/common/StampGate.h"

#include "core/text/Times.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <utility>

namespace trainscope::importers {

namespace {

constexpr std::int64_t kDay = std::int64_t{86'400} * 1'000'000'000;
constexpr std::int64_t kFar = 31 * kDay;
constexpr std::int64_t kYear = 366 * kDay;
constexpr std::size_t kMostWaiting = 64;

} // namespace

bool StampGate::areNear(TimeNs a, TimeNs b) {
    return std::abs((a - b).ns) <= kFar;
}

bool StampGate::take(TimeNs time) {
    m_verdicts.clear();
    if (m_last && areNear(time, *m_last)) { // whatever waits was never there
        m_verdicts.assign(m_waiting.size(), true);
        m_verdicts.push_back(false);
    } else {
        const bool isPair = !m_waiting.empty() && areNear(time, m_waiting.back());
        m_waiting.push_back(time);
        if (!isPair && m_waiting.size() < kMostWaiting)
            return true;
        for (const TimeNs each : m_waiting)
            m_verdicts.push_back(isPair && !areNear(each, time));
    }
    m_last = time;
    m_waiting.clear();
    return false;
}

std::vector<bool> StampGate::takeWaiting() {
    return std::exchange(m_verdicts, {});
}

std::vector<bool> StampGate::finish() {
    std::vector<bool> verdicts;
    for (const TimeNs time : std::exchange(m_waiting, {}))
        verdicts.push_back(m_last && std::abs((time - *m_last).ns) > kYear);
    return verdicts;
}

std::string StampGate::damageText(TimeNs time) const {
    const TimeNs near = m_last.value_or(time);
    return "The time stamp is damaged: it lies "
        + text::decimal(std::abs((time - near).ns), kDay, 1)
        + " days from those around it. The row is left out.";
}

} // namespace trainscope::importers
