#include "core/store/samples/SampleFigures.h"

#include "core/model/SamplingPeriod.h"
#include "core/model/Time.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace trainscope::store {
namespace {

constexpr double kLongest = 9e18; // ns, a period that 64 bits count
constexpr int kFractionBits = 5; // classes per octave: 32
constexpr std::size_t kClasses = std::size_t{63} << kFractionBits;

int classOf(std::uint64_t interval) {
    const int octave = static_cast<int>(std::bit_width(interval)) - 1;
    const std::uint64_t fraction = octave >= kFractionBits
        ? interval >> static_cast<unsigned>(octave - kFractionBits)
        : interval << static_cast<unsigned>(kFractionBits - octave);
    return octave * (1 << kFractionBits)
        + static_cast<int>(fraction & ((1U << kFractionBits) - 1U));
}

} // namespace

SampleFigures figuresOf(std::span<const std::int64_t> times, std::span<const double> values) {
    SampleFigures figures;
    figures.begin = times.front();
    figures.end = times.back();
    for (std::size_t i = 0; i < times.size(); ++i) {
        figures.include(values[i]);
        if (i + 1 < times.size() && !std::isnan(values[i]))
            figures.hold(values[i], times[i], times[i + 1]);
    }
    return figures;
}

void SampleFigures::include(double value) {
    ++count;
    last = value;
    if (std::isnan(value)) {
        ++missing;
        return;
    }
    min = std::min(min.value_or(value), value);
    max = std::max(max.value_or(value), value);
    firstPresent = firstPresent.value_or(value);
    lastPresent = value;
    plain += value;
}

void SampleFigures::hold(double value, std::int64_t from, std::int64_t to) {
    std::int64_t held = 0;
    std::int64_t all = 0;
    if (__builtin_sub_overflow(to, from, &held) || __builtin_add_overflow(weight, held, &all)
        || held == 0)
        return;
    weighted += value * static_cast<double>(held);
    weight = all;
}

void SampleFigures::append(const SampleFigures& next) {
    if (count == 0)
        begin = next.begin;
    if (!std::isnan(last))
        hold(last, end, next.begin);
    count = clampedSum(count, next.count);
    missing = clampedSum(missing, next.missing);
    end = next.end;
    if (next.min)
        min = min ? std::min(*min, *next.min) : *next.min;
    if (next.max)
        max = max ? std::max(*max, *next.max) : *next.max;
    if (std::int64_t both = 0; !__builtin_add_overflow(weight, next.weight, &both)) {
        weighted += next.weighted;
        weight = both;
    }
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

void PeriodHistogram::add(std::int64_t interval) {
    if (interval <= 0)
        return;
    Class& entry = m_classes[classOf(static_cast<std::uint64_t>(interval))];
    ++entry.count;
    entry.sum += static_cast<double>(interval);
    ++m_total;
}

void PeriodHistogram::addBetween(std::span<const std::int64_t> times) {
    // Few are not worth the table below.
    constexpr std::size_t few = 64;
    for (std::size_t i = 1; i < times.size() && times.size() <= few; ++i)
        add(clampedDifference(times[i], times[i - 1]));
    if (times.size() <= few)
        return;
    // Counted in a flat table first: jitter hits several classes in turn.
    std::array<std::int32_t, kClasses> counts{};
    std::array<double, kClasses> sums{};
    for (std::size_t i = 1; i < times.size(); ++i) {
        const std::int64_t interval = clampedDifference(times[i], times[i - 1]);
        if (interval <= 0)
            continue;
        const auto key = static_cast<std::size_t>(classOf(static_cast<std::uint64_t>(interval)));
        ++counts[key];
        sums[key] += static_cast<double>(interval);
    }
    for (std::size_t key = 0; key < kClasses; ++key) {
        if (counts[key] == 0)
            continue;
        Class& entry = m_classes[static_cast<int>(key)];
        entry.count += counts[key];
        entry.sum += sums[key];
        m_total += counts[key];
    }
}

void PeriodHistogram::add(const PeriodHistogram& other) {
    for (const auto& [key, entry] : other.m_classes) {
        m_classes[key].count += entry.count;
        m_classes[key].sum += entry.sum;
    }
    m_total += other.m_total;
}

std::int64_t PeriodHistogram::median() const {
    return quantile(0.5);
}

std::int64_t PeriodHistogram::period() const {
    const auto groups = samplingGroups(m_total, [this](double share) { return quantile(share); });
    return groups ? std::llround(std::min(groups->between, kLongest)) : median();
}

std::int64_t PeriodHistogram::quantile(double share) const {
    std::int64_t below = 0;
    for (const auto& [key, entry] : m_classes) {
        below += entry.count;
        if (static_cast<double>(below) >= share * static_cast<double>(m_total) && entry.count > 0)
            return static_cast<std::int64_t>(
                std::llround(std::min(entry.sum / static_cast<double>(entry.count), kLongest)));
    }
    return 0;
}

} // namespace trainscope::store
