#include "core/analysis/schedule/StageTraces.h"

#include "core/analysis/iterations/AnnotatedIterations.h"
#include "core/analysis/machine/ProcessGroups.h"
#include "core/analysis/machine/RunLayout.h"
#include "core/analysis/statistics/TimeRanges.h"
#include "core/analysis/traces/DevicePass.h"
#include "core/analysis/traces/DeviceWalk.h"
#include "core/analysis/traces/Phase.h"
#include "core/analysis/traces/RankClocks.h"
#include "core/analysis/traces/TraceWindow.h"
#include "core/layout/ProcessGroup.h"

#include <fmt/format.h>

namespace trainscope::analysis {

namespace {

Error missing(std::string message, const Run& run) {
    return {ErrorCode::NotFound, std::move(message), run.name};
}

DurationNs overlapOf(const TimeRange& a, const TimeRange& b) {
    return std::max(shared(a, b).length(), DurationNs{});
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
        const auto traced = std::ranges::count_if(group, isTraced);
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
    if (std::ranges::none_of(speakers.stages, [](const auto& stage) { return stage.has_value(); }))
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
    return clock == nullptr ? range : clock->onReference(range);
}

std::string_view evidenceText(const MarkEvidence& evidence) {
    const std::array<std::pair<std::int64_t, std::string_view>, 4> all{
        {{evidence.launches, "annotations around the launches"},
            {evidence.streamAnnotations, "annotations of the streams"},
            {evidence.hostAnnotations, "annotations of the host threads"},
            {evidence.names, "the kernels' names"}}};
    const auto most = std::ranges::max_element(all);
    return most->first > 0 ? most->second : std::string_view();
}

using layout::TaskKind;

// Details with running numbers differ from call to call.
constexpr std::size_t kMostRoles = 65'536;

std::optional<TaskKind> kindOf(Mark mark) {
    return mark == Mark::Forward ? std::optional(TaskKind::Forward)
        : mark == Mark::Backward ? std::optional(TaskKind::Backward)
                                 : std::nullopt;
}

// The passes of micro-batches over one device, cut out of its kernels: a visitor of a device's
// walk. A pass begins where an annotation that tells forward or backward begins anew, where such
// annotations or the kernels' names turn from forward to backward or back, and where between two
// kernels a transfer of the pipeline (SendRecv) begins or ends. It lasts from its first kernel's
// start to its last one's end, and is a weights' gradient alone where its annotation says so;
// collectives of tensor, context and expert groups belong to it,
// reductions of gradients and the optimizer to none. Memory grows with the passes, and with their
// kernels as many as are to be kept.
class PassCutter : public DeviceVisitor {
public:
    // Cuts kernels that start in the window; the detail of no more than that many is kept.
    PassCutter(const store::Store& store, TimeRange window, std::size_t mostKept)
        : m_store(store)
        , m_window(window)
        , m_mostKept(mostKept) { }

    Status work(const DeviceWork& work) override {
        if (work.kernel == nullptr || !m_window.contains(work.span.start))
            return {};
        const TimeRange range{work.span.start, work.span.start + work.span.duration};
        if (work.isPipelineTransfer) {
            addTransfer(range);
            return {};
        }
        if (work.telling.mark == Mark::Optimizer) {
            finish(false);
            m_isOver = true;
            return {};
        }
        if (work.kernel->isCommunication) {
            ASSIGN_OR_RETURN(const auto role, roleOf(work.span.detail));
            if (role == Role::BetweenPasses)
                finish(false);
            if (role != Role::InPass)
                return {};
        }
        if (m_isOver && work.telling.mark == Mark::None)
            return {};
        m_isOver = false;
        RETURN_IF_ERROR(passNamed(work.telling.name));
        addKernel(range, work.telling);
        return {};
    }

    // After the walk; in order of start.
    std::vector<Pass> take(const MarkEvidence& evidence) {
        finish(false);
        const bool tells = evidence.tellsDirections
            || std::ranges::any_of(
                m_passes, [](auto& pass) { return pass.kind == TaskKind::Backward; });
        for (Pass& pass : m_passes) {
            if (!tells || pass.kind)
                continue;
            pass.kind = TaskKind::Forward;
            pass.isAssumed = true;
        }
        return std::move(m_passes);
    }

private:
    enum class Role { InPass, BetweenPasses, Aside };
    // Kernels without a moment between them at which none runs.
    struct Part {
        TimeRange range;
        Telling telling;
        std::int64_t kernels = 0;
        std::vector<PassKernel> detail;
    };

    Result<Role> roleOf(NameId detail) {
        if (!detail.isValid())
            return Role::Aside;
        if (const auto known = m_roles.find(detail); known != m_roles.end())
            return known->second;
        ASSIGN_OR_RETURN(const auto told, collectiveDetail(m_store, detail));
        const auto kind = layout::kindFromName(told.group, told.description);
        using Kind = layout::CommunicatorKind;
        constexpr std::array inPass{Kind::Tensor, Kind::Context, Kind::Expert, Kind::TensorContext,
            Kind::ExpertTensor, Kind::TensorExpert};
        Role role = Role::Aside;
        if (kind == Kind::Model) // the norm of the gradients waits for all stages
            role = Role::BetweenPasses;
        else if (kind && std::ranges::find(inPass, *kind) != inPass.end())
            role = Role::InPass;
        if (m_roles.size() >= kMostRoles)
            m_roles.clear();
        m_roles.emplace(detail, role);
        return role;
    }

    Result<std::optional<PassName>> passNamed(NameId name) {
        if (const auto known = m_names.find(name); known != m_names.end())
            return known->second;
        std::optional<PassName> named;
        if (name.isValid()) {
            ASSIGN_OR_RETURN(const auto text, m_store.name(name));
            named = passNameOf(text);
        }
        m_names.emplace(name, named);
        return named;
    }

    void addTransfer(TimeRange range) {
        m_transfers.push_back(range);
        // One that begins together with the kernel after a gap may be told after it.
        if (!m_tail || m_tail->range.begin != range.begin)
            return;
        if (!m_pass) {
            m_nextAfterTransfer = true;
            return;
        }
        const Telling& tail = m_tail->telling;
        if (tail.since && m_pass->telling.since == tail.since)
            return;
        const Part next = *m_tail;
        m_tail.reset();
        finish(true);
        m_tail = next;
    }

    void addKernel(TimeRange range, const Telling& telling) {
        Part part{range, telling, 1, {}};
        keepDetail(part);
        if (m_tail) {
            const TimeNs busyUntil
                = m_pass ? std::max(m_pass->range.end, m_tail->range.end) : m_tail->range.end;
            const bool isGap = range.begin >= busyUntil;
            const bool isAtTransfer = isGap && takeTransfers(busyUntil, range.begin);
            if (isOther(telling) || (isAtTransfer && !isSame(telling))) {
                finish(isAtTransfer);
            } else if (isGap) {
                if (m_pass)
                    join(*m_pass, *m_tail);
                else
                    m_pass = m_tail;
                m_tail.reset();
            }
        }
        if (m_tail)
            join(*m_tail, part);
        else
            m_tail = part;
    }

    [[nodiscard]] bool isOther(const Telling& telling) const {
        for (const std::optional<Part>* part : {&m_pass, &m_tail}) {
            if (!*part || (*part)->telling.mark == Mark::None || telling.mark == Mark::None)
                continue;
            const Telling& own = (*part)->telling;
            return own.mark != telling.mark
                || (own.since && telling.since && *own.since != *telling.since);
        }
        return false;
    }

    [[nodiscard]] bool isSame(const Telling& telling) const {
        return telling.since
            && ((m_pass && m_pass->telling.since == telling.since)
                || (m_tail && m_tail->telling.since == telling.since));
    }

    // True where a transfer begins or ends in a gap between kernels.
    bool takeTransfers(TimeNs from, TimeNs to) {
        const auto isIn = [&](TimeNs t) { return from <= t && t <= to; };
        const bool touches = std::ranges::any_of(m_transfers,
            [&](const TimeRange& transfer) { return isIn(transfer.begin) || isIn(transfer.end); });
        std::erase_if(m_transfers, [&](const TimeRange& transfer) { return transfer.end < to; });
        return touches;
    }

    void finish(bool byTransfer) {
        if (m_pass && m_tail)
            join(*m_pass, *m_tail);
        const auto& whole = m_pass ? m_pass : m_tail;
        if (whole)
            m_passes.push_back(passOf(*whole));
        m_pass.reset();
        m_tail.reset();
        m_nextAfterTransfer = byTransfer;
    }

    [[nodiscard]] Pass passOf(const Part& part) const {
        Pass pass{part.range, kindOf(part.telling.mark), part.kernels,
            part.telling.since.has_value(), m_nextAfterTransfer, part.detail};
        const auto named = m_names.find(part.telling.name);
        if (named == m_names.end() || !named->second)
            return pass;
        pass.kind = named->second->kind;
        pass.microbatch = named->second->microbatch;
        pass.chunk = named->second->chunk;
        pass.piece = named->second->piece;
        return pass;
    }

    static void join(Part& part, const Part& next) {
        part.range = spanned(part.range, next.range);
        part.kernels += next.kernels;
        part.detail.insert(part.detail.end(), next.detail.begin(), next.detail.end());
        if (part.telling.mark == Mark::None)
            part.telling.mark = next.telling.mark;
        if (!part.telling.since) {
            part.telling.since = next.telling.since;
            part.telling.name = next.telling.name;
        }
    }

    void keepDetail(Part& part) {
        if (m_kept >= m_mostKept)
            return;
        part.detail.push_back({part.range, kindOf(part.telling.mark)});
        ++m_kept;
    }

    const store::Store& m_store;
    TimeRange m_window;
    std::unordered_map<NameId, Role> m_roles; // by detail
    std::unordered_map<NameId, std::optional<PassName>> m_names; // by annotation
    std::vector<TimeRange> m_transfers; // transfers that may touch the next gap
    std::optional<Part> m_pass; // up to the last moment without kernels
    std::optional<Part> m_tail; // since then; there is one while a pass is open
    bool m_isOver = false; // the optimizer is at work: what is not marked belongs to it
    bool m_nextAfterTransfer = false;
    std::size_t m_mostKept;
    std::size_t m_kept = 0;
    std::vector<Pass> m_passes;
};

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
        if (std::ranges::all_of(passes, [](const Pass& pass) { return !pass.kind; }))
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
