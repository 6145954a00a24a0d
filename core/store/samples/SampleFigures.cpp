#include "core/store/samples/SampleFigures.h"

#include "core/model/Wide.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace trainscope::store {
namespace {

// Sums are kept in this many lanes, always the same ones, so that every machine adds in one order.
constexpr std::size_t kLanes = 8;

struct Dense {
    double min;
    double max;
    double weighted;
    double plain;
};

// Of samples none of which is missing; the last holds for no time.
TRAINSCOPE_WIDE
Dense denseFigures(const std::int64_t* times, const double* values, std::size_t count) {
    std::array<double, kLanes> low;
    std::array<double, kLanes> high;
    std::array<double, kLanes> weighted{};
    std::array<double, kLanes> plain{};
    low.fill(values[0]);
    high.fill(values[0]);
    std::size_t i = 0;
    for (; i + kLanes < count; i += kLanes) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            const double value = values[i + lane];
            low[lane] = value < low[lane] ? value : low[lane];
            high[lane] = value > high[lane] ? value : high[lane];
            plain[lane] += value;
            weighted[lane] += value * static_cast<double>(times[i + lane + 1] - times[i + lane]);
        }
    }
    for (std::size_t lane = 0; i < count; ++i, ++lane) {
        low[lane] = std::min(low[lane], values[i]);
        high[lane] = std::max(high[lane], values[i]);
        plain[lane] += values[i];
        if (i + 1 < count)
            weighted[lane] += values[i] * static_cast<double>(times[i + 1] - times[i]);
    }
    Dense dense{low[0], high[0], 0.0, 0.0};
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
        dense.min = std::min(dense.min, low[lane]);
        dense.max = std::max(dense.max, high[lane]);
        dense.weighted += weighted[lane];
        dense.plain += plain[lane];
    }
    return dense;
}

void addSparse(
    SampleFigures& figures, std::span<const std::int64_t> times, std::span<const double> values) {
    for (std::size_t i = 0; i < times.size(); ++i) {
        if (std::isnan(values[i]))
            continue;
        figures.min = figures.min ? std::min(*figures.min, values[i]) : values[i];
        figures.max = figures.max ? std::max(*figures.max, values[i]) : values[i];
        figures.firstPresent = figures.firstPresent.value_or(values[i]);
        figures.lastPresent = values[i];
        figures.plain += values[i];
        if (i + 1 < times.size()) {
            figures.weighted += values[i] * static_cast<double>(times[i + 1] - times[i]);
            figures.weight += times[i + 1] - times[i];
        }
    }
}

} // namespace

SampleFigures figuresOf(std::span<const std::int64_t> times, std::span<const double> values) {
    SampleFigures figures;
    figures.count = static_cast<std::int64_t>(times.size());
    figures.begin = times.front();
    figures.end = times.back();
    figures.last = values.back();
    for (const double value : values)
        figures.missing += std::isnan(value) ? 1 : 0;
    if (figures.missing > 0) {
        addSparse(figures, times, values);
        return figures;
    }
    const Dense dense = denseFigures(times.data(), values.data(), times.size());
    figures.min = dense.min;
    figures.max = dense.max;
    figures.weighted = dense.weighted;
    figures.plain = dense.plain;
    figures.weight = figures.end - figures.begin;
    figures.firstPresent = values.front();
    figures.lastPresent = values.back();
    return figures;
}

void SampleFigures::append(const SampleFigures& next) {
    if (count == 0) {
        *this = next;
        return;
    }
    if (!std::isnan(last)) {
        weighted += last * static_cast<double>(next.begin - end);
        weight += next.begin - end;
    }
    count += next.count;
    missing += next.missing;
    end = next.end;
    if (next.min)
        min = min ? std::min(*min, *next.min) : *next.min;
    if (next.max)
        max = max ? std::max(*max, *next.max) : *next.max;
    weighted += next.weighted;
    weight += next.weight;
    plain += next.plain;
    last = next.last;
    firstPresent = firstPresent ? firstPresent : next.firstPresent;
    lastPresent = next.lastPresent ? next.lastPresent : lastPresent;
}

std::optional<double> SampleFigures::mean() const {
    if (weight > 0)
        return weighted / static_cast<double>(weight);
    if (count == missing)
        return std::nullopt;
    return plain / static_cast<double>(count - missing);
}

} // namespace trainscope::store
