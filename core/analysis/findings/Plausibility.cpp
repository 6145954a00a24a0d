#include "core/analysis/findings/Plausibility.h"

#include "core/analysis/statistics/Accumulators.h"
#include "core/analysis/statistics/SampleWalk.h"
#include "core/analysis/statistics/SeriesSelection.h"
#include "core/analysis/statistics/TimeRanges.h"
#include "core/model/Metric.h"
#include "core/model/Try.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <utility>

namespace trainscope::analysis {

namespace {

constexpr std::size_t kMostKernels = 2'000'000;

double secondsOf(std::int64_t ns) {
    return static_cast<double>(ns) * 1e-9;
}

Result<PowerSpikes> spikesOf(const store::Store& store, const Series& power, double limit) {
    PowerSpikes spikes;
    spikes.rank = power.description.subject.rank;
    spikes.limitW = limit;
    EnergyIntegral all;
    EnergyIntegral others;
    TimeWeighted heldOthers;
    RETURN_IF_ERROR(store.forEachSample(power.id, kAllTime, [&](auto times, auto values) {
        all.add(times, values);
        for (std::size_t i = 0; i < times.size(); ++i) {
            if (std::isnan(values[i]))
                continue;
            if (values[i] <= kMostOverLimit * limit) {
                others.add(times.subspan(i, 1), values.subspan(i, 1));
                heldOthers.add(times.subspan(i, 1), values.subspan(i, 1));
                continue;
            }
            ++spikes.samples;
            if (values[i] > spikes.highestW)
                spikes.at = times[i];
            spikes.highestW = std::max(spikes.highestW, values[i]);
        }
        return true;
    }));
    spikes.joules = all.joules();
    spikes.joulesWithout = others.joules();
    spikes.meanWithoutW = heldOthers.mean().value_or(0.0);
    return spikes;
}

// Reads the power again only of GPUs that have a spike.
Result<std::optional<PowerSpikes>> powerSpikes(
    const RunStudy& study, const std::vector<AboveLimit>& limits) {
    std::optional<PowerSpikes> worst;
    std::int64_t samples = 0;
    std::map<int, GpuSeries> gpus;
    for (const AboveLimit& gpu : limits) {
        if (!(gpu.limitW > 0.0) || gpu.highestW <= kMostOverLimit * gpu.limitW)
            continue;
        if (gpus.empty()) {
            ASSIGN_OR_RETURN(const auto series, study.store.series(study.run.id));
            gpus = gpuSeriesByRank(series);
        }
        const auto power = gpus[gpu.rank].find(metric::kGpuPower);
        if (power == gpus[gpu.rank].end())
            continue;
        ASSIGN_OR_RETURN(const auto spikes, spikesOf(study.store, power->second, gpu.limitW));
        samples += spikes.samples;
        if (!worst || spikes.highestW > worst->highestW)
            worst = spikes;
    }
    if (worst)
        worst->samples = samples;
    return worst;
}

// The joules of a counter and of the power beside it, over the time that both cover.
Result<ContradictingEnergy> energyOf(
    const store::Store& store, const Series& counter, const Series& power) {
    ContradictingEnergy found;
    found.rank = power.description.subject.rank;
    const TimeRange shared{std::max(counter.range.begin, power.range.begin),
        std::min(counter.range.end, power.range.end)};
    std::optional<double> last;
    std::optional<TimeNs> first;
    std::optional<TimeNs> end;
    RETURN_IF_ERROR(store.forEachSample(counter.id, shared, [&](auto times, auto values) {
        for (std::size_t i = 0; i < times.size(); ++i) {
            if (std::isnan(values[i]))
                continue;
            if (last && values[i] > *last)
                found.countedJ += values[i] - *last;
            last = values[i];
            first = first.value_or(times[i]);
            end = times[i];
        }
        return true;
    }));
    if (!first || *first == *end)
        return found;
    found.where = {*first, *end};
    ASSIGN_OR_RETURN(
        const auto integral, SampleWalk(store, power.id, *first, {kAllTime.end.ns}).to(*end));
    found.integralJ = integral.line.integral();
    return found;
}

double timesApart(const ContradictingEnergy& energy) {
    const double less = std::min(energy.countedJ, energy.integralJ);
    const double more = std::max(energy.countedJ, energy.integralJ);
    return less > 0.0 ? more / less : more > 0.0 ? 1e9 : 1.0;
}

Result<std::optional<ContradictingEnergy>> contradictingEnergy(
    const store::Store& store, const std::map<int, GpuSeries>& gpus) {
    constexpr std::int64_t kFewestReadings = 4;
    std::optional<ContradictingEnergy> worst;
    for (const auto& [rank, series] : gpus) {
        const auto counter = series.find(metric::kGpuEnergy);
        const auto power = series.find(metric::kGpuPower);
        if (counter == series.end() || power == series.end()
            || counter->second.count < kFewestReadings || power->second.count < kFewestReadings)
            continue;
        ASSIGN_OR_RETURN(const auto energy, energyOf(store, counter->second, power->second));
        if (!energy.where.isEmpty() && timesApart(energy) > kContradictingEnergy
            && (!worst || timesApart(energy) > timesApart(*worst)))
            worst = energy;
    }
    return worst;
}

Result<std::optional<PowerOfOtherUnit>> powerOfOtherUnit(
    const store::Store& store, const std::map<int, GpuSeries>& gpus) {
    std::optional<PowerOfOtherUnit> found;
    for (const auto& [rank, series] : gpus) {
        const auto power = series.find(metric::kGpuPower);
        if (power == series.end() || power->second.max <= kMostOfGpuW)
            continue;
        std::vector<double> watts;
        RETURN_IF_ERROR(
            store.forEachSample(power->second.id, kAllTime, [&](auto times, auto values) {
                for (std::size_t i = 0; i < times.size(); ++i) {
                    if (!std::isnan(values[i]))
                        watts.push_back(values[i]);
                }
                return watts.size() < kMostKernels;
            }));
        if (watts.empty())
            continue;
        const auto middle = watts.begin() + static_cast<std::ptrdiff_t>(watts.size() / 2);
        std::nth_element(watts.begin(), middle, watts.end());
        if (*middle <= kMostOfGpuW)
            continue;
        const int count = found ? found->gpus + 1 : 1;
        if (!found || *middle > found->medianW)
            found = {rank, count, *middle};
        found->gpus = count;
    }
    return found;
}

// The kernels of all streams, each stream in order, with what is told of them.
class RunKernels {
public:
    Status read(const RunStudy& study) {
        ASSIGN_OR_RETURN(const auto tracks, study.store.tracks(study.run.id));
        for (const Track& track : tracks) {
            if (track.description.kind != TrackKind::Stream)
                continue;
            if (study.progress && !study.progress({"Reading kernels", 0, 0}))
                return cancelled();
            RETURN_IF_ERROR(readTrack(study.store, track));
        }
        return {};
    }
    [[nodiscard]] const std::vector<StreamKernel>& all() const { return m_kernels; }
    [[nodiscard]] int rankOf(std::size_t kernel) const { return m_ranks[m_kernels[kernel].stream]; }
    [[nodiscard]] NameId nameOf(std::size_t kernel) const { return m_names[kernel]; }

private:
    Status readTrack(const store::Store& store, const Track& track) {
        const std::size_t stream = m_ranks.size();
        m_ranks.push_back(track.description.rank);
        return store.forEachSpan(track.id, kAllTime, [&](std::span<const Span> spans) {
            for (const Span& span : spans) {
                if (span.kind != SpanKind::Kernel || m_kernels.size() >= kMostKernels)
                    continue;
                m_kernels.push_back({stream, {span.start, span.start + span.duration}});
                m_names.push_back(span.name);
            }
            return m_kernels.size() < kMostKernels;
        });
    }

    std::vector<StreamKernel> m_kernels;
    std::vector<NameId> m_names; // of each
    std::vector<int> m_ranks; // of each stream
};

std::int64_t unionOf(std::vector<TimeRange> ranges) {
    std::sort(ranges.begin(), ranges.end(),
        [](const TimeRange& a, const TimeRange& b) { return a.begin < b.begin; });
    std::int64_t sum = 0;
    TimeRange open{};
    for (const TimeRange& range : ranges) {
        if (range.begin > open.end || open.isEmpty()) {
            sum += open.length().ns;
            open = range;
        } else {
            open.end = std::max(open.end, range.end);
        }
    }
    return sum + open.length().ns;
}

std::optional<OverrunKernels> overrunOf(const RunKernels& kernels, const store::Store& store) {
    const auto overruns = kernelOverruns(kernels.all());
    if (!overruns)
        return std::nullopt;
    OverrunKernels found;
    found.behind = overruns->behind;
    found.writtenS = overruns->writtenS;
    found.clippedS = overruns->clippedS;
    found.rank = kernels.rankOf(overruns->longest);
    found.where = kernels.all()[overruns->longest].range;
    std::vector<TimeRange> clipped;
    for (std::size_t i = 0; i < kernels.all().size(); ++i) {
        if (kernels.rankOf(i) == found.rank)
            clipped.push_back({kernels.all()[i].range.begin, overruns->ends[i]});
    }
    TimeRange window = clipped.front();
    for (const TimeRange& range : clipped)
        window = {std::min(window.begin, range.begin), std::max(window.end, range.end)};
    found.clippedWindowS = secondsOf(window.length().ns);
    found.clippedBusyS = secondsOf(unionOf(std::move(clipped)));
    if (const auto name = store.name(kernels.nameOf(overruns->longest)); name.hasValue())
        found.longest = name.value();
    return found;
}

// Iterations whose time the trace covers: inside a capture, else between its first and last span.
Result<std::vector<TimeRange>> tracedSteps(const RunStudy& study, const RunIterations& iterations) {
    ASSIGN_OR_RETURN(const auto tracks, study.store.tracks(study.run.id));
    std::optional<TimeRange> traced;
    for (const Track& track : tracks) {
        if (track.count == 0 || track.description.rank < 0)
            continue;
        const TimeRange now = traced.value_or(track.range);
        traced
            = TimeRange{std::min(now.begin, track.range.begin), std::max(now.end, track.range.end)};
    }
    ASSIGN_OR_RETURN(const auto captures, study.store.captures(study.run.id));
    std::vector<TimeRange> covered;
    for (const Capture& capture : captures)
        covered.push_back(capture.range);
    if (covered.empty() && traced)
        covered.push_back(*traced);
    std::vector<TimeRange> steps;
    for (const Iteration& iteration : iterations.iterations) {
        const bool isTraced
            = std::any_of(covered.begin(), covered.end(), [&iteration](const TimeRange& range) {
                  return range.begin <= iteration.range.begin && iteration.range.end <= range.end;
              });
        if (isTraced && !iteration.range.isEmpty())
            steps.push_back(iteration.range);
    }
    return steps;
}

std::optional<EmptySteps> emptyStepsOf(
    const RunKernels& kernels, const std::vector<TimeRange>& steps) {
    const auto areEmpty = emptySteps(kernels.all(), steps);
    if (areEmpty.empty())
        return std::nullopt;
    EmptySteps found;
    found.steps = std::ssize(steps);
    found.empty = std::count(areEmpty.begin(), areEmpty.end(), true);
    const TimeRange window{steps.front().begin, steps.back().end};
    const auto first = std::find(areEmpty.begin(), areEmpty.end(), true) - areEmpty.begin();
    found.first = steps[static_cast<std::size_t>(first)];
    DurationNs shortest = steps.front().length();
    for (const TimeRange& step : steps) {
        found.stepsS += secondsOf(step.length().ns);
        shortest = std::min(shortest, step.length());
    }
    const auto runsOver = [&](const TimeRange& kernel) {
        for (std::size_t i = 0; i < steps.size() && kernel.length() >= shortest; ++i) {
            if (areEmpty[i] && kernel.begin < steps[i].begin && kernel.end >= steps[i].end)
                return true;
        }
        return false;
    };
    std::vector<TimeRange> all;
    std::vector<TimeRange> others;
    for (const StreamKernel& kernel : kernels.all()) {
        const TimeRange part = shared(kernel.range, window);
        if (part.isEmpty())
            continue;
        const bool isOver = runsOver(kernel.range);
        found.over += isOver ? 1 : 0;
        all.push_back(part);
        if (!isOver)
            others.push_back(part);
    }
    found.busyS = secondsOf(unionOf(std::move(all)));
    found.busyWithoutS = secondsOf(unionOf(std::move(others)));
    return found;
}

std::vector<TimeRange> rangesOf(const std::vector<Iteration>& iterations) {
    std::vector<TimeRange> ranges;
    for (const Iteration& iteration : iterations)
        ranges.push_back(iteration.range);
    return ranges;
}

std::optional<EarlyWork> earlyWorkOf(
    const RunKernels& kernels, const std::vector<Iteration>& iterations) {
    const auto limit = earlyLimitOf(rangesOf(iterations));
    if (!limit)
        return std::nullopt;
    EarlyWork found;
    for (std::size_t i = 0; i < kernels.all().size(); ++i) {
        const TimeRange& range = kernels.all()[i].range;
        if (range.end >= limit->before) {
            TimeRange& rest = found.rest.try_emplace(kernels.rankOf(i), range).first->second;
            rest = {std::min(rest.begin, range.begin), std::max(rest.end, range.end)};
            continue;
        }
        ++found.kernels;
        found.kernelS += secondsOf(range.length().ns);
        if (found.kernels == 1)
            found.where = range;
        found.where
            = {std::min(found.where.begin, range.begin), std::max(found.where.end, range.end)};
    }
    if (found.kernels == 0)
        return std::nullopt;
    found.gapS = secondsOf((limit->first - found.where.end).ns);
    return found;
}

} // namespace

Result<std::optional<EarlyWork>> earlyWork(const RunStudy& study, const RunIterations& iterations) {
    const std::optional<EarlyWork> none;
    const auto limit = earlyLimitOf(rangesOf(iterations.iterations));
    if (!limit)
        return none;
    ASSIGN_OR_RETURN(const auto tracks, study.store.tracks(study.run.id));
    const bool mayBe = std::any_of(tracks.begin(), tracks.end(), [&](const Track& track) {
        return track.description.kind == TrackKind::Stream && track.count > 0
            && track.range.begin < limit->before;
    });
    if (!mayBe)
        return none;
    RunKernels kernels;
    RETURN_IF_ERROR(kernels.read(study));
    auto found = earlyWorkOf(kernels, iterations.iterations);
    if (!found)
        return none;
    for (const Track& track : tracks) {
        const auto rest = found->rest.find(track.description.rank);
        if (track.description.kind == TrackKind::Stream && rest != found->rest.end())
            rest->second.end = std::max(rest->second.end, track.range.end);
    }
    return found;
}

Result<Plausibility> plausibilityOf(
    const RunStudy& study, const std::vector<AboveLimit>& limits, const RunIterations& iterations) {
    Plausibility found;
    ASSIGN_OR_RETURN(const auto series, study.store.series(study.run.id));
    const auto gpus = gpuSeriesByRank(series);
    ASSIGN_OR_RETURN(found.unit, powerOfOtherUnit(study.store, gpus));
    if (!found.unit) { // else that says it all
        ASSIGN_OR_RETURN(found.power, powerSpikes(study, limits));
        ASSIGN_OR_RETURN(found.energy, contradictingEnergy(study.store, gpus));
    }
    RunKernels kernels;
    RETURN_IF_ERROR(kernels.read(study));
    if (kernels.all().empty())
        return found;
    found.kernels = overrunOf(kernels, study.store);
    found.early = earlyWorkOf(kernels, iterations.iterations);
    ASSIGN_OR_RETURN(const auto steps, tracedSteps(study, iterations));
    if (steps.size() > 1)
        found.steps = emptyStepsOf(kernels, steps);
    return found;
}

} // namespace trainscope::analysis
