#include "core/model/Series.h"
#include "core/model/Try.h"
#include "core/store/samples/CounterRate.h"
#include "core/store/samples/Pyramid.h"
#include "core/store/samples/SampleReader.h"
#include "core/store/samples/SeriesPyramid.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace trainscope::store {
namespace {

// Equal columns over a window of time, filled from samples and from nodes of the pyramid in order
// of time. Column k is [begin + ceil(length·k/n), begin + ceil(length·(k+1)/n)), in whole
// nanoseconds, exactly.

class ColumnGrid {
public:
    // window not empty, columns > 0. holeNs: an interval longer than this is a hole in the
    // recording.
    ColumnGrid(TimeRange window, int columns, std::int64_t holeNs);

    [[nodiscard]] const TimeRange& window() const { return m_window; }
    // The widest a node may be to count as one column.
    [[nodiscard]] std::uint64_t columnWidth() const { return m_width; }

    // SI value held on [time, next); next = time for the last one.
    void addSample(std::int64_t time, double value, std::int64_t next);
    // The same for samples in order of time, in source numbers; `next` is that of the last one.
    void addSamples(std::span<const std::int64_t> times, std::span<const double> values,
        std::int64_t next, double scale);
    // A node whose samples all lie in the window.
    void addNode(const BucketNode& node);

    [[nodiscard]] std::vector<Bucket> buckets() const;

private:
    struct Column {
        float min = 0.0F;
        float max = 0.0F;
        float first = 0.0F;
        float last = 0.0F;
        double weighted = 0.0;
        double weight = 0.0;
        double plain = 0.0;
        double held = 0.0; // value of the sample that holds here, when the column has none
        // The bounds of what holds when the column begins.
        float enteredMin = std::numeric_limits<float>::quiet_NaN();
        float enteredMax = std::numeric_limits<float>::quiet_NaN();
        std::uint32_t count = 0;
        bool gap = false;
        bool hasHeld = false;

        void enter(double value) {
            enteredMin = std::fmin(enteredMin, roundDown(value));
            enteredMax = std::fmax(enteredMax, roundUp(value));
        }
    };
    [[nodiscard]] std::int64_t boundary(std::size_t k) const;
    std::size_t columnOf(std::int64_t time);
    void include(Column& column, float low, float high, float first, float last) const;
    std::size_t addWithinColumn(std::span<const std::int64_t> times, std::span<const double> values,
        std::int64_t next, double scale);
    void hold(std::int64_t from, std::int64_t to, double value, double share);
    void markGap(std::int64_t from, std::int64_t to);
    static Bucket finished(const Column& column);

    TimeRange m_window;
    std::int64_t m_holeNs;
    std::uint64_t m_width;
    bool m_narrow; // length × columns fits into 64 bits
    std::vector<Column> m_columns;
    std::size_t m_current = 0; // columnOf() mostly asks for this one or the next
    std::int64_t m_currentBegin;
    std::int64_t m_currentEnd;
};

// A window's length times a column's number exceeds 64 bits.
__extension__ using Product128 = unsigned __int128;

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
    const std::uint64_t offset = m_narrow
        ? (length * k + n - 1) / n
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

void ColumnGrid::include(Column& column, float low, float high, float first, float last) const {
    const bool fresh = column.count == 0;
    column.min = fresh ? low : std::min(column.min, low);
    column.max = fresh ? high : std::max(column.max, high);
    if (fresh)
        column.first = first;
    column.last = last;
}

// Spreads a value held on [from, to) over the columns; `share` of it is not missing.
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
    hold(time, next, value, 1.0);
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
    std::vector<Bucket> out;
    out.reserve(m_columns.size());
    for (const Column& column : m_columns)
        out.push_back(finished(column));
    return out;
}

constexpr int kMaxLevel = 24;
// More than a file can hold, and so few that no number of a sample or of a level overflows.
constexpr std::int64_t kMostSamples = std::int64_t{1} << 52U;

class BucketQuery {
public:
    BucketQuery(Database& database, const SeriesShape& series, PyramidKind kind, TimeRange window,
        int columns)
        : m_database(database)
        , m_series(series)
        , m_kind(kind)
        , m_reader(database, series.id)
        , m_grid(window, columns, series.holeNs())
        , m_columns(columns) {
        m_series.count = std::min(m_series.count, kMostSamples);
    }

    Result<std::vector<Bucket>> run();

private:
    struct Page {
        std::int64_t first = 0;
        std::vector<BucketNode> nodes;
    };
    [[nodiscard]] std::int64_t end() const { return m_grid.window().end.ns; }
    [[nodiscard]] bool isWhole(const BucketNode& node) const;
    Result<const BucketNode*> node(int level, std::int64_t index);
    Status nodes(int level, std::int64_t from, std::int64_t to, bool& done);
    Status below(int level, std::int64_t index, bool& done);
    Result<std::int64_t> nodesOf(int level);
    Status raw(std::int64_t from, std::int64_t to);
    Status rawRates(std::int64_t from, std::int64_t to);

    Database& m_database;
    SeriesShape m_series;
    PyramidKind m_kind;
    SampleReader m_reader;
    ColumnGrid m_grid;
    int m_columns;
    std::array<Page, kMaxLevel> m_pages;
    std::array<std::optional<std::int64_t>, kMaxLevel> m_nodes; // number on each level
    Bytes m_bytes;
};

Result<std::vector<Bucket>> BucketQuery::run() {
    ASSIGN_OR_RETURN(const auto start, m_reader.placeBefore(m_grid.window().begin.ns));
    if (!start)
        return m_grid.buckets();
    ASSIGN_OR_RETURN(const auto stop, m_reader.placeBefore(end()));
    if (stop->firstIndex < start->firstIndex || stop->firstIndex >= m_series.count)
        return m_database.damaged("the index of samples");
    const std::int64_t from = start->firstIndex;
    const std::int64_t to = stop->firstIndex + stop->count;
    const std::int64_t perColumn = (to - from) / m_columns;
    int level = 0;
    while (level < levelsFor(m_series.count) && samplesPerNode(level + 1) <= perColumn)
        ++level;
    const std::int64_t width = samplesPerNode(level);
    bool done = false;
    RETURN_IF_ERROR(
        level == 0 ? raw(from, to) : nodes(level, from / width, (to + width - 1) / width, done));
    return m_grid.buckets();
}

bool BucketQuery::isWhole(const BucketNode& node) const {
    const TimeRange& window = m_grid.window();
    const bool inside
        = node.begin >= window.begin.ns && node.end < window.end.ns && node.next <= window.end.ns;
    return inside && distance(node.begin, node.end) <= m_grid.columnWidth();
}

Result<std::int64_t> BucketQuery::nodesOf(int level) {
    std::optional<std::int64_t>& known = m_nodes[static_cast<std::size_t>(level)];
    if (!known) {
        ASSIGN_OR_RETURN(known,
            m_database.number("SELECT first_index + count FROM bucket_page WHERE series=? AND "
                              "kind=? AND level=? ORDER BY first_index DESC LIMIT 1",
                m_series.id.value, static_cast<int>(m_kind), level));
    }
    return *known;
}

// nullptr behind the last of its level.
Result<const BucketNode*> BucketQuery::node(int level, std::int64_t index) {
    ASSIGN_OR_RETURN(const auto count, nodesOf(level));
    if (index >= count)
        return nullptr;
    Page& page = m_pages[static_cast<std::size_t>(level)];
    const auto held = [&page, index] {
        return index >= page.first
            && index < page.first + static_cast<std::int64_t>(page.nodes.size());
    };
    if (!held()) {
        page.nodes.clear();
        DataPlace place;
        RETURN_IF_ERROR(m_database.forEach(
            "SELECT first_index, data_at, data_size FROM bucket_page"
            " WHERE series=? AND kind=? AND level=? AND first_index<=? ORDER BY first_index DESC "
            "LIMIT 1",
            [&](const Row& row) {
                page.first = row.integer(0);
                place = {row.integer(1), row.integer(2)};
            },
            m_series.id.value, static_cast<int>(m_kind), level, index));
        RETURN_IF_ERROR(readData(m_database, place, m_bytes));
        // Rates are stored in SI.
        const double scale = m_kind == PyramidKind::Rate ? 1.0 : m_series.scale;
        if (!decodeNodes(m_bytes, scale, page.nodes))
            return m_database.damaged("a page of buckets");
    }
    return held() ? &page.nodes[static_cast<std::size_t>(index - page.first)] : nullptr;
}

// `done` is set behind the window's end.
Status BucketQuery::nodes(int level, std::int64_t from, std::int64_t to, bool& done) {
    for (std::int64_t index = from; index < to && !done; ++index) {
        ASSIGN_OR_RETURN(const auto found, node(level, index));
        if (found == nullptr) {
            RETURN_IF_ERROR(below(level, index, done));
            continue;
        }
        const BucketNode node = *found;
        if (node.begin >= end()) {
            done = true;
            return {};
        }
        // A node may end before the window and still hold into it.
        if (node.next <= m_grid.window().begin.ns && node.end < m_grid.window().begin.ns)
            continue;
        if (isWhole(node))
            m_grid.addNode(node);
        else
            RETURN_IF_ERROR(below(level, index, done));
    }
    return {};
}

// Reads below a node that is too wide, or missing since the recording goes on.
Status BucketQuery::below(int level, std::int64_t index, bool& done) {
    if (index * samplesPerNode(level) >= m_series.count)
        return {};
    return level == 1 ? raw(index * kLeafSamples, (index + 1) * kLeafSamples)
                      : nodes(level - 1, index * kFanout, (index + 1) * kFanout, done);
}

Status BucketQuery::raw(std::int64_t from, std::int64_t to) {
    ASSIGN_OR_RETURN(const auto chunk, m_reader.at(from));
    if (chunk == nullptr)
        return m_database.damaged("the index of samples");
    if (m_kind == PyramidKind::Rate)
        return rawRates(from, to);
    const TimeRange& window = m_grid.window();
    // The last sample of a block holds until the first of the next.
    std::optional<std::pair<std::int64_t, double>> before;
    const auto visit = [&](std::span<const std::int64_t> times, std::span<const double> values) {
        if (before && (times[0] > window.begin.ns || before->first >= window.begin.ns))
            m_grid.addSample(before->first, before->second * m_series.scale, times[0]);
        const auto begin = std::lower_bound(times.begin(), times.end(), window.begin.ns);
        const auto stop = std::lower_bound(begin, times.end(), end());
        const auto first
            = static_cast<std::size_t>(begin - times.begin() - (begin == times.begin() ? 0 : 1));
        const bool more = stop == times.end();
        const auto last = static_cast<std::size_t>(stop - times.begin()) - (more ? 1U : 0U);
        if (first < last)
            m_grid.addSamples(times.subspan(first, last - first),
                values.subspan(first, last - first), times[last], m_series.scale);
        before.reset();
        if (more)
            before = std::pair(times.back(), values.back());
        return more;
    };
    // One sample more, since each holds until the next.
    RETURN_IF_ERROR(m_reader.forEach(from, std::min(to + 1, m_series.count), visit));
    const bool lastOfSeries = to >= m_series.count;
    if (lastOfSeries && before && before->first < end() && before->first >= window.begin.ns)
        m_grid.addSample(before->first, before->second * m_series.scale, before->first);
    return {};
}

Status BucketQuery::rawRates(std::int64_t from, std::int64_t to) {
    // One more: the rate behind says how long the last one holds.
    ASSIGN_OR_RETURN(const auto settled, readRates(m_reader, m_series, from, to + 1));
    const auto wanted = static_cast<std::size_t>(std::min(to, m_series.count) - from);
    const TimeRange& window = m_grid.window();
    for (std::size_t i = 0; i < std::min(wanted, settled.size()); ++i) {
        const RateSample& sample = settled[i];
        if (sample.time >= window.end.ns)
            break;
        std::int64_t next = sample.time;
        if (i + 1 < settled.size())
            next = settled[i + 1].time;
        else if (const auto last = m_reader.at(m_series.count - 1);
                 last.hasValue() && last.value() != nullptr)
            next = last.value()->times.back();
        if (next > window.begin.ns || sample.time >= window.begin.ns)
            m_grid.addSample(sample.time, sample.rate, next);
    }
    return {};
}

} // namespace

std::int64_t SeriesShape::holeNs() const {
    constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
    return periodNs > 0 && periodNs < never / kHolePeriods ? periodNs * kHolePeriods : never;
}

Result<std::vector<RateSample>> readRates(
    SampleReader& reader, const SeriesShape& series, std::int64_t from, std::int64_t to) {
    CounterRate rate(series.counterRule());
    std::vector<RateSample> settled;
    const std::int64_t end = std::min(to, series.count);
    const auto wanted = static_cast<std::size_t>(end - from);
    bool isThere = true;
    const auto visit = [&](std::span<const std::int64_t> times, std::span<const double> values) {
        isThere = true;
        for (std::size_t i = 0; i < times.size() && settled.size() < wanted; ++i)
            rate.push(times[i], values[i] * series.scale, settled);
        return settled.size() < wanted;
    };
    RETURN_IF_ERROR(reader.forEach(from, end, visit));
    // A damaged series may tell of more samples than it has.
    for (std::int64_t behind = end; isThere && settled.size() < wanted && behind < series.count;
         behind += kRateLookAhead) {
        isThere = false;
        const std::int64_t until = std::min(behind + kRateLookAhead, series.count);
        RETURN_IF_ERROR(reader.forEach(behind, until, visit));
    }
    return settled;
}

Result<std::vector<Bucket>> queryBuckets(Database& database, const SeriesShape& series,
    PyramidKind kind, TimeRange window, int columns) {
    if (kind == PyramidKind::Rate && series.counterBits <= 0)
        return Error{ErrorCode::Usage, "Only a counter has a rate; this series is not one.",
            database.shownPath()};
    if (columns <= 0)
        return Error{ErrorCode::Usage, "A window needs at least one column.", {}};
    if (window.isEmpty() || series.count == 0) {
        ColumnGrid empty({{0}, {1}}, columns, 0);
        return empty.buckets();
    }
    return BucketQuery(database, series, kind, window, columns).run();
}

} // namespace trainscope::store
