#pragma once
// Lag of a GPU's telemetry behind its trace, where their clocks disagree: a GPU draws power while
// its kernels run, so the share of time with kernels, shifted by the lag, follows the power.
// Sensors report late by up to the time that they average over; that is part of the lag.

#include "core/analysis/RunStudy.h"

namespace trainscope::analysis {

struct TelemetryLag {
    int rank = 0;
    double lagS = 0.0; // telemetry − trace: of the same moment
    double errorS = 0.0; // by the sampling, the sensor's averaging and the noise
    double correlation = 0.0; // correlation of power and kernels at that lag
    // Other lags fit as well, as where all iterations look alike; this is the one nearest to 0.
    bool isAmbiguous = false;
};

struct UnknownLag {
    int rank = 0;
    std::string reason; // a sentence
};

struct TelemetryLags {
    std::vector<TelemetryLag> ranks; // by rank, those with power and kernels
    std::vector<UnknownLag> unknown;
};

// Cancelled by progress.
Result<TelemetryLags> telemetryLags(const RunStudy& study);

// The lag in steps at which `pattern` fits best into `signal`, both on one step, the pattern's
// first value over the signal's first at lag 0. NaN: not known (in the signal only). `offset`:
// steps that lag 0 stands for: of several equal fits that is taken which is nearest to 0 with it.
// `stepsPerValue`: for how many steps a measured value of the signal stands.
struct PatternFit {
    double lag = 0.0; // steps
    double error = 0.0; // steps
    double correlation = 0.0; // −1: the pattern never changes or nowhere lies over the signal
    bool isAmbiguous = false;
};
PatternFit fitPattern(std::span<const double> pattern, std::span<const double> signal,
    double offset, double stepsPerValue = 1.0);

} // namespace trainscope::analysis
