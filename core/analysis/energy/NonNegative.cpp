#include "core/analysis/energy/NonNegative.h"

#include <Eigen/Cholesky>

#include <vector>

namespace trainscope::analysis {

namespace {

// Unknowns that came out negative are held at zero; of those held, the one that would help most
// comes back.
Eigen::VectorXd nonNegative(const Eigen::MatrixXd& normal, const Eigen::VectorXd& right) {
    const Eigen::Index count = right.size();
    std::vector<bool> isFree(static_cast<std::size_t>(count), true);
    Eigen::VectorXd found = Eigen::VectorXd::Zero(count);
    const double tolerance = 1e-9 * right.cwiseAbs().maxCoeff();
    for (Eigen::Index round = 0; round < 4 * count; ++round) {
        std::vector<Eigen::Index> free;
        for (Eigen::Index k = 0; k < count; ++k) {
            if (isFree[static_cast<std::size_t>(k)])
                free.push_back(k);
        }
        found.setZero();
        Eigen::Index worst = 0;
        if (!free.empty()) {
            const Eigen::MatrixXd part = normal(free, free);
            const Eigen::VectorXd partRight = right(free);
            const Eigen::VectorXd solved = part.ldlt().solve(partRight);
            if (solved.minCoeff(&worst) < 0.0) {
                isFree[static_cast<std::size_t>(free[static_cast<std::size_t>(worst)])] = false;
                continue;
            }
            found(free) = solved;
        }
        const Eigen::VectorXd gain = right - normal * found;
        if (gain.maxCoeff(&worst) <= tolerance || isFree[static_cast<std::size_t>(worst)])
            return found;
        isFree[static_cast<std::size_t>(worst)] = true;
    }
    return found;
}

} // namespace

Eigen::VectorXd leastSquaresAbove(const Eigen::MatrixXd& normal, const Eigen::VectorXd& right,
    std::optional<std::size_t> lowest) {
    const Eigen::VectorXd free = normal.ldlt().solve(right);
    const double least = lowest ? free[static_cast<Eigen::Index>(*lowest)] : 0.0;
    if (least >= 0.0 && free.minCoeff() >= least)
        return free;
    if (!lowest)
        return nonNegative(normal, right);
    // x = x[lowest] + what is drawn beyond it.
    const auto base = static_cast<Eigen::Index>(*lowest);
    Eigen::MatrixXd sums = Eigen::MatrixXd::Identity(right.size(), right.size());
    sums.col(base).setOnes();
    return sums * nonNegative(sums.transpose() * normal * sums, sums.transpose() * right);
}

} // namespace trainscope::analysis
