#include "core/store/samples/ColumnGrid.h"

#include "core/model/Gather.h"

namespace trainscope::store {
namespace {

// A window's length times a column's number exceeds 64 bits.
__extension__ using Product128 = unsigned __int128;

} // namespace

ColumnGrid::ColumnGrid(TimeRange window, int columns, std::int64_t holeNs)
    : m_window(window)
    , m_holeNs(holeNs)
    , m_width(std::max<std::uint64_t>(
          distance(window.begin.ns, window.end.ns) / static_cast<std::uint64_t>(columns), 1))
    , m_narrow(distance(window.begin.ns, window.end.ns)
          < std::numeric_limits<std::uint64_t>::max() / (static_cast<std::uint64_t>(columns) + 1))
    , m_columns(static_cast<std::size_t>(columns))
    , m_currentBegin(window.begin.ns)
    , m_currentEnd(boundary(1)) { }

std::int64_t ColumnGrid::boundary(std::size_t k) const {
    const std::uint64_t length = distance(m_window.begin.ns, m_window.end.ns);
    const std::uint64_t n = m_columns.size();
    const bool areWhole = length == m_width * n; // divisions are what costs here
    const std::uint64_t offset = areWhole ? m_width * k
        : m_narrow                        ? (length * k + n - 1) / n
                   : static_cast<std::uint64_t>((Product128{length} * k + n - 1) / n);
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(m_window.begin.ns) + offset);
}

std::size_t ColumnGrid::columnOf(std::int64_t time) {
    if (time >= m_currentBegin && time < m_currentEnd)
        return m_current;
    // Mostly the next one; divisions are what costs here.
    if (time == m_currentEnd && m_current + 1 < m_columns.size()) {
        ++m_current;
        m_currentBegin = m_currentEnd;
        m_currentEnd = boundary(m_current + 1);
        return m_current;
    }
    const std::uint64_t length = distance(m_window.begin.ns, m_window.end.ns);
    const std::uint64_t offset = distance(m_window.begin.ns, time);
    m_current = static_cast<std::size_t>(m_narrow
            ? offset * m_columns.size() / length
            : static_cast<std::uint64_t>(Product128{offset} * m_columns.size() / length));
    m_currentBegin = boundary(m_current);
    m_currentEnd = boundary(m_current + 1);
    return m_current;
}

std::int64_t ColumnGrid::endOfColumn(std::int64_t time) {
    (void)columnOf(time);
    return m_currentEnd;
}

void ColumnGrid::include(Column& column, float low, float high, float first, float last) const {
    const bool fresh = column.count == 0;
    column.min = fresh ? low : std::min(column.min, low);
    column.max = fresh ? high : std::max(column.max, high);
    if (fresh)
        column.first = first;
    column.last = last;
}

void ColumnGrid::hold(std::int64_t from, std::int64_t to, double value, double share) {
    const std::int64_t begin = std::max(from, m_window.begin.ns);
    const std::int64_t end = std::min(to, m_window.end.ns);
    for (std::int64_t at = begin; at < end;) {
        Column& column = m_columns[columnOf(at)];
        const std::int64_t stop = std::min(end, m_currentEnd);
        const double weight = static_cast<double>(clampedDifference(stop, at)) * share;
        column.weighted += value * weight;
        column.weight += weight;
        column.held = value;
        column.hasHeld = true;
        if (column.count == 0)
            column.enter(value);
        at = stop;
    }
}

void ColumnGrid::markGap(std::int64_t from, std::int64_t to) {
    const std::int64_t begin = std::max(from, m_window.begin.ns);
    const std::int64_t end = std::min(std::max(to, clampedSum(from, 1)), m_window.end.ns);
    for (std::int64_t at = begin; at < end; at = m_currentEnd)
        m_columns[columnOf(at)].gap = true;
}

void ColumnGrid::addSample(std::int64_t time, double value, std::int64_t next) {
    if (std::isnan(value)) {
        markGap(time, next);
        return;
    }
    if (time >= m_window.begin.ns && time < m_window.end.ns) {
        Column& column = m_columns[columnOf(time)];
        const auto rounded = static_cast<float>(value);
        include(column, roundDown(value), roundUp(value), rounded, rounded);
        ++column.count;
        column.plain += value;
    }
    hold(time, next, value);
    if (clampedDifference(next, time) > m_holeNs)
        markGap(time, next);
}

// The samples at the front that lie in the current column together with what they hold; their
// number. None is missing and none is followed by a hole.
std::size_t ColumnGrid::addWithinColumn(std::span<const std::int64_t> times,
    std::span<const double> values, std::int64_t next, double scale) {
    const std::int64_t last = m_currentEnd;
    double low = values[0] * scale;
    double high = low;
    double weighted = 0.0;
    double plain = 0.0;
    double value = low;
    std::size_t count = 0;
    for (; count < times.size(); ++count) {
        const std::int64_t until = count + 1 < times.size() ? times[count + 1] : next;
        const double held = values[count] * scale;
        const std::int64_t length = clampedDifference(until, times[count]);
        if (until > last || length > m_holeNs || std::isnan(held))
            break;
        value = held;
        low = std::min(low, held);
        high = std::max(high, held);
        plain += held;
        weighted += held * static_cast<double>(length);
    }
    if (count == 0)
        return 0;
    Column& column = m_columns[m_current];
    include(column, roundDown(low), roundUp(high), static_cast<float>(values[0] * scale),
        static_cast<float>(value));
    const std::int64_t end = count < times.size() ? times[count] : next;
    column.count += static_cast<std::uint32_t>(count);
    column.plain += plain;
    column.weighted += weighted;
    column.weight += static_cast<double>(clampedDifference(end, times[0]));
    column.held = value;
    column.hasHeld |= end > times[0];
    return count;
}

void ColumnGrid::addSamples(std::span<const std::int64_t> times, std::span<const double> values,
    std::int64_t next, double scale) {
    for (std::size_t i = 0; i < times.size();) {
        const std::int64_t until = i + 1 < times.size() ? times[i + 1] : next;
        if (m_window.contains({times[i]})) {
            (void)columnOf(times[i]);
            const std::size_t done
                = addWithinColumn(times.subspan(i), values.subspan(i), next, scale);
            i += done;
            if (done > 0)
                continue;
        }
        addSample(times[i], values[i] * scale, until);
        ++i;
    }
}

void ColumnGrid::addNode(const BucketNode& node) {
    const auto span = static_cast<double>(clampedDifference(node.next, node.begin));
    const std::size_t first = columnOf(node.begin);
    const std::size_t last = columnOf(node.end);
    if (node.count > 0) {
        for (std::size_t i = first; i <= last; ++i) {
            // The end of the first sample in the node is not known: neighbours are joined by their
            // ends.
            include(m_columns[i], node.min, node.max, i == first ? node.first : node.last,
                i == last ? node.last : node.first);
        }
        // The counts of all columns together stay true.
        const std::uint32_t behind = first == last || node.count < 2 ? 0U : node.count / 2;
        m_columns[first].count += node.count - behind;
        m_columns[last].count += behind;
        m_columns[first].plain += double{node.mean} * (node.count - behind);
        m_columns[last].plain += double{node.mean} * behind;
        hold(node.begin, node.next, double{node.mean},
            span > 0.0 ? static_cast<double>(node.weight) / span : 0.0);
        if (node.next > node.end && (node.flags & kGapAfter) == 0) {
            Column& reached = m_columns[columnOf(std::min(node.next, m_window.end.ns) - 1)];
            reached.held = double{node.last};
            if (reached.count == 0)
                reached.enter(reached.held);
        }
    }
    if ((node.flags & kGapInside) != 0)
        markGap(node.begin, node.end);
    if ((node.flags & kGapAfter) != 0)
        markGap(node.end, node.next);
}

Bucket ColumnGrid::finished(const Column& column) {
    constexpr float none = std::numeric_limits<float>::quiet_NaN();
    if (column.count == 0) {
        const float held = column.hasHeld && !column.gap ? static_cast<float>(column.held) : none;
        return {held, held, held, held, held, 0, column.gap};
    }
    const double mean = column.weight > 0.0 ? column.weighted / column.weight
                                            : column.plain / static_cast<double>(column.count);
    return {column.first, column.last, std::fmin(column.min, column.enteredMin),
        std::fmax(column.max, column.enteredMax), static_cast<float>(mean), column.count,
        column.gap};
}

std::vector<Bucket> ColumnGrid::buckets() const {
    return vectorOf(m_columns, [](const Column& column) { return finished(column); });
}

} // namespace trainscope::store
