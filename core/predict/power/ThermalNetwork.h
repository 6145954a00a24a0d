#pragma once
// ThermalNetwork: the temperatures of a node's GPUs from their powers. Each chip gives its heat
// through a resistance to the air around its heat sink, which the GPUs in the rows before have
// warmed; chips of one card exchange heat:
//     C·dT_i/dt = P_i − q_i − Σ_j g·(T_i − T_j),  q_i = (T_i − air_i)/R_i,
//     air_i = inlet + rise · Σ_{j in front of i} q_j.
// Linear, so that a step of any length with constant powers is exact. SI, °C; any thread.

#include "core/catalogue/GpuModel.h"
#include "core/layout/Cluster.h"

#include <span>

namespace trainscope::predict {

// GpuPower: what the power of a kind of GPU follows from. SI, °C; plain values.
//
// Power at clock fraction φ (of the highest clock) and voltage ratio v(φ) = V(φ)/V(1):
//     idle      parked + (idle − parked)·φ·v² , all of it more by leakage for every degree
//     working   idle + active · rate(φ) · v²
// since switching takes C·V² for each piece of work, and work is done at a rate that follows the
// clock as far as it is bound by it: rate(φ) = 1/(1 − b + b/φ).

// Work of a GPU at a moment, as far as its power depends on it.
enum class Activity {
    Gemm, // matrix products, grouped ones included
    Attention,
    Memory, // norms, activations, optimizer, copies: bound by memory bandwidth
    Communication, // exposed: a collective alone
    Waiting, // for another GPU or the host
};
constexpr auto namesOf(Activity) {
    return enumNames("gemm", "attention", "memory", "communication", "waiting");
}
inline constexpr auto kAllActivities = allValues<Activity>();
inline constexpr std::size_t kActivities = kAllActivities.size();

// A value for each activity.
template <typename T>
using ByActivity = ByEnum<Activity, kActivities, T>;

// V(φ)/V(1) = max(lowest, 1 − slope·(1 − φ)): below some clock the voltage cannot fall further.
struct VoltageCurve {
    double slope = 0.5;
    double lowest = 0.75;

    [[nodiscard]] double at(double clock) const;
};

// From the chip to the air around its heat sink.
struct GpuThermal {
    double resistance = 0.043; // K/W
    double seconds = 4.3; // time constant: resistance × heat capacity
};

struct GpuPower {
    double limitW = 700.0;
    double boostHz = 1.98e9;
    double lowestHz = 345e6;
    double parkedW = 73.0; // no work, lowest clock
    double idleW = 117.0; // no work, highest clock, at kReferenceC
    ByActivity<double> activeW; // beyond idle, at the highest clock; may exceed the limit
    ByActivity<double> clockBound; // share of the time that follows the clock, 0 to 1
    VoltageCurve voltage;
    double leakage = 0.004; // share of the idle power, per K
    double slowdownC = 89.0; // above it the clock gives way
    GpuThermal thermal;
};

inline constexpr double kReferenceC = 30.0;

// Constants of a GPU. Those that the catalogue lacks are scaled from the H100's, which come from
// measured runs (resources/hardware.json says which).
GpuPower gpuPowerOf(const catalogue::GpuModel& model);

struct ThermalSlot {
    int row = 0; // in the air, 0 in front; GPUs of a row do not warm each other
    int card = 0;
    GpuThermal thermal;
};

// The air of a node. Eight H100 in two rows of four: the rear row stands in air that is 12 K
// warmer at 690 W each (their slope against power, fitted to a measured run), and rear GPUs are up
// to 27 % hotter (arXiv 2509.10371).
struct NodeAir {
    double inletC = 21.0;
    double risePerW = 0.0043; // K for each W that is given off in front
};

struct ThermalNode {
    std::vector<ThermalSlot> slots;
    NodeAir air;
    double cardConductance = 0.0; // W/K between the chips of a card
};

// By slot, in the order of `node.gpus`: the front half is the first row, the rear half the second.
ThermalNode thermalNodeOf(
    const layout::ClusterNode& node, int gpusPerCard, const GpuPower& gpu, const NodeAir& air);
// The air of a node whose GPUs draw other power than H100s: fans are chosen for the heat, so that
// it is warmed as much when all draw their limit.
NodeAir usualAir(std::size_t gpus, double limitW);

class ThermalNetwork {
public:
    explicit ThermalNetwork(const ThermalNode& node);

    [[nodiscard]] std::size_t size() const { return m_size; }
    [[nodiscard]] double inletC() const { return m_inletC; }
    // Temperatures that no longer change; watts by slot.
    [[nodiscard]] std::vector<double> steady(std::span<const double> watts) const;

private:
    friend class ThermalStep;
    std::size_t m_size = 0;
    double m_inletC = 0.0;
    // Row by row, of temperatures above the inlet.
    std::vector<double> m_steady; // θ = steady · P
    std::vector<double> m_rates; // dθ/dt = −rates · θ + …
};

// A step of fixed length in which powers do not change.
class ThermalStep {
public:
    ThermalStep(const ThermalNetwork& network, double seconds);
    // Replaces the temperatures by those at the step's end.
    void advance(std::span<double> celsius, std::span<const double> watts) const;

private:
    const ThermalNetwork* m_network;
    std::vector<double> m_decay; // e^(−rates · seconds), row by row
};

} // namespace trainscope::predict
