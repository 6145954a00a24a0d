#include "core/analysis/iterations/PowerSpectrum.h"

#include "core/analysis/statistics/SeriesSelection.h"
#include "core/model/Metric.h"
#include "core/model/Try.h"

#include <algorithm>
#include <utility>

namespace trainscope::analysis {

namespace {

constexpr std::size_t kMostSpectrumSteps = std::size_t{1} << 20U;
constexpr std::size_t kLeastSteadySteps = 128; // fewer show no lines

} // namespace

Result<std::optional<PowerSpectrum>> powerSpectrumOf(
    const RunStudy& study, bool wholeRun, std::size_t mostLines) {
    ASSIGN_OR_RETURN(const auto series, study.store.series(study.run.id));
    const auto all = gpuSeriesOf(gpuSeriesByRank(series), metric::kGpuPower);
    const auto power = recordedThroughout(all);
    if (power.empty() || !haveMostInCommon(power))
        return std::optional<PowerSpectrum>();
    PowerSpectrum made;
    std::ranges::copy_if(all, std::back_inserter(made.leftOut), [&power](const Series& one) {
        return std::ranges::none_of(
            power, [&one](const Series& other) { return other.id == one.id; });
    });
    made.state.window = study.run.range;
    if (!wholeRun) {
        ASSIGN_OR_RETURN(made.state, steadyStateOf(study));
    }
    if (!made.state.isWholeRun) {
        ASSIGN_OR_RETURN(made.power, sumOf(study, power, kMostSpectrumSteps, made.state.window));
        if (made.power.values.size() < kLeastSteadySteps) {
            made.state = {};
            made.state.window = study.run.range;
        }
    }
    if (made.state.isWholeRun) {
        ASSIGN_OR_RETURN(made.power, sumOf(study, power, kMostSpectrumSteps));
    }
    made.lines = strongestLines(made.power, mostLines);
    return std::optional(std::move(made));
}

} // namespace trainscope::analysis
