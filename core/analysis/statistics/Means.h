#pragma once
// Sums, means and deviations of plain values, the length of a union of intervals, and how unevenly
// the GPUs of a run are loaded.

#include "core/model/Time.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
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

// The length of a union of half-open intervals that arrive in order of their start. Constant
// memory.

class IntervalUnion {
public:
    void add(TimeRange interval) {
        if (interval.begin >= m_end || m_isEmpty) {
            m_length = m_length + interval.length();
            m_end = interval.end;
            m_isEmpty = false;
        } else if (interval.end > m_end) {
            m_length = m_length + (interval.end - m_end);
            m_end = interval.end;
        }
    }
    [[nodiscard]] DurationNs length() const { return m_length; }

private:
    DurationNs m_length;
    TimeNs m_end;
    bool m_isEmpty = true;
};

// The time between two samples in order, in ns; 0 where the stamps are so far apart that it does
// not fit.

inline std::int64_t elapsedNs(TimeNs from, TimeNs to) {
    const auto difference = static_cast<std::uint64_t>(to.ns) - static_cast<std::uint64_t>(from.ns);
    return std::max<std::int64_t>(static_cast<std::int64_t>(difference), 0);
}

// How unevenly the GPUs of a run are loaded, design section 5. Standard deviations are those of the
// population (divided by n): the GPUs of a run are all there are, not a sample of them.

// Absent for no values, 0 for one.
std::optional<double> meanOf(std::span<const double> values);
std::optional<double> populationStd(std::span<const double> values);

struct Imbalance {
    std::optional<double> intraNode; // mean over nodes of the std. dev. of its GPUs' means
    std::optional<double> interNode; // std. dev. of the node means
};
// `means`: by node, the means of its GPUs. Nodes without GPUs are left out.
Imbalance imbalance(const std::map<int, std::vector<double>>& means);

} // namespace trainscope::analysis
