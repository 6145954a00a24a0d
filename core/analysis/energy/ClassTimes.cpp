#include "core/analysis/energy/ClassTimes.h"

#include <algorithm>

namespace trainscope::analysis {

ClassTimes::ClassTimes(TimeRange extent)
    : m_extent(extent) {
    const double length = std::max(1.0, lengthNs());
    m_cellNs = std::max(kFinestNs, length / static_cast<double>(kMostCells - 1));
    m_cells = static_cast<std::size_t>(length / m_cellNs) + 1;
}

void ClassTimes::add(TimeRange range, std::size_t label, double share) {
    if (label >= m_times.size())
        m_times.resize(label + 1);
    std::vector<double>& times = m_times[label];
    if (times.empty())
        times.assign(m_cells, 0.0);
    double begin = std::max(0.0, static_cast<double>((range.begin - m_extent.begin).ns));
    const double end = std::min(lengthNs(), static_cast<double>((range.end - m_extent.begin).ns));
    for (auto cell = static_cast<std::size_t>(begin / m_cellNs); cell < m_cells && begin < end;
         ++cell) {
        const double until = std::min(end, static_cast<double>(cell + 1) * m_cellNs);
        times[cell] += share * std::max(0.0, until - begin);
        begin = std::max(begin, until);
    }
}

void ClassTimes::merge(std::size_t from, std::size_t into) {
    if (from == into || from >= m_times.size() || m_times[from].empty())
        return;
    if (into >= m_times.size())
        m_times.resize(into + 1);
    if (m_times[into].empty())
        m_times[into].assign(m_cells, 0.0);
    for (std::size_t cell = 0; cell < m_cells; ++cell)
        m_times[into][cell] += m_times[from][cell];
    m_times[from].clear();
}

void ClassTimes::finish(std::size_t classes) {
    m_times.resize(std::max(m_times.size(), classes));
    m_classes = m_times.size();
    m_before.assign((m_cells + 1) * m_classes, 0.0);
    for (std::size_t label = 0; label < m_classes; ++label) {
        double sum = 0.0;
        for (std::size_t cell = 0; cell < m_cells; ++cell) {
            sum += m_times[label].empty() ? 0.0 : m_times[label][cell];
            m_before[(cell + 1) * m_classes + label] = sum;
        }
    }
    m_times = {};
}

void ClassTimes::addUntil(double atNs, double factor, std::span<double> sums) const {
    const double place = std::clamp(atNs / m_cellNs, 0.0, static_cast<double>(m_cells));
    const std::size_t cell = std::min(m_cells - 1, static_cast<std::size_t>(place));
    const double part = place - static_cast<double>(cell);
    const double* const left = &m_before[cell * m_classes];
    const double* const right = left + m_classes;
    for (std::size_t label = 0; label < m_classes; ++label)
        sums[label] += factor * (left[label] + part * (right[label] - left[label]));
}

} // namespace trainscope::analysis
