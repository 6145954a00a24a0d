#include "core/figures/timeline/TimelineLoad.h"
#include "core/model/Try.h"

#include <algorithm>
#include <limits>

namespace trainscope::figures {

namespace {

constexpr std::int64_t kHolePeriods = 10;
// Drivers count energy on every 20 to 100 ms: two readings closer than that differ by nothing, or
// by twice of what flowed.
constexpr DurationNs kEnergyStretch{1'000'000'000};
constexpr double kNoRate = std::numeric_limits<double>::quiet_NaN();

} // namespace

Result<double> counterRateAt(const store::Store& store, const Series& counter, TimeNs time) {
    if (!counter.range.contains(time))
        return kNoRate;
    const DurationNs period{counter.range.length().ns / std::max<std::int64_t>(1, counter.count)};
    const bool isEnergy = counter.description.metric.unit == "J";
    const DurationNs hole{period.ns * kHolePeriods};
    const DurationNs back = isEnergy ? std::max(hole, kEnergyStretch) : hole;
    const auto buckets = store.rateBuckets(counter.id, {time - back, time + DurationNs{1}}, 1);
    if (!buckets.hasValue())
        return buckets.error();
    const bool any = !buckets.value().empty() && buckets.value().front().count > 0;
    if (!any)
        return kNoRate;
    return static_cast<double>(
        isEnergy ? buckets.value().front().mean : buckets.value().front().last);
}

Result<RateBounds> counterRateBounds(const store::Store& store, const Series& counter) {
    RateBounds bounds{kNoRate, kNoRate};
    if (counter.range.length().ns <= 0)
        return bounds;
    ASSIGN_OR_RETURN(const auto buckets, store.rateBuckets(counter.id, counter.range, 1));
    if (!buckets.empty() && buckets.front().count > 0)
        bounds = {buckets.front().min, buckets.front().max};
    return bounds;
}

} // namespace trainscope::figures
