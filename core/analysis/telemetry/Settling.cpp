#include "core/analysis/telemetry/Settling.h"

#include "core/model/Try.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace trainscope::analysis {

namespace {

constexpr std::size_t kLeastKnown = 40;
constexpr std::size_t kWindowsPerRecord = 20;
constexpr std::size_t kMostSteps = 4096;

struct Known {
    std::vector<double> values;
    std::vector<std::size_t> steps; // where they stand
};

Known knownOf(const UniformSeries& series) {
    Known out;
    for (std::size_t i = 0; i < series.values.size(); ++i) {
        if (std::isnan(series.values[i]))
            continue;
        out.values.push_back(series.values[i]);
        out.steps.push_back(i);
    }
    return out;
}

double meanOf(const std::vector<double>& values, std::size_t from, std::size_t to) {
    double sum = 0.0;
    for (std::size_t i = from; i < to; ++i)
        sum += values[i];
    return sum / static_cast<double>(to - from);
}

} // namespace

std::optional<TimeNs> settledFrom(const UniformSeries& temperature) {
    const Known known = knownOf(temperature);
    const std::size_t n = known.values.size();
    if (n < kLeastKnown)
        return std::nullopt;
    const std::size_t window = std::max<std::size_t>(n / kWindowsPerRecord, 2);
    const double final = meanOf(known.values, n - n / 4, n);
    const double start = meanOf(known.values, 0, window);
    const double tolerance
        = std::max(kSettledWithinC, kSettledWithinRise * std::abs(final - start));
    // From the end backwards: the first moving mean outside ends the search.
    std::size_t settled = n - window;
    for (std::size_t from = n - window + 1; from-- > 0;) {
        if (std::abs(meanOf(known.values, from, from + window) - final) > tolerance)
            break;
        settled = from;
    }
    if (settled > n - n / 4)
        return std::nullopt;
    return temperature.timeOf(known.steps[settled]);
}

Result<RunSettling> runSettling(
    const store::Store& store, const std::vector<Series>& temperatures, const Progress& progress) {
    RunSettling out;
    TimeNs last = kAllTime.begin;
    for (const Series& series : temperatures) {
        if (series.description.subject.kind != SubjectKind::Gpu || series.count == series.missing)
            continue;
        if (progress && !progress({"Finding when temperatures settled", 0, 0}))
            return cancelled();
        ASSIGN_OR_RETURN(
            const auto values, resample(store, series, gridOf({&series, 1}, kMostSteps)));
        const auto from = settledFrom(values);
        ++out.gpus;
        out.unsettled += from ? 0 : 1;
        last = std::max(last, from.value_or(last));
    }
    if (out.gpus > 0 && out.unsettled == 0)
        out.from = last;
    return out;
}

} // namespace trainscope::analysis
