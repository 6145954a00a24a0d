#pragma once
// Least squares on normal equations with bounds that a GPU's powers keep: none is negative, and
// nothing draws less than the idle GPU.

#include <Eigen/Core>

#include <cstddef>
#include <optional>

namespace trainscope::analysis {

// The x that minimises x'·normal·x − 2·right'·x with x ≥ 0, and x ≥ x[lowest] where there is one
// (active sets; C. L. Lawson, R. J. Hanson, "Solving least squares problems", 1974). normal is
// symmetric and positive definite.
Eigen::VectorXd leastSquaresAbove(
    const Eigen::MatrixXd& normal, const Eigen::VectorXd& right, std::optional<std::size_t> lowest);

} // namespace trainscope::analysis
