#pragma once
// Response of a power sensor, found from the readings themselves: a reading stamped t is taken to
// be the mean power from t − d − w/2 to t − d + w/2. Window w and delay d are those with which the
// powers of the classes of work, held constant, explain the readings best (least squares), among
// all windows up to 2 s and delays from −0.5 to 1.5 s. Knowledge of sensors and GPUs counts as a
// weak prior with long tails, so that a few readings do not overrule it and many do: the window
// that the sensor's kind has, that a sensor is late by little, and that a GPU between kernels draws
// about a fifth of its limit.
//
// If the work repeats with a period, windows and delays that differ by it explain the readings
// equally well, but windows with other powers. The rise of the power at the timeline's begin and
// its fall behind the end tell them apart, where the GPU does something else there; what is still
// open is told.

#include "core/model/Time.h"

#include <Eigen/Core>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace trainscope::analysis {

// Time that each class of a partition held, up to any moment. The share of a class in the window
// that a sensor averages over is a difference of two such sums.

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

struct PowerReading {
    double atNs = 0.0; // behind the timeline's begin
    double watts = 0.0;
};

struct SensorResponse {
    double windowNs = 0.0; // w
    double delayNs = 0.0; // d: of the window's middle; w/2 for the mean of the time just passed

    [[nodiscard]] double beginNs(double atNs) const { return atNs - delayNs - windowNs / 2.0; }
    [[nodiscard]] double endNs(double atNs) const { return atNs - delayNs + windowNs / 2.0; }
};

struct SensorFacts {
    double windowNs = 0.0; // as its kind says; 0: nothing is known
    bool isMoved = false; // the readings were moved by a lag that was measured, d lies around 0
    double highestW = 0.0; // highest power of the GPU
    std::optional<std::size_t> idle; // the class of the GPU at rest: no other draws less
};

// The shares of a reading's window that each class has; false where it reaches over the timeline,
// or into a gap of which no class has the time.
bool windowShares(
    const ClassTimes& times, const SensorResponse& response, double atNs, std::span<double> shares);

// The responses that the readings leave open, the most likely first; never empty. readings: in
// order of time; those whose window reaches over the timeline do not count.
std::vector<SensorResponse> findResponses(
    const ClassTimes& times, std::span<const PowerReading> readings, const SensorFacts& facts);

// Least squares on normal equations with bounds that a GPU's powers keep: none is negative, and
// nothing draws less than the idle GPU.

// The x that minimises x'·normal·x − 2·right'·x with x ≥ 0, and x ≥ x[lowest] where there is one
// (active sets; C. L. Lawson, R. J. Hanson, "Solving least squares problems", 1974). normal is
// symmetric and positive definite.
Eigen::VectorXd leastSquaresAbove(
    const Eigen::MatrixXd& normal, const Eigen::VectorXd& right, std::optional<std::size_t> lowest);

} // namespace trainscope::analysis
