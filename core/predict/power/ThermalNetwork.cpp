#include "core/predict/power/ThermalNetwork.h"

#include <Eigen/Dense>
#include <unsupported/Eigen/MatrixFunctions>

namespace trainscope::predict {
namespace {

// Estimated. Flash attention keeps the tensor cores less busy than products of matrices do. The
// others are shares of what the limit leaves beyond idle: full memory bandwidth; bytes moved with
// few multiprocessors; a collective that polls for its peers, or a host that is late (0.27 to 0.4
// in published pipelines of A100s, 0 where no kernel polls).
constexpr double kAttentionShare = 0.85; // share of matrix products'
constexpr double kMemoryShare = 0.65;
constexpr double kCommunicationShare = 0.3;
constexpr double kWaitingShare = 0.2;

// Memory and links have clocks of their own; estimated.
constexpr double kMemoryClockBound = 0.25;
constexpr double kCommunicationClockBound = 0.1;

// Measured on the H100, as shares of its limit.
constexpr double kUsualIdle = 117.0 / 700.0;
constexpr double kUsualParked = 70.0 / 117.0; // share of idle
constexpr double kUsualRise = 0.0425 * 700.0; // K of the chip above its air at the limit
constexpr double kUsualLimitW = 400.0;
constexpr double kUsualBoostHz = 1.7e9;
constexpr double kLowestClock = 0.17; // share of the highest
constexpr double kUsualSlowdownC = 89.0;

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

double VoltageCurve::at(double clock) const {
    return std::max(lowest, 1.0 - slope * (1.0 - clock));
}

GpuPower gpuPowerOf(const catalogue::GpuModel& model) {
    const catalogue::GpuPowerFacts& facts = model.power;
    GpuPower out;
    out.limitW = model.powerLimitW.value_or(kUsualLimitW);
    out.boostHz = model.boostClockHz.value_or(kUsualBoostHz);
    out.lowestHz = kLowestClock * out.boostHz;
    out.idleW = facts.idleW.value_or(kUsualIdle * out.limitW);
    out.parkedW = facts.parkedW.value_or(kUsualParked * out.idleW);
    const double product = facts.gemmW.value_or(out.limitW) - out.idleW;
    out.activeW[Activity::Gemm] = product;
    out.activeW[Activity::Attention] = kAttentionShare * product;
    const double beyondIdle = out.limitW - out.idleW;
    out.activeW[Activity::Memory] = kMemoryShare * beyondIdle;
    out.activeW[Activity::Communication] = kCommunicationShare * beyondIdle;
    out.activeW[Activity::Waiting] = kWaitingShare * beyondIdle;
    out.clockBound[Activity::Gemm] = 1.0;
    out.clockBound[Activity::Attention] = 1.0;
    out.clockBound[Activity::Memory] = kMemoryClockBound;
    out.clockBound[Activity::Communication] = kCommunicationClockBound;
    out.voltage.slope = facts.voltageSlope.value_or(out.voltage.slope);
    out.voltage.lowest = facts.lowestVoltage.value_or(out.voltage.lowest);
    out.slowdownC = model.slowdownC.value_or(kUsualSlowdownC);
    out.thermal.resistance = facts.thermalResistance.value_or(kUsualRise / out.limitW);
    out.thermal.seconds = facts.thermalSeconds.value_or(out.thermal.seconds);
    return out;
}

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
