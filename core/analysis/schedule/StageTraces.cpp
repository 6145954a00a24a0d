#include "core/analysis/schedule/StageTraces.h"

#include "core/analysis/iterations/AnnotatedIterations.h"
#include "core/analysis/machine/RunLayout.h"
#include "core/analysis/statistics/TimeRanges.h"
#include "core/analysis/traces/DevicePass.h"
#include "core/analysis/traces/RankClocks.h"
#include "core/analysis/traces/TraceWindow.h"
#include "core/model/Try.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace trainscope::analysis {

namespace {

Error missing(std::string message, const Run& run) {
    return {ErrorCode::NotFound, std::move(message), run.name};
}

DurationNs overlapOf(const TimeRange& a, const TimeRange& b) {
    const TimeRange common = shared(a, b);
    return common.isEmpty() ? DurationNs{} : common.length();
}

constexpr std::size_t kMostKernelsKept = std::size_t{1} << 21U; // kernels of all stages

// The devices that speak for the stages, and what the layout says.
struct Speakers {
    layout::Layout layout;
    std::string wording;
    std::vector<std::optional<DeviceTracks>> stages;
    std::vector<Iteration> iterations;
};

// By rank, the device that was busy longest.
Result<std::map<int, DeviceTracks>> devicesOf(const RunStudy& study) {
    ASSIGN_OR_RETURN(auto all, tracedDevices(study));
    std::map<int, DeviceTracks> devices;
    for (DeviceTracks& device : all) {
        const auto found = devices.find(device.rank);
        if (found == devices.end() || found->second.extent.length() < device.extent.length())
            devices[device.rank] = std::move(device);
    }
    return devices;
}

// The ranks of the first pipeline group that has most of them traced; stages that it lacks are
// taken from the lowest rank of the stage that was traced.
std::vector<std::optional<DeviceTracks>> speakersOf(
    const layout::RankGrid& grid, const std::map<int, DeviceTracks>& devices) {
    const auto stages = static_cast<std::size_t>(grid.degrees().pipeline);
    std::vector<std::optional<DeviceTracks>> speakers(stages);
    const auto isTraced = [&](int rank) { return devices.contains(rank); };
    std::vector<int> best;
    std::ptrdiff_t most = 0;
    for (auto& group : grid.groups(layout::CommunicatorKind::Pipeline)) {
        const auto traced = std::count_if(group.begin(), group.end(), isTraced);
        if (traced > most) {
            most = traced;
            best = group;
        }
    }
    for (const int rank : best) {
        if (isTraced(rank))
            speakers[static_cast<std::size_t>(grid.position(rank).pipeline)] = devices.at(rank);
    }
    for (const auto& [rank, device] : devices) {
        if (rank < 0 || rank >= grid.worldSize())
            continue;
        auto& speaker = speakers[static_cast<std::size_t>(grid.position(rank).pipeline)];
        if (!speaker)
            speaker = device;
    }
    return speakers;
}

Result<Speakers> findSpeakers(const RunStudy& study) {
    ASSIGN_OR_RETURN(const auto told, runLayout(study));
    ASSIGN_OR_RETURN(const auto layout, layout::makeLayout(told.request));
    if (layout.grid.degrees().pipeline < 2)
        return missing("This run has no pipeline: all its layers are one stage.", study.run);
    ASSIGN_OR_RETURN(const auto devices, devicesOf(study));
    Speakers speakers{layout, told.wording, speakersOf(layout.grid, devices), {}};
    if (std::none_of(speakers.stages.begin(), speakers.stages.end(),
            [](const auto& stage) { return stage.has_value(); }))
        return missing("No rank of this run's pipeline was traced: only the planned schedule can "
                       "be shown.",
            study.run);
    ASSIGN_OR_RETURN(const auto annotated, annotatedIterations(study.store, study.run.id));
    for (const auto& [rank, iterations] : annotated.byRank) {
        for (Iteration one : iterations) {
            one.rank = rank;
            speakers.iterations.push_back(one);
        }
    }
    return speakers;
}

// Time of each iteration that the speakers' traces show, together.
std::map<std::int64_t, DurationNs> tracedParts(const Speakers& speakers) {
    std::map<std::int64_t, DurationNs> parts;
    for (const auto& stage : speakers.stages) {
        if (!stage)
            continue;
        for (const Iteration& one : iterationsOfRank(speakers.iterations, stage->rank)) {
            const DurationNs overlap = overlapOf(one.range, stage->extent);
            if (overlap.ns > 0)
                parts[one.index] = parts[one.index] + overlap;
        }
    }
    return parts;
}

// The middle one of those that are traced as well as any.
std::optional<std::int64_t> bestIteration(const std::map<std::int64_t, DurationNs>& parts) {
    constexpr double kNearly = 0.95;
    DurationNs most;
    for (const auto& [index, part] : parts)
        most = std::max(most, part);
    std::vector<std::int64_t> good;
    for (const auto& [index, part] : parts) {
        if (part.seconds() >= kNearly * most.seconds())
            good.push_back(index);
    }
    return good.empty() ? std::nullopt : std::optional(good[good.size() / 2]);
}

std::optional<TimeRange> rangeOf(const Speakers& speakers, int rank, std::int64_t iteration) {
    for (const Iteration& one : iterationsOfRank(speakers.iterations, rank)) {
        if (one.index == iteration)
            return one.range;
    }
    return std::nullopt;
}

// Kernels may run on for a moment after the host has ended the iteration, and begin late.
TracedIteration iterationOf(const Speakers& speakers, std::int64_t index) {
    constexpr double kNearlyAll = 0.98;
    TracedIteration result{index, {}, true};
    std::int64_t shown = 0;
    for (const auto& stage : speakers.stages) {
        const auto range = stage ? rangeOf(speakers, stage->rank, index) : std::nullopt;
        if (!range || overlapOf(*range, stage->extent).ns <= 0)
            continue;
        result.isWhole = result.isWhole
            && overlapOf(*range, stage->extent).seconds() >= kNearlyAll * range->length().seconds();
        result.duration = result.duration + range->length();
        ++shown;
    }
    result.duration.ns /= std::max<std::int64_t>(1, shown);
    return result;
}

TimeRange onReference(const TimeRange& range, const RankClock* clock) {
    return clock == nullptr
        ? range
        : TimeRange{clock->onReference(range.begin), clock->onReference(range.end)};
}

std::string_view evidenceText(const MarkEvidence& evidence) {
    const std::array<std::pair<std::int64_t, std::string_view>, 4> all{
        {{evidence.launches, "annotations around the launches"},
            {evidence.streamAnnotations, "annotations of the streams"},
            {evidence.hostAnnotations, "annotations of the host threads"},
            {evidence.names, "the kernels' names"}}};
    const auto most = std::max_element(all.begin(), all.end());
    return most->first > 0 ? most->second : std::string_view();
}

class StageReader {
public:
    StageReader(const RunStudy& study, Speakers speakers)
        : m_study(study)
        , m_speakers(std::move(speakers)) { }

    Result<StageTraces> read(std::optional<std::int64_t> wanted) {
        StageTraces traces{m_speakers.layout, {}, wanted, {}, m_speakers.wording, {}};
        const auto parts = tracedParts(m_speakers);
        if (wanted && !parts.contains(*wanted))
            return missing(iterationsText(*wanted, parts), m_study.run);
        if (!wanted)
            traces.iteration = bestIteration(parts);
        ASSIGN_OR_RETURN(const auto clocks, alignRanks(m_study));
        for (const auto& speaker : m_speakers.stages) {
            ASSIGN_OR_RETURN(auto stage,
                speaker ? readStage(*speaker, traces.iteration, clocks)
                        : Result<StageTrace>(StageTrace{}));
            traces.stages.push_back(std::move(stage));
        }
        traces.evidence = evidenceText(m_evidence);
        takeNotes(clocks, traces);
        return traces;
    }

private:
    static std::string iterationsText(
        std::int64_t wanted, const std::map<std::int64_t, DurationNs>& parts) {
        if (parts.empty())
            return fmt::format("The traces show no iterations, so there is no {}.", wanted);
        return fmt::format("The traces show nothing of iteration {}; they show {} to {}.", wanted,
            parts.begin()->first, parts.rbegin()->first);
    }

    Result<StageTrace> readStage(const DeviceTracks& device, std::optional<std::int64_t> iteration,
        const RankClocks& clocks) {
        const auto own
            = iteration ? rangeOf(m_speakers, device.rank, *iteration) : std::optional(kAllTime);
        StageTrace stage;
        if (!own)
            return stage;
        PassCutter cutter(m_study.store, *own, kMostKernelsKept / m_speakers.stages.size());
        ASSIGN_OR_RETURN(const auto evidence,
            DeviceReading{m_study.store, device, m_study.progress}.walk(*own, cutter));
        const RankClock* clock = clocks.find(device.rank);
        stage.rank = device.rank;
        stage.covered = onReference(shared(*own, device.extent), clock);
        stage.passes = cutter.take(evidence);
        takeEvidence(evidence, stage.passes);
        for (Pass& pass : stage.passes) {
            pass.range = onReference(pass.range, clock);
            for (PassKernel& kernel : pass.detail)
                kernel.range = onReference(kernel.range, clock);
        }
        return stage;
    }

    // Counts the evidence of marked passes: an optimizer is always known by its name.
    void takeEvidence(const MarkEvidence& evidence, const std::vector<Pass>& passes) {
        if (std::all_of(passes.begin(), passes.end(), [](const Pass& pass) { return !pass.kind; }))
            return;
        m_evidence.launches += evidence.launches;
        m_evidence.streamAnnotations += evidence.streamAnnotations;
        m_evidence.hostAnnotations += evidence.hostAnnotations;
        m_evidence.names += evidence.names;
    }

    void takeNotes(const RankClocks& clocks, StageTraces& traces) const {
        std::string untraced;
        std::string unaligned;
        for (std::size_t stage = 0; stage < traces.stages.size(); ++stage) {
            const int rank = traces.stages[stage].rank;
            if (rank < 0)
                untraced += fmt::format("{}{}", untraced.empty() ? "" : ", ", stage);
            else if (clocks.find(rank) == nullptr)
                unaligned += fmt::format("{}{}", unaligned.empty() ? "" : ", ", rank);
        }
        if (!untraced.empty())
            traces.notes.push_back("No rank of these stages was traced: " + untraced + ".");
        if (!unaligned.empty())
            traces.notes.push_back("The clocks of these ranks could not be put on the others', and "
                                   "are taken as they are: "
                + unaligned + ".");
    }

    const RunStudy& m_study;
    Speakers m_speakers;
    MarkEvidence m_evidence;
};

} // namespace

Result<StageTraces> readStageTraces(const RunStudy& study, std::optional<std::int64_t> iteration) {
    ASSIGN_OR_RETURN(auto speakers, findSpeakers(study));
    return StageReader(study, std::move(speakers)).read(iteration);
}

Result<std::vector<TracedIteration>> tracedIterations(const RunStudy& study) {
    const auto speakers = findSpeakers(study);
    std::vector<TracedIteration> result;
    if (!speakers.hasValue()) {
        const auto code = speakers.error().code;
        if (code == ErrorCode::NotFound || code == ErrorCode::Usage)
            return result;
        return speakers.error();
    }
    for (const auto& [index, part] : tracedParts(speakers.value()))
        result.push_back(iterationOf(speakers.value(), index));
    return result;
}

} // namespace trainscope::analysis
