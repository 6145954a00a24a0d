#include "app/engine/BandCounts.h"

#include <cmath>

namespace trainscope::app {

namespace {

double atRank(const std::map<double, double>& counts, double rank) {
    double before = 0.0;
    for (const auto& [value, count] : counts) {
        before += count;
        if (rank < before)
            return value;
    }
    return counts.rbegin()->first;
}

} // namespace

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
        double all = 0.0;
        for (const auto& [value, count] : counts)
            all += count;
        const double rank = share * (all - 1.0);
        const double low = atRank(counts, std::floor(rank));
        const double high = atRank(counts, std::ceil(rank));
        series.times.push_back({time});
        series.values.push_back(low + (high - low) * (rank - std::floor(rank)));
    }
    return series;
}

} // namespace trainscope::app
