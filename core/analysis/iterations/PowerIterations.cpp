#include "core/analysis/iterations/PowerIterations.h"

#include "core/analysis/iterations/BoundaryTrack.h"
#include "core/analysis/iterations/PeriodSearch.h"
#include "core/analysis/statistics/SeriesSelection.h"
#include "core/analysis/telemetry/UniformSeries.h"
#include "core/model/Try.h"

#include <algorithm>

namespace trainscope::analysis {

namespace {

constexpr std::size_t kMostGpus = 64;
constexpr std::size_t kMostSteps = std::size_t{1} << 19U;
constexpr double kLeastRecorded = 0.8; // of the longest record

// Those that were recorded about as long as the longest, evenly chosen.
std::vector<Series> chosen(const std::vector<Series>& powers) {
    std::int64_t longest = 0;
    for (const Series& one : powers)
        longest = std::max(longest, one.range.length().ns);
    std::vector<Series> whole;
    for (const Series& one : powers) {
        const bool isLong = static_cast<double>(one.range.length().ns)
            >= kLeastRecorded * static_cast<double>(longest);
        if (one.description.subject.kind == SubjectKind::Gpu && one.count > one.missing && isLong)
            whole.push_back(one);
    }
    const std::size_t each = (whole.size() + kMostGpus - 1) / kMostGpus;
    std::vector<Series> out;
    for (std::size_t i = 0; i < whole.size(); i += each)
        out.push_back(whole[i]);
    return out;
}

} // namespace

Result<PowerIterations> powerIterations(
    const store::Store& store, RunId run, const Progress& progress) {
    ASSIGN_OR_RETURN(const auto series, store.series(run));
    std::vector<std::string> warnings; // the summary tells them
    const auto groups = seriesByMetric(series, warnings);
    const auto power = groups.find("gpu_power");
    PowerIterations out;
    const auto powers = power == groups.end() ? std::vector<Series>() : chosen(power->second);
    if (powers.empty()) {
        out.whyNone = "no annotation names iterations, and there is no GPU power to find their "
                      "period in";
        return out;
    }
    ASSIGN_OR_RETURN(const auto signal, sumOf(store, powers, kMostSteps, kAllTime, progress));
    out.step = signal.step;
    const auto period = findPeriod(signal);
    if (period) {
        for (const TimeRange& range : trackPeriods(signal, period->steps))
            out.iterations.push_back(
                {static_cast<std::int64_t>(out.iterations.size()), range, -1, false});
    }
    if (out.iterations.empty())
        out.whyNone = "no annotation names iterations, and the summed power has no clear period";
    return out;
}

} // namespace trainscope::analysis
