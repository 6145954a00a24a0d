#pragma once
// GpuPower: what the power of a kind of GPU follows from. SI, °C; plain values.
//
// Power at clock fraction φ (of the highest clock) and voltage ratio v(φ) = V(φ)/V(1):
//     idle      parked + (idle − parked)·φ·v² , all of it more by leakage for every degree
//     working   idle + active · rate(φ) · v²
// since switching takes C·V² for each piece of work, and work is done at a rate that follows the
// clock as far as it is bound by it: rate(φ) = 1/(1 − b + b/φ).

#include "core/catalogue/GpuModel.h"
#include "core/model/ByEnum.h"
#include "core/model/EnumNames.h"

namespace trainscope::predict {

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

} // namespace trainscope::predict
