#pragma once
// UsualPower: what steps draw at the clock and temperature that one of them settles at. Near enough
// to rank layouts of one cluster by, and a thousand times faster than settling each of them. Any
// thread.

#include "core/predict/power/PowerModel.h"
#include "core/predict/prediction/Prediction.h"

namespace trainscope::predict {

// Of one GPU.
struct PowerEstimate {
    double meanW = 0.0; // over stages
    double busyW = 0.0; // of the slowest stage while it is not waiting, at its limit at most
    double slowdown = 1.0; // on the seconds that it was asked with
    bool isKept = true; // its limit can be, at the lowest clock
};

class UsualPower {
public:
    // isSlowed: the limits of the job are not in the seconds yet (Predictor::isSlowed()).
    UsualPower(const Job& job, const ActivityTimes& activities, bool isSlowed);

    // Of the slowest stage; balance: what a stage does in the mean, over that.
    [[nodiscard]] PowerEstimate of(const ActivityTimes& activities, double balance) const;

private:
    GpuPower m_gpu;
    SteadyPower m_steady;
    double m_limitW = 0.0;
    bool m_isLimited = false;
    ByActivity<double> m_factors; // on seconds
    ByActivity<double> m_watts;
    ByActivity<double> m_lowestWatts; // at the lowest clock
};

} // namespace trainscope::predict
