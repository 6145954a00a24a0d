#include "app/engine/TileColumns.h"

#include "core/figures/timeline/LaneLoad.h"
#include "core/model/Gather.h"
#include "core/text/Times.h"

namespace trainscope::app {

namespace {

constexpr float kNoColumn = std::numeric_limits<float>::quiet_NaN();

std::string nameOfSeries(
    const std::string& engineName, const importers::engine::AnsweredSeries& series) {
    importers::engine::Labels labels = series.labels;
    labels.name = engineName;
    return labels.text();
}

double atRank(const std::map<double, double>& counts, double rank) {
    double before = 0.0;
    for (const auto& [value, count] : counts) {
        before += count;
        if (rank < before)
            return value;
    }
    return counts.rbegin()->first;
}

constexpr float kEmptyColumn = std::numeric_limits<float>::quiet_NaN();
constexpr std::int64_t kHeldPeriods = 10;

} // namespace

template <typename Take>
void TileFilling::forEachColumn(
    const importers::engine::AnsweredSeries& series, Take&& take) const {
    for (std::size_t i = 0; i < series.times.size(); ++i) {
        const auto column
            = importers::engine::columnAt(m_columns, series.times[i].ns / text::kMillisecond);
        if (column && !std::isnan(series.values[i]))
            take(static_cast<std::size_t>(*column), series.values[i]);
    }
}

LaneTile::Row& TileFilling::rowIn(std::size_t column, std::int64_t row) {
    LaneTile::Row& into = m_tiles[column / LaneTile::kColumns]->rows[row];
    if (into.mean.empty()) {
        into.low.assign(LaneTile::kColumns, kNoColumn);
        into.mean = into.low;
        into.high = into.low;
    }
    return into;
}

void TileFilling::add(std::int64_t row, const std::string& engineName,
    const importers::engine::AnsweredSeries& series, double scale,
    std::optional<importers::engine::Reduced> what) {
    using importers::engine::Reduced;
    std::vector<float> means(static_cast<std::size_t>(m_columns.count), kNoColumn);
    forEachColumn(series, [&](std::size_t column, double value) {
        const auto number = static_cast<float>(value * scale);
        LaneTile::Row& into = rowIn(column, row);
        float& low = into.low[column % LaneTile::kColumns];
        float& high = into.high[column % LaneTile::kColumns];
        low = !what || what == Reduced::Min ? std::fmin(low, number) : low;
        high = !what || what == Reduced::Max ? std::fmax(high, number) : high;
        means[column] = number;
    });
    if (!what || what == Reduced::Mean)
        m_parts[row].push_back(
            {nameOfSeries(engineName, series), engineName, std::move(means), {}});
}

void TileFilling::lookForBlanks(const importers::engine::ReductionScope& scope,
    const importers::engine::AnsweredSeries& series) {
    const double seconds
        = static_cast<double>(std::max(m_columns.rangeMs, scope.leastRateMs)) * 1e-3;
    m_hasBlanks = m_hasBlanks || std::ranges::any_of(series.values, [&](double value) {
        return importers::engine::showsBlank(scope, value, seconds);
    });
}

bool TileFilling::isContested(const Parts& parts) const {
    if (parts.size() < 2)
        return false;
    for (std::size_t column = 0; column < static_cast<std::size_t>(m_columns.count); ++column) {
        const auto count = std::ranges::count_if(
            parts, [column](const Part& part) { return !std::isnan(part.means[column]); });
        if (count > 1)
            return true;
    }
    return false;
}

std::set<std::string> TileFilling::contested() const {
    std::set<std::string> names;
    for (const auto& [row, parts] : m_parts) {
        if (!isContested(parts))
            continue;
        for (const Part& part : parts)
            names.insert(part.engineName);
    }
    return names;
}

void TileFilling::addCount(std::int64_t row, const std::string& engineName,
    const importers::engine::AnsweredSeries& series) {
    const auto found = m_parts.find(row);
    if (found == m_parts.end() || found->second.size() < 2)
        return;
    const std::string name = nameOfSeries(engineName, series);
    for (Part& part : found->second) {
        if (part.series != name)
            continue;
        part.counts.assign(static_cast<std::size_t>(m_columns.count), 0.0F);
        forEachColumn(series, [&part](std::size_t column, double count) {
            part.counts[column] = static_cast<float>(count);
        });
    }
}

void TileFilling::finish() {
    for (const auto& [row, parts] : m_parts) {
        for (std::size_t column = 0; column < static_cast<std::size_t>(m_columns.count); ++column) {
            double sum = 0.0;
            double weights = 0.0;
            for (const Part& part : parts) {
                if (std::isnan(part.means[column]))
                    continue;
                const bool isWeighed = !part.counts.empty() && part.counts[column] > 0.0F;
                const double weight = isWeighed ? static_cast<double>(part.counts[column]) : 1.0;
                sum += weight * static_cast<double>(part.means[column]);
                weights += weight;
            }
            if (weights > 0.0)
                rowIn(column, row).mean[column % LaneTile::kColumns]
                    = static_cast<float>(sum / weights);
        }
    }
    m_parts.clear();
}

void BandCounts::add(double value, const importers::engine::AnsweredSeries& counts) {
    m_isKnown = m_isKnown && !std::isnan(value);
    for (std::size_t i = 0; i < counts.times.size() && m_isKnown; ++i) {
        if (counts.values[i] > 0.0)
            m_columns[counts.times[i].ns][value] += counts.values[i];
    }
}

importers::engine::AnsweredSeries BandCounts::quantile(double share) const {
    importers::engine::AnsweredSeries series;
    for (const auto& [time, counts] : m_columns) {
        const double all = summed<double>(counts, [](const auto& one) { return one.second; });
        const double rank = share * (all - 1.0);
        const double low = atRank(counts, std::floor(rank));
        const double high = atRank(counts, std::ceil(rank));
        series.times.push_back({time});
        series.values.push_back(low + (high - low) * (rank - std::floor(rank)));
    }
    return series;
}

TileRange tilesOver(TimeRange window, TimeRange known, std::int64_t stepMs) {
    const TimeRange shown{std::max(window.begin, known.begin), std::min(window.end, known.end)};
    if (shown.isEmpty())
        return {};
    const std::int64_t length = stepMs * LaneTile::kColumns * text::kMillisecond;
    return {text::floorTo(shown.begin.ns, length) / length,
        text::floorTo(shown.end.ns - 1, length) / length + 1};
}

TileColumns::TileColumns(TimeRange window, int columns)
    : m_window(window)
    , m_columns(static_cast<std::size_t>(std::max(1, columns)))
    , m_known(m_columns, 0) { }

bool TileColumns::isComplete() const {
    return std::ranges::all_of(m_known, [](auto known) { return known != 0; });
}

template <typename Wanted>
void TileColumns::addTo(
    const LaneTile& tile, std::int64_t stepMs, std::int64_t index, Wanted&& isWanted) {
    const double length
        = static_cast<double>(m_window.length().ns) / static_cast<double>(m_columns);
    const std::int64_t step = stepMs * text::kMillisecond;
    const std::int64_t begin = index * LaneTile::kColumns * step;
    m_isSampled = m_isSampled || tile.isSampled;
    for (int i = 0; i < LaneTile::kColumns; ++i) {
        const auto from = static_cast<double>(begin + i * step - m_window.begin.ns) / length;
        const double to = from + static_cast<double>(step) / length;
        if (to <= 0.0)
            addBefore(tile, static_cast<std::size_t>(i), m_window.begin.ns - begin - i * step);
        if (to <= 0.0 || from >= static_cast<double>(m_columns))
            continue;
        // The column of its middle, or all that it covers where it is longer than they are.
        const double middle
            = std::clamp((from + to) / 2, 0.0, static_cast<double>(m_columns) - 0.5);
        auto first = static_cast<std::size_t>(middle);
        auto last = first;
        if (to - from > 1.0) {
            first = static_cast<std::size_t>(std::clamp(std::floor(from + 0.5), 0.0, middle));
            last = static_cast<std::size_t>(std::clamp(
                std::ceil(to - 0.5) - 1.0, middle, static_cast<double>(m_columns) - 1.0));
        }
        // Extremes count in every column that is touched, as everywhere.
        constexpr double whisker = 1e-6;
        const double end = static_cast<double>(m_columns) - 1.0;
        const auto touched
            = static_cast<std::size_t>(std::clamp(std::floor(from + whisker), 0.0, end));
        const auto touchedEnd = std::max(
            last, static_cast<std::size_t>(std::clamp(std::ceil(to - whisker) - 1.0, 0.0, end)));
        for (std::size_t column = std::min(first, touched); column <= touchedEnd; ++column) {
            if (!isWanted(column))
                continue;
            const bool isOwn = first <= column && column <= last;
            m_known[column] = static_cast<std::uint8_t>(m_known[column] | (isOwn ? 1 : 0));
            const auto at = static_cast<std::size_t>(i);
            for (const auto& [key, row] : tile.rows) {
                if (std::isnan(row.mean[at]))
                    continue;
                Row& sums = m_rows[key];
                if (sums.empty())
                    sums.resize(m_columns);
                Sum& sum = sums[column];
                const float low = std::isnan(row.low[at]) ? row.mean[at] : row.low[at];
                const float high = std::isnan(row.high[at]) ? row.mean[at] : row.high[at];
                sum.low = std::fmin(sum.low, low);
                sum.high = std::fmax(sum.high, high);
                if (!isOwn)
                    continue;
                sum.sum += static_cast<double>(row.mean[at]);
                sum.last = row.mean[at];
                ++sum.count;
            }
        }
    }
}

void TileColumns::addBefore(const LaneTile& tile, std::size_t column, std::int64_t ns) {
    for (const auto& [key, row] : tile.rows) {
        if (std::isnan(row.mean[column]))
            continue;
        const auto [at, isNew] = m_before.try_emplace(key, Before{ns, row.mean[column]});
        if (!isNew && ns < at->second.ns)
            at->second = {ns, row.mean[column]};
    }
}

void TileColumns::add(const LaneTile& tile, std::int64_t stepMs, std::int64_t index) {
    addTo(tile, stepMs, index, [](std::size_t) { return true; });
}

void TileColumns::addWhereNothing(const LaneTile& tile, std::int64_t stepMs, std::int64_t index) {
    const auto before = m_known;
    addTo(tile, stepMs, index, [&before](std::size_t column) { return before[column] == 0; });
}

const TileColumns::Row* TileColumns::find(std::int64_t row) const {
    const auto at = m_rows.find(row);
    return at == m_rows.end() ? nullptr : &at->second;
}

std::vector<Bucket> TileColumns::buckets(std::int64_t row, std::int64_t periodMs) const {
    std::vector<Bucket> buckets(m_columns);
    const Row* sums = find(row);
    const double column = static_cast<double>(m_window.length().ns) / text::kMillisecond
        / static_cast<double>(m_columns);
    const auto longest = static_cast<double>(kHeldPeriods * std::max<std::int64_t>(1, periodMs));
    float held = kEmptyColumn;
    std::size_t behind = 0; // columns since the last sample
    const auto before = m_before.find(row);
    if (before != m_before.end()
        && static_cast<double>(before->second.ns) / text::kMillisecond <= longest)
        held = before->second.value;
    for (std::size_t i = 0; i < m_columns; ++i) {
        Bucket& bucket = buckets[i];
        if (sums != nullptr && (*sums)[i].count > 0) {
            const Sum& sum = (*sums)[i];
            figures::fill(bucket, sum.last);
            bucket.min = sum.low;
            bucket.max = sum.high;
            bucket.mean = static_cast<float>(sum.sum / sum.count);
            bucket.count = sum.count;
            held = sum.last;
            behind = 0;
            continue;
        }
        ++behind;
        const bool isGap = m_known[i] != 0 && static_cast<double>(behind) * column > longest
            && !std::isnan(held);
        // Nothing is held over what is not known yet.
        if (isGap || m_known[i] == 0)
            held = kEmptyColumn;
        bucket.gap = isGap;
        figures::fill(bucket, held);
    }
    return buckets;
}

plot::LaneBand TileColumns::band() const {
    const plot::Trace none{
        std::vector<float>(m_columns, kEmptyColumn), std::vector<float>(m_columns, kEmptyColumn)};
    plot::LaneBand band{0, none, none, none, none};
    // As importers/engine/Reduction.h orders the rows.
    std::vector<float>* const rows[importers::engine::kBandRows] = {&band.range.low, &band.most.low,
        &band.half.low, &band.median.low, &band.half.high, &band.most.high, &band.range.high};
    for (std::size_t k = 0; k < importers::engine::kBandRows; ++k) {
        const Row* sums = find(static_cast<std::int64_t>(k));
        for (std::size_t i = 0; sums != nullptr && i < m_columns; ++i) {
            const Sum& sum = (*sums)[i];
            if (sum.count == 0)
                continue;
            const bool isLowest = k == 0;
            const bool isHighest = k + 1 == importers::engine::kBandRows;
            (*rows[k])[i] = isLowest ? sum.low
                : isHighest          ? sum.high
                                     : static_cast<float>(sum.sum / sum.count);
        }
    }
    band.median.high = band.median.low;
    return band;
}

std::pair<double, double> TileColumns::extent() const {
    std::pair<double, double> extent{1.0, 0.0};
    for (const auto& [key, sums] : m_rows) {
        for (const Sum& sum : sums) {
            if (sum.count == 0)
                continue;
            const bool isFirst = extent.first > extent.second;
            extent.first = isFirst ? static_cast<double>(sum.low)
                                   : std::min(extent.first, static_cast<double>(sum.low));
            extent.second = isFirst ? static_cast<double>(sum.high)
                                    : std::max(extent.second, static_cast<double>(sum.high));
        }
    }
    return extent;
}

} // namespace trainscope::app
