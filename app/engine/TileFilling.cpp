#include "app/engine/TileFilling.h"

#include "core/text/Times.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace trainscope::app {

namespace {

constexpr float kNoColumn = std::numeric_limits<float>::quiet_NaN();

std::string nameOfSeries(
    const std::string& engineName, const importers::engine::AnsweredSeries& series) {
    importers::engine::Labels labels = series.labels;
    labels.name = engineName;
    return labels.text();
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

void TileFilling::addLow(
    std::int64_t row, const importers::engine::AnsweredSeries& series, double scale) {
    forEachColumn(series, [&](std::size_t column, double value) {
        float& low = rowIn(column, row).low[column % LaneTile::kColumns];
        low = std::fmin(low, static_cast<float>(value * scale));
    });
}

void TileFilling::addHigh(
    std::int64_t row, const importers::engine::AnsweredSeries& series, double scale) {
    forEachColumn(series, [&](std::size_t column, double value) {
        float& high = rowIn(column, row).high[column % LaneTile::kColumns];
        high = std::fmax(high, static_cast<float>(value * scale));
    });
}

void TileFilling::addMean(std::int64_t row, const std::string& engineName,
    const importers::engine::AnsweredSeries& series, double scale) {
    Part part{nameOfSeries(engineName, series), engineName,
        std::vector<float>(static_cast<std::size_t>(m_columns.count), kNoColumn), {}};
    forEachColumn(series, [&](std::size_t column, double value) {
        part.means[column] = static_cast<float>(value * scale);
    });
    m_parts[row].push_back(std::move(part));
}

bool TileFilling::isContested(const Parts& parts) const {
    if (parts.size() < 2)
        return false;
    for (std::size_t column = 0; column < static_cast<std::size_t>(m_columns.count); ++column) {
        const auto count = std::count_if(parts.begin(), parts.end(),
            [column](const Part& part) { return !std::isnan(part.means[column]); });
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

} // namespace trainscope::app
