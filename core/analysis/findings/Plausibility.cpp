#include "core/analysis/findings/Plausibility.h"

#include "core/analysis/StudyPass.h"
#include "core/analysis/statistics/Accumulators.h"
#include "core/analysis/statistics/Distribution.h"
#include "core/analysis/statistics/SampleWalk.h"
#include "core/analysis/statistics/SeriesSelection.h"
#include "core/analysis/statistics/TimeRanges.h"
#include "core/analysis/traces/DeviceWalk.h"
#include "core/analysis/traces/SpanMerge.h"

#include <numeric>
#include <set>

namespace trainscope::analysis {

namespace {

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
    const TimeRange both = shared(counter.range, power.range);
    std::optional<double> last;
    std::optional<TimeNs> first;
    std::optional<TimeNs> end;
    RETURN_IF_ERROR(store.forEachSample(counter.id, both, [&](auto times, auto values) {
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
        Distribution watts;
        RETURN_IF_ERROR(
            store.forEachSample(power->second.id, kAllTime, [&](auto /*times*/, auto values) {
                for (const double value : values) {
                    if (!std::isnan(value))
                        watts.add(value, 1);
                }
                return true;
            }));
        const auto median = watts.median();
        if (!median || *median <= kMostOfGpuW)
            continue;
        const int count = found ? found->gpus + 1 : 1;
        if (!found || *median > found->medianW)
            found = {rank, count, *median};
        found->gpus = count;
    }
    return found;
}

TimeRange rangeOf(const Span& span) {
    return {span.start, span.start + span.duration};
}

// The streams of a run, by rank.
class RunStreams {
public:
    RunStreams(const RunStudy& study, const std::vector<Track>& tracks)
        : m_study(study) {
        for (const Track& track : tracks) {
            if (track.description.kind != TrackKind::Stream)
                continue;
            m_ofRank[track.description.rank].push_back(m_streams.size());
            m_streams.push_back(track);
        }
    }

    // Shows both scans the kernels of all streams, which are read on the pool of workers.
    Status scan(OverrunScan& overruns, EmptyStepScan& emptySteps) const {
        std::vector<std::size_t> numbers(m_streams.size());
        std::iota(numbers.begin(), numbers.end(), std::size_t{0});
        using Scans = std::pair<OverrunScan, EmptyStepScan>;
        const auto read = [&](const store::Store& store, std::size_t number,
                              const Progress& progress) -> Result<Scans> {
            Scans scans{{}, EmptyStepScan(emptySteps.steps())};
            bool isStopped = false;
            const auto take = [&](std::span<const Span> spans) {
                for (const Span& span : spans) {
                    if (span.kind != SpanKind::Kernel)
                        continue;
                    scans.first.add({number, rangeOf(span)});
                    scans.second.add(span.start);
                }
                isStopped = progress && !progress({"Reading kernels", 0, 0});
                return !isStopped;
            };
            RETURN_IF_ERROR(store.forEachSpan(m_streams[number].id, kAllTime, take));
            return isStopped ? Result<Scans>(cancelled()) : std::move(scans);
        };
        const auto add = [&](std::size_t, const Scans& scans) {
            overruns.add(scans.first);
            emptySteps.add(scans.second);
            return Status();
        };
        return forEachPart(m_study, "Reading kernels", numbers, read, add);
    }

    // take(kernel): of a rank, in order of their begin.
    template <typename Take>
    Status forEachOf(int rank, Take&& take) const {
        const auto& streams = m_ofRank.at(rank);
        SpanMerge merge;
        for (const std::size_t stream : streams)
            merge.add(SpanCursor(m_study.store, m_streams[stream].id, kAllTime));
        return merge.forEach(
            [&](std::size_t place, const Span& span) {
                if (span.kind == SpanKind::Kernel)
                    take(StreamKernel{streams[place], rangeOf(span)});
                return Status();
            },
            "Reading kernels", m_study.progress);
    }
    [[nodiscard]] int rankOf(std::size_t stream) const {
        return m_streams[stream].description.rank;
    }
    [[nodiscard]] const auto& byRank() const { return m_ofRank; }
    // Empty where it has none.
    [[nodiscard]] Result<std::string> nameOf(const StreamKernel& kernel) const {
        NameId name;
        const TimeRange begin{kernel.range.begin, kernel.range.begin + DurationNs{1}};
        RETURN_IF_ERROR(m_study.store.forEachSpan(
            m_streams[kernel.stream].id, begin, [&](std::span<const Span> spans) {
                for (const Span& span : spans) {
                    if (span.kind == SpanKind::Kernel && rangeOf(span) == kernel.range)
                        name = span.name;
                }
                return true;
            }));
        return name.isValid() ? m_study.store.name(name) : Result<std::string>(std::string());
    }

private:
    const RunStudy& m_study;
    std::vector<Track> m_streams;
    std::map<int, std::vector<std::size_t>> m_ofRank; // streams of each
};

// The union over streams on which each kernel ends where the next begins, from kernels in order of
// their begin.
class ClippedUnion {
public:
    void add(const StreamKernel& kernel) {
        if (kernel.range.isEmpty())
            return;
        coverUntil(kernel.range.begin);
        const auto [own, isFirst] = m_ends.try_emplace(kernel.stream, kernel.range.end);
        if (!isFirst) {
            m_open.erase(m_open.find(own->second));
            own->second = kernel.range.end;
        }
        m_open.insert(kernel.range.end);
        m_window = spanned(m_window, {kernel.range.begin, kernel.range.begin});
    }
    void finish() { coverUntil(kAllTime.end); }
    [[nodiscard]] double busyS() const { return m_busy.seconds(); }
    [[nodiscard]] double windowS() const { return m_window.length().seconds(); }

private:
    void coverUntil(TimeNs now) {
        const TimeRange covered{m_now, m_open.empty() ? m_now : std::min(now, *m_open.rbegin())};
        m_now = now;
        if (covered.isEmpty())
            return;
        m_busy = m_busy + covered.length();
        m_window.end = std::max(m_window.end, covered.end);
    }

    std::map<std::size_t, TimeNs> m_ends; // end of each stream's last kernel
    std::multiset<TimeNs> m_open; // the same
    TimeNs m_now = kAllTime.begin;
    TimeRange m_window = kNoTime;
    DurationNs m_busy;
};

Result<std::optional<OverrunKernels>> overrunOf(
    const RunStreams& streams, const std::optional<KernelOverruns>& overruns) {
    if (!overruns)
        return std::optional<OverrunKernels>();
    OverrunKernels found;
    static_cast<KernelOverruns&>(found) = *overruns;
    found.rank = streams.rankOf(found.longest.stream);
    ClippedUnion clipped;
    RETURN_IF_ERROR(
        streams.forEachOf(found.rank, [&](const StreamKernel& kernel) { clipped.add(kernel); }));
    clipped.finish();
    found.clippedWindowS = clipped.windowS();
    found.clippedBusyS = clipped.busyS();
    ASSIGN_OR_RETURN(found.name, streams.nameOf(found.longest));
    return std::optional(std::move(found));
}

// Iterations whose time the trace covers: inside a capture, else between its first and last span.
Result<std::vector<TimeRange>> tracedSteps(
    const RunStudy& study, const std::vector<Track>& tracks, const RunIterations& iterations) {
    TimeRange traced = kNoTime;
    for (const Track& track : tracks) {
        if (track.count > 0 && track.description.rank >= 0)
            traced = spanned(traced, track.range);
    }
    ASSIGN_OR_RETURN(const auto captures, study.store.captures(study.run.id));
    std::vector<TimeRange> covered;
    for (const Capture& capture : captures)
        covered.push_back(capture.range);
    if (covered.empty())
        covered.push_back(traced);
    std::vector<TimeRange> steps;
    for (const Iteration& iteration : iterations.iterations) {
        const bool isTraced = std::ranges::any_of(covered, [&iteration](const TimeRange& range) {
            return range.begin <= iteration.range.begin && iteration.range.end <= range.end;
        });
        if (isTraced && !iteration.range.isEmpty())
            steps.push_back(iteration.range);
    }
    return steps;
}

// The part of steps in which kernels run, from kernels in order of their begin. Steps are in order
// and apart.
class BusySteps {
public:
    explicit BusySteps(const std::vector<TimeRange>& steps)
        : m_steps(steps) { }

    void add(TimeRange kernel) {
        kernel.begin = std::max(kernel.begin, m_until);
        if (kernel.isEmpty())
            return;
        m_until = kernel.end;
        while (m_first < m_steps.size() && m_steps[m_first].end <= kernel.begin)
            ++m_first;
        for (std::size_t i = m_first; i < m_steps.size() && m_steps[i].begin < kernel.end; ++i)
            m_busy = m_busy + shared(kernel, m_steps[i]).length();
    }
    [[nodiscard]] double seconds() const { return m_busy.seconds(); }

private:
    const std::vector<TimeRange>& m_steps;
    std::size_t m_first = 0;
    TimeNs m_until = kAllTime.begin;
    DurationNs m_busy;
};

// True for a kernel that began before one of those steps and runs over all of it.
bool runsOver(const TimeRange& kernel, const std::vector<TimeRange>& steps) {
    const auto next = std::ranges::upper_bound(steps, kernel.begin, {}, &TimeRange::begin);
    return next != steps.end() && kernel.end >= next->end;
}

Result<std::optional<EmptySteps>> emptyStepsOf(
    const RunStreams& streams, const EmptyStepScan& scan) {
    const std::vector<bool> areEmpty = scan.found();
    if (areEmpty.empty())
        return std::optional<EmptySteps>();
    const std::vector<TimeRange>& steps = scan.steps();
    std::vector<TimeRange> emptySteps;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (areEmpty[i])
            emptySteps.push_back(steps[i]);
    }
    EmptySteps found;
    found.steps = std::ssize(steps);
    found.empty = std::ranges::count(areEmpty, true);
    found.first = emptySteps.front();
    for (const auto& [rank, ofRank] : streams.byRank()) {
        BusySteps all(steps);
        BusySteps others(steps);
        RETURN_IF_ERROR(streams.forEachOf(rank, [&](const StreamKernel& kernel) {
            const bool isOver = runsOver(kernel.range, emptySteps);
            found.over += isOver ? 1 : 0;
            all.add(kernel.range);
            if (!isOver)
                others.add(kernel.range);
        }));
        found.stepsS += lengthOf(steps).seconds();
        found.busyS += all.seconds();
        found.busyWithoutS += others.seconds();
    }
    return std::optional(found);
}

} // namespace

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
    ASSIGN_OR_RETURN(const auto tracks, study.store.tracks(study.run.id));
    const RunStreams streams(study, tracks);
    ASSIGN_OR_RETURN(auto steps, tracedSteps(study, tracks, iterations));
    OverrunScan overruns;
    EmptyStepScan emptySteps(std::move(steps));
    RETURN_IF_ERROR(streams.scan(overruns, emptySteps));
    ASSIGN_OR_RETURN(found.kernels, overrunOf(streams, overruns.found()));
    ASSIGN_OR_RETURN(found.steps, emptyStepsOf(streams, emptySteps));
    ASSIGN_OR_RETURN(found.early, earlyWork(study));
    return found;
}

} // namespace trainscope::analysis
