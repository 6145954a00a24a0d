#include "app/engine/TileFilling.h"

#include "core/text/Times.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

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
