#pragma once
// Statistics of samples that the rows of chunks and series hold, in source numbers: sums in which a
// sample holds until the next, and the median of the intervals between samples.

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>

namespace trainscope::store {

struct SampleFigures {
    std::int64_t count = 0;
    std::int64_t missing = 0;
    std::int64_t begin = 0; // first sample
    std::int64_t end = 0; // last sample
    std::optional<double> min;
    std::optional<double> max;
    double weighted = 0.0; // Σ value·ns between samples of the chunk
    std::int64_t weight = 0; // ns that are in `weighted`
    double plain = 0.0; // Σ value
    double last = std::numeric_limits<double>::quiet_NaN(); // NaN when missing
    std::optional<double> firstPresent;
    std::optional<double> lastPresent;

    // One sample more, without the time for which it holds.
    void include(double value);
    // The value is held over that interval. One that 64 bits cannot count, as of times in a forged
    // file, counts for nothing.
    void hold(double value, std::int64_t from, std::int64_t to);
    // Adds what follows in time; the interval between the two is held by this one's last sample.
    void append(const SampleFigures& next);
    // Time-weighted; of samples that hold for no time, plain.
    [[nodiscard]] std::optional<double> mean() const;
};

// Not empty, in order of time.
SampleFigures figuresOf(std::span<const std::int64_t> times, std::span<const double> values);

// The median of positive intervals, in one pass and small memory: intervals are counted in classes
// of about 3 %, and the median is the mean of its class, so it is exact for regular sampling.
// Series keep the period (core/model/SamplingPeriod.h), which is the median but for readings that
// come in groups.
class PeriodHistogram {
public:
    // 0 and below is not counted.
    void add(std::int64_t interval);
    // The intervals between neighbours.
    void addBetween(std::span<const std::int64_t> times);
    void add(const PeriodHistogram& other);
    [[nodiscard]] std::int64_t median() const; // 0 when nothing was counted
    [[nodiscard]] std::int64_t period() const; // likewise

private:
    [[nodiscard]] std::int64_t quantile(double share) const;
    struct Class {
        std::int64_t count = 0;
        double sum = 0.0;
    };
    std::map<int, Class> m_classes;
    std::int64_t m_total = 0;
};

} // namespace trainscope::store
