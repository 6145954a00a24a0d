#include "core/predict/search/UsualPower.h"

#include "core/predict/prediction/Outlook.h"

#include <algorithm>

namespace trainscope::predict {

UsualPower::UsualPower(const Job& job, const ActivityTimes& activities, bool isSlowed)
    : m_gpu(gpuPowerOf(job.machine.gpu))
    , m_limitW(job.machine.powerLimitW.value_or(m_gpu.limitW))
    , m_isLimited(job.machine.powerLimitW.has_value()) {
    const Relimited settled = relimited(m_gpu, activities, surroundingsOf(job));
    m_steady = settled.now;
    const double lowest = std::min(1.0, m_gpu.lowestHz / m_gpu.boostHz);
    for (const Activity activity : kAllActivities) {
        m_factors[activity] = isSlowed ? settled.factors[activity] : 1.0;
        const TimedLoad load{1.0, m_gpu.activeW[activity], m_gpu.clockBound[activity],
            activity == Activity::Waiting};
        m_watts[activity] = powerOf(m_gpu, load, m_steady.clock, m_steady.celsius);
        m_lowestWatts[activity] = powerOf(m_gpu, load, lowest, m_steady.celsius);
    }
}

PowerEstimate UsualPower::of(const ActivityTimes& activities, double balance) const {
    double before = 0.0;
    double after = 0.0;
    double busy = 0.0;
    double busyJoules = 0.0;
    double lowestJoules = 0.0;
    for (const Activity activity : kAllActivities) {
        const double seconds = activities[activity].seconds;
        const double slowed = seconds * m_factors[activity];
        before += seconds;
        after += slowed;
        if (activity == Activity::Waiting)
            continue;
        busy += slowed;
        busyJoules += slowed * m_watts[activity];
        lowestJoules += slowed * m_lowestWatts[activity];
    }
    PowerEstimate estimate;
    if (before <= 0.0 || busy <= 0.0)
        return estimate;
    estimate.slowdown = after / before;
    estimate.busyW = std::min(busyJoules / busy, m_limitW);
    const double share = balance * busy / after;
    estimate.meanW = share * estimate.busyW + (1.0 - share) * m_watts[Activity::Waiting];
    estimate.isKept = !m_isLimited || lowestJoules / busy <= m_limitW;
    return estimate;
}

} // namespace trainscope::predict
