#pragma once
// Sums, means, medians and deviations of plain values, and how unevenly the GPUs of a run are
// loaded.

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
