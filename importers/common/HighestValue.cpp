#include "importers/common/HighestValue.h"

#include "core/model/Metric.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace trainscope::importers {

namespace {

// Integers of 31 and 32 bits.
constexpr std::array kHighest{2147483647.0, 4294967295.0};

// SI; generous, since units may be meant otherwise than they are read.
double mostOf(std::string_view name, std::string_view unit) {
    if (unit == "1" && name.ends_with("_utilization")) // processors and processes, over all cores
        return name.starts_with("cpu_") || name.starts_with("process_") ? 1e4 : 1.5;
    if (unit == "W")
        return name.starts_with("gpu_") ? 1e6 : 1e9;
    return unit == "°C" ? 1e3 : unit == "Hz" ? 5e10 : std::numeric_limits<double>::infinity();
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
        && number < kHighestReading && std::ranges::find(kHighest, number) == kHighest.end();
}

std::vector<NumberRange> impossibleNumbers(const SeriesDescription& what) {
    if (what.metric.name == metric::kThrottleReasons)
        return {};
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const double most = mostOf(what.metric.name, what.metric.unit) / what.scale;
    return {{kHighest[0], kHighest[0]}, {kHighest[1], kHighest[1]},
        {std::min(std::nextafter(most, infinity), kHighestReading)}};
}

} // namespace trainscope::importers
