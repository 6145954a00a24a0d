#pragma once
// QuickPower: what steps draw, each at the clock that its own work settles at, at the temperature
// that one of them settles at. Near enough to rank layouts of one cluster by, and hundreds of times
// faster than settling each of them: watts are tabulated over the clock. Any thread.

#include "core/predict/power/PowerModel.h"
#include "core/predict/prediction/Prediction.h"

#include <vector>

namespace trainscope::predict {

// Power of one GPU, estimated.
struct PowerEstimate {
    double meanW = 0.0; // over stages
    double busyW = 0.0; // of the slowest stage while it is not waiting, at its limit at most
    double slowdown = 1.0; // on the seconds that it was asked with
    // Bounds that whole predictions stay above: factor on the seconds, and W of a busy GPU, its
    // limit where the work would draw well more.
    double leastSlowdown = 1.0;
    double leastBusyW = 0.0;
    double lowestW = 0.0; // busy, at the lowest clock
    bool isKept = true; // its limit can be, at the lowest clock
};

class QuickPower {
public:
    // activities: of one of the steps. slowing: what is not in the seconds yet.
    QuickPower(
        const Job& job, const ActivityTimes& activities, const PowerBasis& basis, Slowing slowing);

    // Estimate for the slowest stage. balance: mean work of a stage over the slowest's.
    [[nodiscard]] PowerEstimate of(const ActivityTimes& activities, double balance) const;

private:
    struct Point {
        double clock = 1.0; // fraction of the highest
        ByActivity<double> watts;
        ByActivity<double> rates; // of work, 1 at the highest clock
    };
    using Seconds = ByActivity<double>;
    [[nodiscard]] Point pointAt(double clock) const;
    // isPlayed: the seconds are those at that clock, else at the highest.
    [[nodiscard]] double busyAt(const Point& point, const Seconds& seconds, bool isPlayed) const;
    [[nodiscard]] Point settled(
        const Seconds& seconds, bool isPlayed, double limitW, double highest) const;
    void slow(Seconds& seconds) const;

    GpuPower m_gpu;
    double m_limitW = 0.0; // the job's
    double m_ownLimitW = 0.0;
    bool m_isLimited = false;
    Slowing m_slowing = Slowing::None;
    bool m_isBrief = false; // waits are, see ActivityTime
    double m_lowest = 0.0; // clocks
    double m_highest = 1.0;
    double m_air = 0.0; // °C
    double m_celsius = 0.0;
    std::vector<Point> m_points; // of the clock, ascending
};

} // namespace trainscope::predict
