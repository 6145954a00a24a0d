#include "core/store/samples/SeriesPyramid.h"

#include "core/store/samples/ColumnGrid.h"

namespace trainscope::store {

namespace {

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

// Samples or rates of a block, and the first behind them, which says how long the last one holds.
struct BlockSamples {
    std::vector<std::int64_t> times;
    std::vector<double> values;

    void add(std::int64_t time, double value) {
        times.push_back(time);
        values.push_back(value);
    }
};

Result<BlockSamples> blockOf(
    SampleReader& reader, const SeriesShape& series, PyramidKind kind, std::int64_t from) {
    const std::int64_t to = std::min(from + kBlockSamples + 1, series.count);
    BlockSamples block;
    if (kind == PyramidKind::Rate) {
        ASSIGN_OR_RETURN(const auto rates, readRates(reader, series, from, to));
        for (const RateSample& rate : rates)
            block.add(rate.time, rate.rate);
        return block;
    }
    RETURN_IF_ERROR(reader.forEach(from, to, [&block](auto times, auto values) {
        for (std::size_t i = 0; i < times.size(); ++i)
            block.add(times[i], values[i]);
        return true;
    }));
    return block;
}

// The nodes of level 1 of samples [from, from + kBlockSamples), as far as there are any, or of
// their rates.
Result<std::vector<NodeSums>> leavesOf(
    SampleReader& reader, const SeriesShape& series, PyramidKind kind, std::int64_t from) {
    ASSIGN_OR_RETURN(const auto block, blockOf(reader, series, kind, from));
    std::vector<NodeSums> leaves;
    if (block.times.empty())
        return leaves;
    const std::size_t count = std::min<std::size_t>(block.times.size(), kBlockSamples);
    std::int64_t next = block.times.back();
    if (count == block.times.size()) {
        ASSIGN_OR_RETURN(const auto last, reader.sample(series.count - 1));
        next = last.time.ns;
    }
    appendLeaves(std::span(block.times).first(count), std::span(block.values).first(count), next,
        series.holeNs(), leaves);
    return leaves;
}

// Writes the pages of a series' pyramids.
class PageRows {
public:
    PageRows(Database& database, DataWriter& data, const SeriesShape& series, Squeeze squeeze)
        : m_database(database)
        , m_data(data)
        , m_series(series)
        , m_squeeze(squeeze) { }

    // For pages from that sample on.
    PyramidBuilder::PageSink sink(PyramidKind kind, std::int64_t firstSample) {
        return [this, kind, firstSample](
                   int level, std::int64_t first, std::span<const NodeSums> nodes) {
            return add(kind, level, firstSample / samplesPerNode(level) + first, nodes);
        };
    }

private:
    Status add(
        PyramidKind kind, int level, std::int64_t firstIndex, std::span<const NodeSums> nodes) {
        m_page.clear();
        encodeNodes(nodes, m_series.periodNs, m_page, m_squeeze);
        ASSIGN_OR_RETURN(const auto place, m_data.append(m_page));
        return m_database.execute("INSERT INTO bucket_page(series, kind, level, first_index, "
                                  "count, data_at, data_size) VALUES(?,?,?,?,?,?,?)",
            m_series.id.value, static_cast<int>(kind), level, firstIndex,
            static_cast<std::int64_t>(nodes.size()), place.at, place.size);
    }

    Database& m_database;
    DataWriter& m_data;
    SeriesShape m_series;
    Squeeze m_squeeze;
    Bytes m_page;
};

std::vector<PyramidKind> kindsOf(const SeriesShape& series) {
    return series.counterBits > 0 ? std::vector{PyramidKind::Value, PyramidKind::Rate}
                                  : std::vector{PyramidKind::Value};
}

// Levels whose nodes a block holds whole.
constexpr int kBlockLevels = 5;
static_assert(kLeafSamples * kFanout * kFanout * kFanout * kFanout == kBlockSamples);

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

Status indexBlock(
    Database& database, DataWriter& data, const SeriesShape& series, std::int64_t firstSample) {
    PageRows pages(database, data, series, Squeeze::IfMuchSmaller);
    SampleReader reader(database, series.id);
    ASSIGN_OR_RETURN(const auto behind, reader.sample(firstSample + kBlockSamples));
    for (const PyramidKind kind : kindsOf(series)) {
        ASSIGN_OR_RETURN(const auto leaves, leavesOf(reader, series, kind, firstSample));
        // Samples behind them may not settle all rates yet.
        if (leaves.size() < kBlockSamples / kLeafSamples || leaves.back().next != behind.time.ns)
            continue;
        PyramidBuilder pyramid(kBlockLevels, pages.sink(kind, firstSample));
        RETURN_IF_ERROR(pyramid.add(leaves));
        RETURN_IF_ERROR(pyramid.finish());
    }
    return {};
}

Status indexSeries(Database& database, DataWriter& data, const SeriesShape& series,
    const IndexProceed& proceed, Squeeze squeeze) {
    const int levels = levelsFor(series.count);
    PageRows pages(database, data, series, squeeze);
    SampleReader reader(database, series.id);
    for (const PyramidKind kind : kindsOf(series)) {
        PyramidBuilder pyramid(levels, pages.sink(kind, 0));
        for (std::int64_t from = 0; levels > 0 && from < series.count; from += kBlockSamples) {
            if (!proceed(
                    static_cast<std::uint64_t>(from), static_cast<std::uint64_t>(series.count)))
                return cancelled();
            ASSIGN_OR_RETURN(const auto leaves, leavesOf(reader, series, kind, from));
            RETURN_IF_ERROR(pyramid.add(leaves));
        }
        RETURN_IF_ERROR(pyramid.finish());
    }
    return {};
}

} // namespace trainscope::store
