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

#include "core/analysis/energy/ClassTimes.h"

#include <optional>

namespace trainscope::analysis {

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

} // namespace trainscope::analysis
