#include "core/analysis/statistics/SampleWalk.h"

#include "core/analysis/statistics/TimeRanges.h"
#include "core/model/Try.h"

namespace trainscope::analysis {

SampleCursor::SampleCursor(
    const store::Store& store, SeriesId series, TimeRange window, KeepGoing keepGoing)
    : m_source(store.sampleSource(series, window))
    , m_keepGoing(std::move(keepGoing)) { }

Status SampleCursor::refill() {
    if (m_keepGoing && !m_keepGoing())
        return cancelled();
    ASSIGN_OR_RETURN(m_block, m_source());
    m_position = 0;
    return {};
}

double SampleLine::meanOver(TimeRange part) const {
    const double middle = static_cast<double>((part.begin - from.time).ns)
        + 0.5 * static_cast<double>(part.length().ns);
    return std::lerp(from.value, to.value, middle / static_cast<double>((to.time - from.time).ns));
}

SampleWalk::SampleWalk(const store::Store& store, SeriesId series, TimeNs begin,
    DurationNs gapLimit, DurationNs lag, KeepGoing keepGoing)
    : m_store(&store)
    , m_series(series)
    , m_gapLimit(gapLimit)
    , m_lag(lag)
    , m_keepGoing(std::move(keepGoing))
    , m_now(begin) { }

// From the sample that holds at the begin; where that is missing, from the farthest one from which
// a line may lead there.
Status SampleWalk::start() {
    const TimeNs begin = m_now + m_lag;
    ASSIGN_OR_RETURN(const auto before, m_store->lastBefore(m_series, begin));
    const bool isMissing = before && std::isnan(before->value);
    const TimeNs from = isMissing ? begin - m_gapLimit : before ? before->time : begin;
    m_cursor.emplace(*m_store, m_series, TimeRange{from, kAllTime.end}, m_keepGoing);
    RETURN_IF_ERROR(m_cursor->start());
    return nextPoint();
}

Status SampleWalk::nextPoint() {
    m_left = m_right;
    m_right.reset();
    m_heldUntil.reset();
    while (!m_cursor->atEnd() && !m_right) {
        const store::Sample point{m_cursor->time() - m_lag, m_cursor->value()};
        m_heldUntil = m_heldUntil.value_or(point.time);
        if (!std::isnan(point.value))
            m_right = point;
        RETURN_IF_ERROR(m_cursor->next());
    }
    return {};
}

Result<HeldSums> SampleWalk::to(TimeNs until) {
    if (!m_cursor)
        RETURN_IF_ERROR(start());
    HeldSums sums;
    for (const TimeNs begin = m_now; m_now < until;) {
        if (m_right && m_right->time <= m_now) {
            RETURN_IF_ERROR(nextPoint());
            if (m_left->time >= begin)
                sums.max = std::max(sums.max.value_or(m_left->value), m_left->value);
            continue;
        }
        const TimeRange part{m_now, m_right ? std::min(until, m_right->time) : until};
        add(part, sums);
        m_now = part.end;
    }
    return sums;
}

void SampleWalk::add(TimeRange part, HeldSums& sums) const {
    if (!m_left)
        return;
    if (m_heldUntil) {
        const TimeRange held = shared(part, {m_left->time, *m_heldUntil});
        if (!held.isEmpty()) {
            sums.held.add(m_left->value, held.length());
            sums.max = std::max(sums.max.value_or(m_left->value), m_left->value);
        }
    }
    if (const auto straight = line())
        sums.line.add(straight->meanOver(part), part.length());
}

std::optional<SampleLine> SampleWalk::line() const {
    if (!m_left || !m_right || m_right->time - m_left->time > m_gapLimit)
        return std::nullopt;
    return SampleLine{*m_left, *m_right};
}

Result<std::optional<SampleLine>> SampleWalk::lineAt(TimeNs moment) {
    if (!m_cursor)
        RETURN_IF_ERROR(start());
    while (m_right && m_right->time < moment)
        RETURN_IF_ERROR(nextPoint());
    m_now = std::max(m_now, moment);
    return line();
}

Result<double> SampleWalk::heldAt(TimeNs moment) {
    if (!m_cursor)
        RETURN_IF_ERROR(start());
    while (m_right && m_right->time <= moment)
        RETURN_IF_ERROR(nextPoint());
    m_now = std::max(m_now, moment);
    const bool isHeld = m_left && (!m_heldUntil || moment < *m_heldUntil);
    return isHeld ? m_left->value : std::numeric_limits<double>::quiet_NaN();
}

} // namespace trainscope::analysis
