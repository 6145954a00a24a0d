#pragma once
// Time that each class of a partition held, up to any moment. The share of a class in the window
// that a sensor averages over is a difference of two such sums.

#include "core/model/Time.h"

#include <cstddef>
#include <span>
#include <vector>

namespace trainscope::analysis {

// Memory is bounded by kMostCells and the number of classes; timelines beyond kMostCells ·
// kFinestNs get coarser cells, within which the classes are taken to be mixed evenly.
class ClassTimes {
public:
    static constexpr std::size_t kMostCells = std::size_t{1} << 17U;
    static constexpr double kFinestNs = 3e5;

    explicit ClassTimes(TimeRange extent);

    // A part of the extent belongs to a class, with a share of it. In order of time is fastest.
    void add(TimeRange range, std::size_t label, double share = 1.0);
    // All of one class is another's; before finish().
    void merge(std::size_t from, std::size_t into);
    // After everything was added, before anything is asked. At least so many classes.
    void finish(std::size_t classes = 0);

    [[nodiscard]] std::size_t classes() const { return m_classes; }
    [[nodiscard]] TimeRange extent() const { return m_extent; }
    [[nodiscard]] double lengthNs() const { return static_cast<double>(m_extent.length().ns); }
    // Adds `factor` × the ns that each class held from the extent's begin to `atNs` behind it.
    void addUntil(double atNs, double factor, std::span<double> sums) const;

private:
    TimeRange m_extent;
    double m_cellNs = 1.0;
    std::size_t m_cells = 1;
    std::size_t m_classes = 0;
    std::vector<std::vector<double>> m_times; // by class and cell, ns; empty once finished
    std::vector<double> m_before; // by cell, then class: ns before the cell
};

} // namespace trainscope::analysis
