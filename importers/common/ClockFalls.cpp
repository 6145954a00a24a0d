#include "importers/common/ClockFalls.h"

#include <algorithm>

namespace trainscope::importers {

void ClockFalls::row(std::size_t slot, TimeNs time, std::int64_t line) {
    if (slot >= m_gpus.size())
        m_gpus.resize(slot + 1);
    GpuClock& gpu = m_gpus[slot];
    const DurationNs step = time - gpu.last.value_or(time);
    gpu.last = time;
    if (step.ns > 0)
        gpu.period = step;
    if (step.ns >= -std::max(gpu.period.ns, m_jitter.ns))
        return;
    m_count = std::max(m_count, ++gpu.falls);
    if (!m_first)
        m_first = {line, {-step.ns}};
}

std::string ClockFalls::inWords(std::optional<StampKind> stamps) const {
    std::string words = stepBackText(m_first->size, stamps);
    if (m_count > 1)
        words += " In all it goes back " + std::to_string(m_count) + " times.";
    return words;
}

} // namespace trainscope::importers
