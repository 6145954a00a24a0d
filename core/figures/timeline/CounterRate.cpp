#include "core/figures/timeline/TimelineLoad.h"
#include "core/model/Try.h"

#include <algorithm>
#include <limits>

namespace trainscope::figures {

namespace {

constexpr std::int64_t kHolePeriods = 10;
constexpr double kNoRate = std::numeric_limits<double>::quiet_NaN();

} // namespace

Result<double> counterRateAt(const store::Store& store, const Series& counter, TimeNs time) {
    if (!counter.range.contains(time))
        return kNoRate;
    const DurationNs period{counter.range.length().ns / std::max<std::int64_t>(1, counter.count)};
    const DurationNs back{period.ns * kHolePeriods};
    const auto buckets = store.rateBuckets(counter.id, {time - back, time + DurationNs{1}}, 1);
    if (!buckets.hasValue())
        return buckets.error();
    const bool any = !buckets.value().empty() && buckets.value().front().count > 0;
    return any ? static_cast<double>(buckets.value().front().last) : kNoRate;
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
