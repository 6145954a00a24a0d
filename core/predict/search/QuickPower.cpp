#include "core/predict/search/SearchParts.h"

#include "core/predict/prediction/Prediction.h"

#include <algorithm>
#include <vector>

namespace trainscope::predict {

namespace {

constexpr int kPoints = 48;
// Largest error of an estimate of power that was seen against whole predictions.
constexpr double kSlack = 0.03;
// Share of an estimated slowdown that is sure: a stage with less of it than the slowest may be the
// one to wait for.
constexpr double kSurelySlowed = 0.8;

class QuickPower {
public:
    QuickPower(
        const Job& job, const ActivityTimes& activities, const PowerBasis& basis, Slowing slowing)
        : m_gpu(basis.gpu)
        , m_limitW(job.machine.powerLimitW.value_or(m_gpu.limitW))
        , m_ownLimitW(m_gpu.limitW)
        , m_isLimited(job.machine.powerLimitW.has_value())
        , m_slowing(slowing)
        , m_isBrief(job.gpus() == 1)
        , m_lowest(std::min(1.0, m_gpu.lowestHz / m_gpu.boostHz)) {
        m_air = surroundingsOf(job, basis).airC;
        m_highest = lockedClock(m_gpu, job.machine.clockHz);
        m_celsius = relimited(m_gpu, activities, surroundingsOf(job, basis)).now.celsius;
        for (int i = 0; i <= kPoints; ++i)
            m_points.push_back(pointAt(m_lowest + (1.0 - m_lowest) * i / kPoints));
    }

    [[nodiscard]] EstimatedPower of(const ActivityTimes& activities, double balance) const {
        Seconds seconds;
        double before = 0.0;
        for (const Activity activity : kAllActivities) {
            seconds[activity] = activities[activity].seconds;
            before += seconds[activity];
        }
        EstimatedPower estimate;
        if (before <= seconds[Activity::Waiting])
            return estimate;
        if (m_slowing != Slowing::None)
            slow(seconds);
        const Point point = settled(seconds, true, m_limitW, m_highest);
        const double busy = busyAt(point, seconds, true);
        double after = 0.0;
        for (const Activity activity : kAllActivities)
            after += seconds[activity];
        estimate.slowdown = after / before;
        const double share = m_isBrief ? 1.0 : balance * (1.0 - seconds[Activity::Waiting] / after);
        const double mean = share * busy + (1.0 - share) * point.watts[Activity::Waiting];
        // A colder chip leaks less.
        const double celsius = m_air + m_gpu.thermal.resistance * mean;
        const double leaked
            = idlePower(m_gpu, point.clock, kReferenceC) * m_gpu.leakage * (celsius - m_celsius);
        estimate.meanW = mean + leaked;
        estimate.busyW = std::min(busy + leaked, m_limitW);
        estimate.lowestW = busyAt(m_points.front(), seconds, true);
        estimate.isKept = !m_isLimited || estimate.lowestW <= m_limitW;
        const bool isHeld = busyAt(pointAt(m_highest), seconds, true) > (1.0 + kSlack) * m_limitW;
        estimate.leastBusyW = isHeld ? m_limitW : (1.0 - kSlack) * estimate.busyW;
        estimate.leastSlowdown = 1.0 + (estimate.slowdown - 1.0) * kSurelySlowed;
        return estimate;
    }

private:
    struct Point {
        double clock = 1.0; // fraction of the highest
        ByActivity<double> watts;
        ByActivity<double> rates; // rates of work, 1 at the highest clock
    };
    using Seconds = ByActivity<double>;

    [[nodiscard]] Point pointAt(double clock) const {
        Point point{clock, {}, {}};
        for (const Activity activity : kAllActivities) {
            const double bound = m_gpu.clockBound[activity];
            const bool isWaiting = activity == Activity::Waiting;
            const double active = isWaiting && m_isBrief ? 0.0 : m_gpu.activeW[activity];
            point.watts[activity]
                = powerOf(m_gpu, {1.0, active, bound, isWaiting}, clock, m_celsius);
            point.rates[activity] = rateAt(bound, clock);
        }
        return point;
    }

    // The mean of what is no waiting, or briefly.
    [[nodiscard]] double busyAt(const Point& point, const Seconds& seconds, bool isPlayed) const {
        double joules = 0.0;
        double sum = 0.0;
        for (const Activity activity : kAllActivities) {
            if (activity == Activity::Waiting && !m_isBrief)
                continue;
            const double each = seconds[activity] / (isPlayed ? 1.0 : point.rates[activity]);
            joules += each * point.watts[activity];
            sum += each;
        }
        return sum > 0.0 ? joules / sum : point.watts[Activity::Waiting];
    }

    [[nodiscard]] Point settled(
        const Seconds& seconds, bool isPlayed, double limitW, double highest) const {
        const auto exceeds = [&](const Point& point) {
            return point.clock > highest || busyAt(point, seconds, isPlayed) > limitW;
        };
        const auto above = std::partition_point(m_points.begin(), m_points.end(),
            [&exceeds](const Point& point) { return !exceeds(point); });
        if (above == m_points.begin() || above == m_points.end())
            return above == m_points.begin() ? m_points.front() : m_points.back();
        const Point& below = *(above - 1);
        const double low = busyAt(below, seconds, isPlayed);
        const double high = busyAt(*above, seconds, isPlayed);
        const double part = high > limitW ? (limitW - low) / (high - low) : 1.0;
        return pointAt(std::min(highest, below.clock + part * (above->clock - below.clock)));
    }

    // Operators to what they take under the job's limits; exchanges take what they take, and the
    // waits for other stages grow with the work.
    void slow(Seconds& seconds) const {
        Seconds full = seconds;
        if (m_slowing == Slowing::FromUsual) {
            const Point usual = settled(seconds, true, m_ownLimitW, 1.0);
            for (const Activity activity : kAllActivities)
                full[activity] *= usual.rates[activity];
        }
        const Point now = settled(full, false, m_limitW, m_highest);
        double before = 0.0;
        double after = 0.0;
        for (const Activity activity : kAllActivities) {
            if (activity == Activity::Waiting)
                continue;
            before += seconds[activity];
            if (activity != Activity::Communication)
                seconds[activity] = full[activity] / now.rates[activity];
            after += seconds[activity];
        }
        if (!m_isBrief)
            seconds[Activity::Waiting] *= after / before;
    }

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
    std::vector<Point> m_points; // points by clock, ascending
};

} // namespace

EstimatePower quickPower(
    const Job& job, const ActivityTimes& activities, const PowerBasis& basis, Slowing slowing) {
    return [power = QuickPower(job, activities, basis, slowing)](
               const ActivityTimes& others, double balance) { return power.of(others, balance); };
}

} // namespace trainscope::predict
