#include "importers/common/HighestValue.h"

#include "core/model/Metric.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

namespace trainscope::importers {

namespace {

// Integers of 31, 32, 63 and 64 bits.
constexpr std::array kHighest{
    2147483647.0, 4294967295.0, 9223372036854775807.0, 18446744073709551615.0};

// SI; generous, since units may be meant otherwise than they are read.
double mostOf(std::string_view name, std::string_view unit) {
    if (unit == "1" && name.ends_with("_utilization")) // of processors and processes over all cores
        return name.starts_with("cpu_") || name.starts_with("process_") ? 1e4 : 1.5;
    if (unit == "W")
        return name.starts_with("gpu_") ? 1e6 : 1e9;
    const double most = unit == "°C" ? 1e3 : unit == "Hz" ? 5e10 : 0.0;
    return most > 0.0 ? most : std::numeric_limits<double>::infinity();
}

} // namespace

double certainlyPossible(const SeriesDescription& what) {
    if (what.metric.name == metric::kThrottleReasons) // a mask
        return std::numeric_limits<double>::infinity();
    const double most = mostOf(what.metric.name, what.metric.unit) / what.scale;
    return std::min(most, kHighest.front() - 1.0);
}

bool isPossible(const SeriesDescription& what, double number) {
    return number <= mostOf(what.metric.name, what.metric.unit) / what.scale
        && std::find(kHighest.begin(), kHighest.end(), number) == kHighest.end();
}

} // namespace trainscope::importers
