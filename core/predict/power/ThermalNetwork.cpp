#include "core/predict/power/ThermalNetwork.h"

#include <Eigen/Dense>
#include <unsupported/Eigen/MatrixFunctions>

namespace trainscope::predict {

namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ConstMap = Eigen::Map<const Matrix>;

std::vector<double> valuesOf(const Matrix& matrix) {
    return {matrix.data(), matrix.data() + matrix.size()};
}

// Conductance of heat between the chips of a card, as a Laplacian.
Matrix cardLaplacian(const ThermalNode& node) {
    const auto n = static_cast<Eigen::Index>(node.slots.size());
    Matrix out = Matrix::Zero(n, n);
    for (Eigen::Index i = 0; i < n; ++i) {
        for (Eigen::Index j = 0; j < n; ++j) {
            if (i == j
                || node.slots[static_cast<std::size_t>(i)].card
                    != node.slots[static_cast<std::size_t>(j)].card)
                continue;
            out(i, i) += node.cardConductance;
            out(i, j) -= node.cardConductance;
        }
    }
    return out;
}

std::vector<double> product(
    const std::vector<double>& matrix, std::span<const double> values, double offset) {
    const std::size_t n = values.size();
    std::vector<double> out(n, offset);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j)
            out[i] += matrix[i * n + j] * values[j];
    }
    return out;
}

constexpr double kAirRiseC = 24.0; // a node's air with all GPUs at their limit
// Two chips of a package on one heat sink: few degrees at the difference of their powers.
constexpr double kCardConductance = 10.0; // W/K, estimated

} // namespace

NodeAir usualAir(std::size_t gpus, double limitW) {
    NodeAir air;
    if (gpus > 0 && limitW > 0.0)
        air.risePerW = kAirRiseC / (static_cast<double>(gpus) * limitW);
    return air;
}

ThermalNode thermalNodeOf(
    const layout::ClusterNode& node, int gpusPerCard, const GpuPower& gpu, const NodeAir& air) {
    ThermalNode out{{}, air, gpusPerCard > 1 ? kCardConductance : 0.0};
    for (const layout::ClusterGpu& one : node.gpus) {
        const int card = gpusPerCard > 1 ? one.local / gpusPerCard : one.local;
        out.slots.push_back({one.isRear ? 1 : 0, card, gpu.thermal});
    }
    return out;
}

ThermalNetwork::ThermalNetwork(const ThermalNode& node)
    : m_size(node.slots.size())
    , m_inletC(node.air.inletC) {
    if (m_size == 0)
        return;
    const auto n = static_cast<Eigen::Index>(m_size);
    Matrix air = Matrix::Zero(n, n);
    Eigen::VectorXd conductance(n);
    Eigen::VectorXd capacity(n);
    for (Eigen::Index i = 0; i < n; ++i) {
        const ThermalSlot& slot = node.slots[static_cast<std::size_t>(i)];
        conductance[i] = 1.0 / slot.thermal.resistance;
        capacity[i] = slot.thermal.seconds / slot.thermal.resistance;
        for (Eigen::Index j = 0; j < n; ++j) {
            if (node.slots[static_cast<std::size_t>(j)].row < slot.row)
                air(i, j) = node.air.risePerW;
        }
    }
    // q = D·(θ − air·q), D the conductances: (1 + D·air)·q = D·θ.
    const Matrix warmed = Matrix::Identity(n, n) + conductance.asDiagonal() * air;
    const Matrix flows = warmed.lu().solve(Matrix(conductance.asDiagonal()));
    const Matrix losses = flows + cardLaplacian(node);
    m_steady = valuesOf(losses.inverse());
    m_rates = valuesOf(capacity.cwiseInverse().asDiagonal() * losses);
}

std::vector<double> ThermalNetwork::steady(std::span<const double> watts) const {
    return product(m_steady, watts, m_inletC);
}

ThermalStep::ThermalStep(const ThermalNetwork& network, double seconds)
    : m_network(&network) {
    if (network.m_size == 0)
        return;
    const auto n = static_cast<Eigen::Index>(network.m_size);
    const Matrix rates = ConstMap(network.m_rates.data(), n, n);
    const Matrix decay = (-seconds * rates).exp();
    m_decay = valuesOf(decay);
}

void ThermalStep::advance(std::span<double> celsius, std::span<const double> watts) const {
    const std::vector<double> settled = m_network->steady(watts);
    std::vector<double> away(celsius.begin(), celsius.end());
    for (std::size_t i = 0; i < away.size(); ++i)
        away[i] -= settled[i];
    const std::vector<double> left = product(m_decay, away, 0.0);
    for (std::size_t i = 0; i < away.size(); ++i)
        celsius[i] = settled[i] + left[i];
}

} // namespace trainscope::predict
