#include "core/analysis/SpanCursor.h"

namespace trainscope::analysis {

namespace {

constexpr std::size_t kBlock = 16384;

} // namespace

SpanCursor::SpanCursor(const store::Store& store, TrackId track, TimeRange window)
    : m_store(&store)
    , m_track(track)
    , m_window(window) { }

const Span* SpanCursor::current() const {
    return m_position < m_block.size() ? &m_block[m_position] : nullptr;
}

Status SpanCursor::start() {
    return refill();
}

Status SpanCursor::next() {
    ++m_position;
    if (m_position < m_block.size() || m_isLast)
        return {};
    return refill();
}

Status SpanCursor::refill() {
    m_block.clear();
    m_position = 0;
    m_isLast = true;
    std::size_t toSkip = m_deliveredAtLastStart;
    // From 1 ns before, so that spans without length at that very moment are among those that touch
    // it.
    const TimeRange window{
        m_hasStarted ? m_lastStart - DurationNs{1} : m_window.begin, m_window.end};
    const auto status = m_store->forEachSpan(m_track, window, [&](std::span<const Span> spans) {
        for (const Span& span : spans) {
            if (m_hasStarted && span.start < m_lastStart)
                continue; // began earlier, but still runs
            if (m_hasStarted && span.start == m_lastStart && toSkip > 0) {
                --toSkip;
                continue;
            }
            if (m_block.size() == kBlock) {
                m_isLast = false;
                return false;
            }
            m_block.push_back(span);
        }
        return true;
    });
    if (!status.hasValue() || m_block.empty())
        return status;
    const TimeNs last = m_block.back().start;
    std::size_t atLast = 0;
    for (auto it = m_block.rbegin(); it != m_block.rend() && it->start == last; ++it)
        ++atLast;
    const bool isSameStart = m_hasStarted && last == m_lastStart;
    m_deliveredAtLastStart = atLast + (isSameStart ? m_deliveredAtLastStart : 0);
    m_lastStart = last;
    m_hasStarted = true;
    return {};
}

} // namespace trainscope::analysis
