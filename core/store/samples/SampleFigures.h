#pragma once
// What a chunk's row, and a series' row, say of their samples. Source numbers; a sample holds until
// the next.

#include <cstdint>
#include <limits>
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

    // Adds what follows in time; the interval between the two is held by this one's last sample.
    void append(const SampleFigures& next);
    // Time-weighted; of samples that hold for no time, plain.
    [[nodiscard]] std::optional<double> mean() const;
};

// Not empty, in order of time.
SampleFigures figuresOf(std::span<const std::int64_t> times, std::span<const double> values);

} // namespace trainscope::store
