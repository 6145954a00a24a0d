#include "core/plot/timeline/LanePrepare.h"

#include "core/analysis/statistics/LineBand.h"

namespace trainscope::plot {

namespace {

constexpr float kUnsampled = std::numeric_limits<float>::quiet_NaN();

Trace emptyTrace(std::size_t columns) {
    return {std::vector<float>(columns, kUnsampled), std::vector<float>(columns, kUnsampled)};
}

// From min to max of every column, joined to what the column before held unless a gap parts them.
Trace joined(const std::vector<Bucket>& buckets) {
    Trace trace = emptyTrace(buckets.size());
    float held = kUnsampled;
    for (std::size_t i = 0; i < buckets.size(); ++i) {
        const Bucket& bucket = buckets[i];
        const bool nothing = std::isnan(bucket.mean);
        if (!nothing) {
            const bool joins = !bucket.gap && !std::isnan(held);
            trace.low[i] = joins ? std::min(bucket.min, held) : bucket.min;
            trace.high[i] = joins ? std::max(bucket.max, held) : bucket.max;
        }
        held = nothing ? kUnsampled : bucket.last;
    }
    return trace;
}

// The means of columns as a line, parted as the extents are where their gaps are known.
Trace joinedMeans(std::span<const float> means, const std::vector<Bucket>& buckets = {}) {
    Trace trace = emptyTrace(means.size());
    float before = kUnsampled;
    for (std::size_t i = 0; i < means.size(); ++i) {
        const float mean = means[i];
        const bool isParted = i < buckets.size() && buckets[i].gap;
        const bool joins = !isParted && !std::isnan(before) && !std::isnan(mean);
        trace.low[i] = joins ? std::min(mean, before) : mean;
        trace.high[i] = joins ? std::max(mean, before) : mean;
        before = mean;
    }
    return trace;
}

std::vector<float> meansOf(const std::vector<Bucket>& buckets) {
    std::vector<float> means(buckets.size());
    std::ranges::transform(buckets, means.begin(), &Bucket::mean);
    return means;
}

// Columns in which values go up and down over much of what they do in all, as watts do in each step
// of a training, are a block in which no course is seen.
bool hidesItsCourse(const Trace& extents) {
    constexpr float kMuch = 0.3F;
    constexpr double kManyColumns = 32.0;
    float low = std::numeric_limits<float>::infinity();
    float high = -low;
    double heights = 0.0;
    double columns = 0.0;
    for (std::size_t i = 0; i < extents.low.size(); ++i) {
        if (std::isnan(extents.low[i]))
            continue;
        low = std::min(low, extents.low[i]);
        high = std::max(high, extents.high[i]);
        heights += static_cast<double>(extents.high[i] - extents.low[i]);
        columns += 1.0;
    }
    return columns >= kManyColumns && heights > columns * static_cast<double>(kMuch * (high - low));
}

// Slopes between the values that a log has of iterations, few and far apart. A gap, and the time
// after the last value, stays as it is held.
Trace sloped(const std::vector<Bucket>& buckets) {
    Trace trace = joined(buckets);
    std::optional<std::size_t> before; // the last column with a value
    bool isParted = false;
    for (std::size_t i = 0; i < buckets.size(); ++i) {
        isParted = isParted || buckets[i].gap || std::isnan(buckets[i].mean);
        if (buckets[i].count == 0)
            continue;
        if (before && !isParted && i > *before + 1) {
            const float from = buckets[*before].last;
            const float rise = (buckets[i].first - from) / static_cast<float>(i - *before);
            for (std::size_t k = *before + 1; k < i; ++k) {
                const float low = from + rise * static_cast<float>(k - *before - 1);
                trace.low[k] = std::min(low, low + rise);
                trace.high[k] = std::max(low, low + rise);
            }
            trace.low[i] = std::min(buckets[i].min, buckets[i].first - rise);
            trace.high[i] = std::max(buckets[i].max, buckets[i].first - rise);
        }
        before = i;
        isParted = false;
    }
    return trace;
}

void setQuantiles(LaneBand& band, std::size_t column, std::vector<float>& values) {
    if (values.empty())
        return;
    std::ranges::sort(values);
    band.most.low[column] = analysis::quantileOf(values, 0.05);
    band.half.low[column] = analysis::quantileOf(values, 0.25);
    band.median.low[column] = analysis::quantileOf(values, 0.5);
    band.median.high[column] = band.median.low[column];
    band.half.high[column] = analysis::quantileOf(values, 0.75);
    band.most.high[column] = analysis::quantileOf(values, 0.95);
}

} // namespace

LaneStyle drawnStyle(LaneStyle chosen, std::size_t series, SubjectKind of) {
    const bool isMany = series > kMostOverlaidSeries && of != SubjectKind::Run;
    return chosen == LaneStyle::Lines && isMany ? LaneStyle::Band : chosen;
}

LaneStyle drawnStyle(const LaneData& lane) {
    return lane.series.empty()
        ? lane.spec.style
        : drawnStyle(lane.spec.style, lane.series.size(), lane.series.front().subject.kind);
}

LanePreparation::LanePreparation(
    LaneData& lane, LaneStyle style, int columns, std::size_t series, LoadDetail detail)
    : m_lane(lane)
    , m_columns(static_cast<std::size_t>(columns))
    , m_style(style)
    , m_detail(detail)
    , m_present(m_columns, 0) {
    m_lane.holes.assign(m_columns, 0);
    m_lane.series.reserve(series);
}

void LanePreparation::add(LaneSeries series) {
    const auto& buckets = series.buckets;
    addHoles(buckets);
    if (m_style == LaneStyle::Lines) {
        const bool isLog = series.subject.kind == SubjectKind::Run && !m_lane.isStepped;
        series.trace = isLog ? sloped(buckets) : joined(buckets);
        if (!isLog && hidesItsCourse(series.trace))
            series.middle = joinedMeans(meansOf(buckets), buckets);
    } else {
        series.means = meansOf(buckets);
    }
    if (m_style == LaneStyle::Heat) {
        series.gaps.resize(m_columns);
        std::transform(buckets.begin(), buckets.end(), series.gaps.begin(),
            [](const Bucket& bucket) { return static_cast<std::uint8_t>(bucket.gap ? 1 : 0); });
    }
    if (m_style == LaneStyle::Band)
        addToBand(series);
    if (m_style != LaneStyle::Lines && m_detail == LoadDetail::Drawn)
        series.buckets = {};
    m_lane.series.push_back(std::move(series));
}

void LanePreparation::addToBand(const LaneSeries& series) {
    auto band = std::ranges::find(m_lane.bands, series.run, &LaneBand::run);
    if (band == m_lane.bands.end()) {
        m_lane.bands.push_back({series.run, emptyTrace(m_columns), emptyTrace(m_columns),
            emptyTrace(m_columns), emptyTrace(m_columns)});
        band = std::prev(m_lane.bands.end());
    }
    auto& [low, high] = band->range;
    for (std::size_t i = 0; i < m_columns; ++i) {
        const Bucket& bucket = series.buckets[i];
        if (std::isnan(bucket.mean))
            continue;
        low[i] = std::isnan(low[i]) ? bucket.min : std::min(low[i], bucket.min);
        high[i] = std::isnan(high[i]) ? bucket.max : std::max(high[i], bucket.max);
    }
}

void LanePreparation::addHoles(const std::vector<Bucket>& buckets) {
    for (std::size_t i = 0; i < m_columns; ++i) {
        const bool nothing = std::isnan(buckets[i].mean);
        m_present[i] = static_cast<std::uint8_t>(m_present[i] | (nothing ? 0 : 1));
        // Series that are not recording at all then do not fill a hole.
        m_lane.holes[i]
            = static_cast<std::uint8_t>(m_lane.holes[i] | (nothing && buckets[i].gap ? 1 : 0));
    }
}

void LanePreparation::finish() {
    for (std::size_t i = 0; i < m_columns; ++i) {
        if (m_present[i] != 0)
            m_lane.holes[i] = 0;
    }
    std::vector<float> values;
    for (LaneBand& band : m_lane.bands) {
        std::vector<std::span<const float>> lines;
        std::vector<std::size_t> places;
        for (std::size_t i = 0; i < m_lane.series.size(); ++i) {
            if (m_lane.series[i].run != band.run)
                continue;
            lines.emplace_back(m_lane.series[i].means);
            places.push_back(i);
        }
        for (std::size_t i = 0; i < m_columns; ++i) {
            values.clear();
            for (const auto& line : lines) {
                if (!std::isnan(line[i]))
                    values.push_back(line[i]);
            }
            setQuantiles(band, i, values);
        }
        for (const std::size_t of : analysis::outliersOf(lines, band.most.low, band.most.high)) {
            band.outliers.push_back(places[of]);
            m_lane.series[places[of]].trace = joinedMeans(lines[of]);
        }
    }
}

} // namespace trainscope::plot
