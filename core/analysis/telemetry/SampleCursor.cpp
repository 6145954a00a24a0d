#include "core/analysis/telemetry/SampleCursor.h"

#include "core/model/Try.h"

namespace trainscope::analysis {

SampleCursor::SampleCursor(const store::Store& store, SeriesId series, TimeRange window)
    : m_store(&store)
    , m_series(series)
    , m_window(window) { }

Status SampleCursor::next() {
    ++m_position;
    return m_position < m_times.size() ? Status() : refill();
}

// One block of the store: a chunk, or what is left of one. The samples at the very moment where the
// last block ended are met again.
Status SampleCursor::refill() {
    m_times.clear();
    m_values.clear();
    m_position = 0;
    std::size_t toSkip = m_deliveredAtLastTime;
    const TimeRange window{m_hasStarted ? m_lastTime : m_window.begin, m_window.end};
    const Status status = m_store->forEachSample(m_series, window, [&](auto times, auto values) {
        const std::size_t skipped = std::min(toSkip, times.size());
        toSkip -= skipped;
        m_times.assign(times.begin() + static_cast<std::ptrdiff_t>(skipped), times.end());
        m_values.assign(values.begin() + static_cast<std::ptrdiff_t>(skipped), values.end());
        return m_times.empty();
    });
    if (!status.hasValue() || m_times.empty())
        return status;
    const TimeNs last = m_times.back();
    std::size_t atLast = 0;
    for (auto it = m_times.rbegin(); it != m_times.rend() && *it == last; ++it)
        ++atLast;
    const bool isSameTime = m_hasStarted && last == m_lastTime;
    m_deliveredAtLastTime = atLast + (isSameTime ? m_deliveredAtLastTime : 0);
    m_lastTime = last;
    m_hasStarted = true;
    return {};
}

Result<double> HeldValue::at(TimeNs moment) {
    while (!m_cursor.atEnd() && m_cursor.time() <= moment) {
        m_held = m_cursor.value();
        RETURN_IF_ERROR(m_cursor.next());
    }
    return m_held;
}

} // namespace trainscope::analysis
