#pragma once
// LimitCurve: the speed of a kind of GPU under lowered power limits, for work of which nothing is
// known but the power that it draws without a limit. Fitted to measured speeds with PowerModel.h
// as it stands. Pure; any thread.

#include "core/predict/power/PowerModel.h"

#include <span>
#include <string>
#include <vector>

namespace trainscope::predict {

struct LimitCurve {
    double idleW = 0.0;
    double highestW = 0.0; // of the hungriest work without a limit
    double clockBound = 0.5; // share of such work's time that follows the clock
    VoltageCurve voltage;
    // Work that draws less than the hungriest waits for its host in between: its busy power is so
    // much of the way from its mean to the hungriest's.
    double burst = 0.0;
};

struct LimitedPower {
    double speed = 1.0; // of that without a limit
    double watts = 0.0; // mean
};
LimitedPower underLimit(const LimitCurve& curve, double demandW, double limitW);

// A measurement: work that draws demandW on average without a limit.
struct LimitedSpeed {
    std::string work;
    double demandW = 0.0;
    double limitW = 0.0;
    double speed = 1.0;
    double watts = 0.0;
};

// Idle is the least and highest the most that was drawn; the other four have the least mean
// relative error of the speed over the rows whose demand is above the limit. At least four such
// rows; the curve as it begins otherwise.
LimitCurve fitLimitCurve(std::span<const LimitedSpeed> rows);

struct LimitErrors {
    double limited = 0.0; // mean |predicted/measured − 1| of the speed, demand above the limit
    double all = 0.0; // of the speed of all rows
    double watts = 0.0; // of the power drawn, of all rows
    std::size_t limitedRows = 0;
    std::size_t rows = 0;
};
LimitErrors errorsOf(const LimitCurve& curve, std::span<const LimitedSpeed> rows);

} // namespace trainscope::predict
