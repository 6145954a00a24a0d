#pragma once
// Sums, means, medians and deviations of plain values, and how unevenly the GPUs of a run are
// loaded.

#include "core/model/Time.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace trainscope::analysis {

// A sum whose rounding error does not grow with the number of terms: A. Neumaier,
// "Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen", ZAMM 54 (1974).
class CompensatedSum {
public:
    void add(double term) {
        const double next = m_sum + term;
        if (std::abs(m_sum) >= std::abs(term))
            m_correction += (m_sum - next) + term;
        else
            m_correction += (term - next) + m_sum;
        m_sum = next;
    }
    void add(const CompensatedSum& other) {
        add(other.m_sum);
        m_correction += other.m_correction;
    }
    [[nodiscard]] double value() const { return m_sum + m_correction; }

private:
    double m_sum = 0.0;
    double m_correction = 0.0;
};

// Values over time: Σ value × time, and the time for which there are values.
class TimeSum {
public:
    void add(double value, DurationNs length) {
        m_sum.add(value * static_cast<double>(length.ns));
        m_length = m_length + length;
    }
    void add(const TimeSum& other) {
        m_sum.add(other.m_sum);
        m_length = m_length + other.m_length;
    }
    [[nodiscard]] DurationNs length() const { return m_length; }
    // Σ value × s: joules of watts.
    [[nodiscard]] double integral() const { return m_sum.value() * 1e-9; }
    // Absent where no time passed.
    [[nodiscard]] std::optional<double> mean() const {
        return m_length.ns == 0 ? std::nullopt
                                : std::optional(m_sum.value() / static_cast<double>(m_length.ns));
    }

private:
    CompensatedSum m_sum; // value × ns
    DurationNs m_length;
};

// A mean that is asked for while values come in; 0 without values.
struct RunningMean {
    double sum = 0.0;
    int count = 0;

    void add(double value) {
        sum += value;
        ++count;
    }
    [[nodiscard]] double value() const { return count > 0 ? sum / count : 0.0; }
};

// The value in the middle, of an even number of values the upper of the two; there must be one.
template <typename T>
T upperMedian(std::vector<T> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

// The value of that share of all in order of size, by nearest rank; there must be one. Puts them
// in another order.
template <typename T>
T nearestQuantile(std::vector<T>& values, double share) {
    const auto count = static_cast<double>(values.size());
    const auto rank
        = static_cast<std::ptrdiff_t>(std::clamp(std::ceil(share * count) - 1.0, 0.0, count - 1.0));
    std::nth_element(values.begin(), values.begin() + rank, values.end());
    return values[static_cast<std::size_t>(rank)];
}

// Absent for no values, 0 for one.
std::optional<double> meanOf(std::span<const double> values);
// The mean of the two in the middle of an even number of values; there must be one.
double medianOf(std::vector<double> values);
// Divided by n: the GPUs of a run are all there are, not a sample of them.
std::optional<double> populationStd(std::span<const double> values);
// Two-sided quantile of Student's t: |t| stays below it with that probability. degrees > 0.
double studentT(double probability, double degrees);

// Imbalance of load between the GPUs of a run.
struct Imbalance {
    std::optional<double> intraNode; // mean over nodes of the std. dev. of its GPUs' means
    std::optional<double> interNode; // std. dev. of the node means
};
// `means`: by node, the means of its GPUs. Nodes without GPUs are left out.
Imbalance imbalance(const std::map<int, std::vector<double>>& means);

} // namespace trainscope::analysis
