#pragma once
// A sum whose rounding error does not grow with the number of terms: A. Neumaier,
// "Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen", ZAMM 54 (1974).

#include <cmath>

namespace trainscope::analysis {

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

} // namespace trainscope::analysis
