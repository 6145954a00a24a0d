#include "core/analysis/comparison/StepOperators.h"

#include "core/analysis/iterations/Iterations.h"
#include "core/analysis/operators/CallTrees.h"
#include "core/analysis/operators/OperatorTable.h"
#include "core/analysis/statistics/TimeRanges.h"
#include "core/model/Try.h"

namespace trainscope::analysis {

namespace {

constexpr double kWorthTelling = 0.001; // share of the step

// From the first iteration that the traces cover to the last one.
Result<TimeRange> coveredWindow(const RunStudy& study, const RunMeasures& run) {
    const auto& covered = run.traced->iterations;
    const auto isCovered = [&covered](const Iteration& one) {
        return std::ranges::find(covered, one.index) != covered.end();
    };
    TimeRange window = kNoTime;
    if (!run.capture.empty()) { // other captures count from the same number
        for (const IterationFigures& one : run.iterations)
            window = isCovered(one.iteration) ? spanned(window, one.iteration.range) : window;
        return window.isEmpty() ? run.window.window : window;
    }
    ASSIGN_OR_RETURN(const auto all, iterationsOf(study));
    for (const Iteration& one : all.iterations)
        window = isCovered(one) ? spanned(window, one.range) : window;
    return window.isEmpty() ? kAllTime : window;
}

// Seconds of a step by operator; nothing where the trace names none.
Result<std::map<std::string, double>> operatorSeconds(
    const RunStudy& study, const RunMeasures& run) {
    std::map<std::string, double> seconds;
    if (!run.speaksForSteps())
        return seconds;
    ASSIGN_OR_RETURN(const auto window, coveredWindow(study, run));
    ASSIGN_OR_RETURN(auto clocks, differingClocks(study));
    ASSIGN_OR_RETURN(const auto tree, callTree(study, ownWindows(std::move(clocks), window)));
    if (!tree.hasHost || tree.rankTime.ns <= 0)
        return seconds;
    const TraceMeasures& traced = *run.traced;
    const double scale = traced.basis == TraceBasis::Iterations
        ? traced.toStep / static_cast<double>(traced.iterations.size())
            / std::max(traced.devices, 1)
        : traced.all.seconds / tree.rankTime.seconds();
    for (const OperatorEntry& row : operatorTable(tree, OperatorGrouping::Operator, nullptr).rows)
        seconds[row.name] += row.time.seconds() * scale;
    return seconds;
}

} // namespace

double StepOperator::difference() const {
    double least = 0.0;
    double most = 0.0;
    for (std::size_t run = 0; run < seconds.size(); ++run) {
        const double own = seconds[run].value_or(0.0);
        least = run == 0 ? own : std::min(least, own);
        most = std::max(most, own);
    }
    return most - least;
}

Result<std::vector<StepOperator>> stepOperators(
    const RunStudies& studies, std::span<const RunMeasures* const> runs, std::size_t most) {
    std::map<std::string, StepOperator> byName;
    std::size_t known = 0;
    double step = 0.0;
    for (std::size_t at = 0; at < runs.size(); ++at) {
        ASSIGN_OR_RETURN(const auto seconds, operatorSeconds(studies.of(runs[at]->run), *runs[at]));
        known += seconds.empty() ? 0U : 1U;
        step = seconds.empty() ? step : std::max(step, runs[at]->traced->all.seconds);
        for (const auto& [name, own] : seconds) {
            StepOperator& one = byName[name];
            one.name = name;
            one.seconds.resize(runs.size());
            one.seconds[at] = own;
        }
    }
    std::vector<StepOperator> found;
    for (auto& [name, one] : byName) {
        if (known > 1 && one.difference() >= kWorthTelling * step)
            found.push_back(std::move(one));
    }
    std::ranges::stable_sort(found, std::greater<>(), &StepOperator::difference);
    found.resize(std::min(found.size(), most));
    return found;
}

} // namespace trainscope::analysis
