#include "core/analysis/iterations/Iterations.h"

#include "core/analysis/iterations/AnnotatedIterations.h"
#include "core/analysis/iterations/PowerIterations.h"
#include "core/model/Try.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace trainscope::analysis {

namespace {

constexpr double kPause = 1.5; // periods: a longer one is no neighbour

TimeNs middleOf(std::vector<TimeNs> times) {
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>((times.size() - 1) / 2);
    std::nth_element(times.begin(), middle, times.end());
    return *middle;
}

std::int64_t medianNs(std::vector<std::int64_t> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

// A number may come again where a run was traced several times.
std::vector<Iteration> ofTheRun(const std::map<int, std::vector<Iteration>>& byRank) {
    struct Marks {
        std::vector<TimeNs> begins;
        std::vector<TimeNs> ends;
        bool warmup = false;
    };
    std::map<std::pair<std::int64_t, int>, Marks> all; // by number and how often it came before
    for (const auto& [rank, iterations] : byRank) {
        std::map<std::int64_t, int> seen;
        for (const Iteration& one : iterations) {
            Marks& marks = all[{one.index, seen[one.index]++}];
            marks.begins.push_back(one.range.begin);
            marks.ends.push_back(one.range.end);
            marks.warmup = marks.warmup || one.warmup;
        }
    }
    std::vector<Iteration> out;
    for (auto& [key, marks] : all)
        out.push_back(
            {key.first, {middleOf(std::move(marks.begins)), middleOf(std::move(marks.ends))}, -1,
                marks.warmup});
    std::stable_sort(out.begin(), out.end(),
        [](const Iteration& a, const Iteration& b) { return a.range.begin < b.range.begin; });
    return out;
}

// From one beginning to the next, else from beginning to end.
std::vector<double> periodsOf(const std::vector<Iteration>& iterations) {
    std::vector<std::int64_t> durations;
    for (const Iteration& one : iterations) {
        if (!one.warmup)
            durations.push_back(one.range.length().ns);
    }
    std::vector<double> out;
    if (durations.empty())
        return out;
    const auto usual = static_cast<double>(medianNs(durations));
    for (std::size_t i = 1; i < iterations.size(); ++i) {
        if (iterations[i - 1].warmup)
            continue;
        const DurationNs between = iterations[i].range.begin - iterations[i - 1].range.begin;
        if (static_cast<double>(between.ns) <= kPause * usual)
            out.push_back(between.seconds());
    }
    if (out.empty() && usual > 0.0)
        out.push_back(usual * 1e-9);
    return out;
}

void addFrequency(RunIterations& run) {
    const std::vector<double> periods = periodsOf(run.iterations);
    if (periods.empty())
        return;
    const auto n = static_cast<double>(periods.size());
    double sum = 0.0;
    for (const double period : periods)
        sum += period;
    const double mean = sum / n;
    if (!(mean > 0.0))
        return;
    double squares = 0.0;
    for (const double period : periods)
        squares += (period - mean) * (period - mean);
    const double boundary = run.boundaryError ? run.boundaryError->seconds() : 0.0;
    const double error = std::max(std::sqrt(squares / n / n), boundary / n);
    run.frequencyHz = 1.0 / mean;
    run.frequencyErrorHz = error / (mean * mean);
}

// What the power shows of the whole run, where it shows anything.
void takeFromPower(PowerIterations found, RunIterations& out) {
    if (!found.iterations.empty()) {
        out.basis = IterationBasis::PowerPeriod;
        out.origin = out.byRank.empty()
            ? "the period of the summed power"
            : "the period of the summed power, since annotations tell of a small part of the run";
        out.iterations = std::move(found.iterations);
        out.boundaryError = found.step;
    } else if (out.byRank.empty()) {
        out.origin = std::move(found.whyNone);
    }
}

} // namespace

std::string_view toString(IterationBasis basis) {
    switch (basis) {
    case IterationBasis::Recorded:
        return "recorded";
    case IterationBasis::PowerPeriod:
        return "power_period";
    case IterationBasis::None:
        break;
    }
    return "none";
}

std::vector<Iteration> RunIterations::everyOne() const {
    std::vector<Iteration> all = iterations;
    for (const auto& [rank, own] : byRank)
        all.insert(all.end(), own.begin(), own.end());
    return all;
}

const std::vector<Iteration>& RunIterations::of(int rank) const {
    const auto found = byRank.find(rank);
    return found == byRank.end() ? iterations : found->second;
}

void markWarmup(std::vector<Iteration>& iterations) {
    if (iterations.size() < 3)
        return;
    std::vector<std::int64_t> later;
    for (std::size_t i = iterations.size() / 2; i < iterations.size(); ++i)
        later.push_back(iterations[i].range.length().ns);
    const double limit = kWarmupFactor * static_cast<double>(medianNs(std::move(later)));
    for (std::size_t i = 0; i < iterations.size() / 2; ++i) {
        const bool isSlow = static_cast<double>(iterations[i].range.length().ns) > limit;
        if (!isSlow && !iterations[i].warmup)
            break;
        iterations[i].warmup = true;
    }
}

double recordedShare(const RunIterations& iterations, const Run& run) {
    const double length = run.range.length().seconds();
    if (iterations.iterations.empty() || !(length > 0.0))
        return 0.0;
    TimeRange covered = iterations.iterations.front().range;
    for (const Iteration& one : iterations.iterations)
        covered.end = std::max(covered.end, one.range.end);
    return covered.length().seconds() / length;
}

Result<RunIterations> iterationsOf(
    const store::Store& store, const Run& run, const Progress& progress) {
    RunIterations out;
    ASSIGN_OR_RETURN(auto annotated, annotatedIterations(store, run.id));
    if (!annotated.byRank.empty()) {
        out.basis = IterationBasis::Recorded;
        out.origin = annotated.origin;
        out.byRank = std::move(annotated.byRank);
        out.iterations = ofTheRun(out.byRank);
        for (auto& [rank, iterations] : out.byRank)
            markWarmup(iterations);
    }
    if (recordedShare(out, run) < kLeastRecorded) {
        ASSIGN_OR_RETURN(auto found, powerIterations(store, run.id, progress));
        takeFromPower(std::move(found), out);
    }
    markWarmup(out.iterations);
    addFrequency(out);
    return out;
}

} // namespace trainscope::analysis
