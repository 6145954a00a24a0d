#include "core/predict/power/GpuPower.h"

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

} // namespace trainscope::predict
