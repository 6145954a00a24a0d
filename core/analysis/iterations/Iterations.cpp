#include "core/analysis/iterations/Iterations.h"

#include "core/analysis/iterations/AnnotatedIterations.h"
#include "core/analysis/iterations/PowerPeriod.h"
#include "core/analysis/statistics/Means.h"
#include "core/analysis/statistics/SeriesSelection.h"
#include "core/analysis/statistics/TimeRanges.h"
#include "core/analysis/telemetry/UniformSeries.h"
#include "core/model/Gather.h"
#include "core/model/Try.h"
#include "core/text/Times.h"

namespace trainscope::analysis {

namespace {

constexpr std::size_t kSampledGpus = 64;
constexpr std::size_t kMostPowerSteps = std::size_t{1} << 19U;

// Those that were recorded about as long as the longest, evenly chosen.
std::vector<Series> chosen(const std::vector<Series>& powers) {
    const std::vector<Series> whole = recordedThroughout(powers);
    const std::size_t each = (whole.size() + kSampledGpus - 1) / kSampledGpus;
    std::vector<Series> out;
    for (std::size_t i = 0; i < whole.size(); i += each)
        out.push_back(whole[i]);
    return out;
}

constexpr double kPause = 1.5; // periods: a longer one is no neighbour
constexpr double kMostSpread = 0.25; // share of an iteration: ranks further apart have other clocks

TimeNs middleOf(std::vector<TimeNs> times) {
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>((times.size() - 1) / 2);
    std::nth_element(times.begin(), middle, times.end());
    return *middle;
}

struct PowerIterations {
    std::vector<Iteration> iterations; // numbered from 0, in order of time
    DurationNs step; // step of the signal they were found in
    std::string whyNone; // for people, where there are none
};

// By number and how often it came before: it comes again where a run was traced several times.
using NumberedIterations = std::map<std::pair<std::int64_t, int>, Iteration>;

NumberedIterations numbered(const std::vector<Iteration>& iterations) {
    NumberedIterations all;
    std::map<std::int64_t, int> seen;
    for (const Iteration& one : iterations)
        all[{one.index, seen[one.index]++}] = one;
    return all;
}

// Lead of one rank's clock over another's, from the beginnings of the same iterations.
DurationNs aheadOf(const NumberedIterations& reference, const NumberedIterations& rank) {
    std::vector<TimeNs> apart;
    for (const auto& [key, one] : rank) {
        if (const auto same = reference.find(key); same != reference.end())
            apart.push_back(TimeNs{} + (one.range.begin - same->second.range.begin));
    }
    return apart.empty() ? DurationNs{} : middleOf(std::move(apart)) - TimeNs{};
}

// Begins and ends of one iteration, as the ranks recorded them.
struct Marks {
    std::vector<TimeNs> begins;
    std::vector<TimeNs> ends;
    bool warmup = false;
};
using MarksByNumber = std::map<std::pair<std::int64_t, int>, Marks>;

enum class Clock { Own, OfFirstRank };

MarksByNumber marksOf(const std::map<int, std::vector<Iteration>>& byRank, Clock clock) {
    MarksByNumber all;
    std::optional<NumberedIterations> reference;
    for (const auto& [rank, iterations] : byRank) {
        if (rank < 0)
            continue;
        const NumberedIterations own = numbered(iterations);
        if (!reference)
            reference = own;
        const DurationNs ahead = clock == Clock::Own ? DurationNs{} : aheadOf(*reference, own);
        for (const auto& [key, one] : own) {
            Marks& marks = all[key];
            marks.begins.push_back(one.range.begin - ahead);
            marks.ends.push_back(one.range.end - ahead);
            marks.warmup = marks.warmup || one.warmup;
        }
    }
    return all;
}

// Spread of the ranks' begins of the same iteration, as a share of its length.
double unevennessOf(const MarksByNumber& all) {
    double apart = 0.0;
    double lengths = 0.0;
    for (const auto& [key, marks] : all) {
        const auto [first, last] = std::ranges::minmax_element(marks.begins);
        apart += (*last - *first).seconds();
        lengths += (marks.ends.front() - marks.begins.front()).seconds();
    }
    return lengths > 0.0 ? apart / lengths : 0.0;
}

std::vector<Iteration> middlesOf(const MarksByNumber& all) {
    std::vector<Iteration> out;
    for (const auto& [key, marks] : all)
        out.push_back(
            {key.first, {middleOf(marks.begins), middleOf(marks.ends)}, -1, marks.warmup});
    std::ranges::stable_sort(out, {}, [](const Iteration& one) { return one.range.begin; });
    return out;
}

// A log tells of the whole run, and traces mostly of a few iterations, which profilers number by
// themselves: those that cover more of the run are taken, not both.
std::vector<Iteration> ofTheRun(const std::map<int, std::vector<Iteration>>& byRank, RunKind kind) {
    MarksByNumber marks = marksOf(byRank, Clock::Own);
    if (unevennessOf(marks) > kMostSpread)
        marks = marksOf(byRank, Clock::OfFirstRank);
    std::vector<Iteration> traced = middlesOf(marks);
    const auto logged = byRank.find(-1);
    const bool isLogged = logged != byRank.end()
        && (kind == RunKind::Predicted // its ranks' clock is one
            || lengthOf(rangesOf(logged->second)) >= lengthOf(rangesOf(traced)));
    return isLogged ? logged->second : traced;
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
    const auto usual = static_cast<double>(upperMedian(durations));
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
    const double sum = summed<double>(periods);
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

// Searches the summed gpu_power; in large runs that of some GPUs, which all wait for one another.
Result<PowerIterations> powerIterations(const RunStudy& study) {
    ASSIGN_OR_RETURN(const auto series, study.store.series(study.run.id));
    PowerIterations out;
    const auto powers = chosen(gpuSeriesOf(gpuSeriesByRank(series), metric::kGpuPower));
    if (powers.empty()) {
        out.whyNone = "no annotation names iterations, and there is no GPU power to find their "
                      "period in";
        return out;
    }
    ASSIGN_OR_RETURN(const auto signal, sumOf(study, powers, kMostPowerSteps));
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

// True where the launch configuration tells more than the machine that the job ran on.
bool isOfJob(LaunchConfig launch) {
    launch.nodes.reset();
    launch.gpusPerNode.reset();
    launch.powerLimitW.reset();
    launch.lockedClockMhz.reset();
    launch.origin.clear();
    return launch != LaunchConfig();
}

// True where anything but the power says that the run had steps.
Result<bool> hadSteps(const RunStudy& study) {
    if (study.run.kind == RunKind::Predicted || isOfJob(study.run.launch))
        return true;
    ASSIGN_OR_RETURN(const auto entered, study.store.enteredLayout(study.run.id));
    ASSIGN_OR_RETURN(const auto series, study.store.series(study.run.id));
    constexpr std::array kOfSteps{
        metric::kStepTime, metric::kTokenRate, metric::kStepTokens, metric::kStepSamples};
    const auto isOfSteps = [&](const Series& one) {
        return std::ranges::find(kOfSteps, one.description.metric.name) != kOfSteps.end();
    };
    if (entered || std::ranges::any_of(series, isOfSteps))
        return true;
    ASSIGN_OR_RETURN(const auto sources, study.store.sources());
    return std::ranges::any_of(sources, [&study](const store::Source& one) {
        return one.report.importer.starts_with("charllm")
            && std::ranges::find(one.runs, study.run.id) != one.runs.end();
    });
}

// Tells the period of repetitions that nothing calls steps.
void takeAsPeriod(const std::vector<Iteration>& repetitions, RunIterations& out) {
    out.powerPeriodS
        = lengthOf(rangesOf(repetitions)).seconds() / static_cast<double>(repetitions.size());
    out.origin = powerPeriodText(out)
        + ", and neither a mark nor a launch configuration says that steps were trained";
}

// Takes the iterations of the whole run from its power, where that shows any.
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

Result<RunIterations> findIterations(const RunStudy& study) {
    RunIterations out;
    const auto mark = [&study](std::vector<Iteration>& iterations) {
        if (study.run.kind != RunKind::Predicted) // those of a replayed step all count
            markWarmup(iterations);
    };
    ASSIGN_OR_RETURN(auto annotated, annotatedIterations(study.store, study.run.id));
    if (!annotated.byRank.empty()) {
        out.basis = IterationBasis::Recorded;
        out.origin = annotated.origin;
        out.byRank = std::move(annotated.byRank);
        out.iterations = ofTheRun(out.byRank, study.run.kind);
        for (auto& [rank, iterations] : out.byRank)
            mark(iterations);
    }
    if (recordedShare(out, study.run) < kLeastRecorded) {
        ASSIGN_OR_RETURN(auto found, powerIterations(study));
        ASSIGN_OR_RETURN(const bool areSteps,
            found.iterations.empty() || !out.byRank.empty() ? Result<bool>(true) : hadSteps(study));
        if (areSteps)
            takeFromPower(std::move(found), out);
        else
            takeAsPeriod(found.iterations, out);
    }
    mark(out.iterations);
    addFrequency(out);
    return out;
}

} // namespace

std::vector<TimeRange> rangesOf(const std::vector<Iteration>& iterations) {
    return vectorOf(iterations, &Iteration::range);
}

std::string powerPeriodText(const RunIterations& run) {
    return run.powerPeriodS ? "power repeats every " + text::seconds(*run.powerPeriodS)
                            : std::string();
}

std::vector<Iteration> RunIterations::everyOne() const {
    std::vector<Iteration> all = iterations;
    for (const auto& [rank, own] : byRank) {
        if (rank >= 0) // a negative one is the whole run: above, or not taken
            all.insert(all.end(), own.begin(), own.end());
    }
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
    const double limit = kWarmupFactor * static_cast<double>(upperMedian(std::move(later)));
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

Result<RunIterations> iterationsOf(const RunStudy& study) {
    return study.once(findIterations);
}

} // namespace trainscope::analysis
