#include "core/analysis/replay/SavedReplay.h"

#include "core/analysis/replay/StepChange.h"
#include "core/analysis/statistics/TimeRanges.h"
#include "core/analysis/traces/TraceWindow.h"
#include "core/catalogue/GpuModel.h"
#include "core/model/Try.h"
#include "core/store/Writing.h"
#include "core/text/Numbers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace trainscope::analysis {

namespace {

constexpr DurationNs kClockRounding{1'000};

// Moments of a track, as measured on the rank's clock and as simulated: begins and ends of its
// operations, and between them those that lie there. They stay in order.
class TrackWarp {
public:
    void add(const TimeRange& from, const TimeRange& to) {
        for (const auto& one : {std::pair(from.begin, to.begin), std::pair(from.end, to.end)}) {
            const auto last = m_known.empty() ? one : m_known.back();
            m_known.emplace_back(
                std::max(one.first, last.first), std::max(one.second, last.second));
        }
    }
    [[nodiscard]] bool isEmpty() const { return m_known.empty(); }
    [[nodiscard]] TimeRange at(const TimeRange& own) const {
        const TimeNs begin = moment(own.begin, true);
        return {begin, std::max(begin, moment(own.end, false))};
    }

private:
    // As one ends the next may begin: that is the begin of what begins then.
    [[nodiscard]] TimeNs moment(TimeNs own, bool isBegin) const {
        const auto next = std::ranges::partition_point(m_known,
            [&](const auto& known) { return isBegin ? known.first <= own : known.first < own; });
        const auto& [from, to] = *(next == m_known.begin() ? next : std::prev(next));
        if (next == m_known.begin() || next == m_known.end())
            return to + (own - from);
        const double share = (own - from).seconds() / (next->first - from).seconds();
        return to + DurationNs{std::llround(share * static_cast<double>((next->second - to).ns))};
    }

    std::vector<std::pair<TimeNs, TimeNs>> m_known;
};

class ReplayWriter {
public:
    ReplayWriter(const RunStudy& study, const ReplayRequest& request, const StepReplay& replay,
        Sink& sink, ImportReport& report)
        : m_study(study)
        , m_request(request)
        , m_graph(*replay.graph)
        , m_times(*replay.times)
        , m_sink(sink)
        , m_report(report) { }

    Status write(const std::string& name) {
        ASSIGN_OR_RETURN(m_clocks, differingClocks(m_study));
        RETURN_IF_ERROR(writeRun(name));
        RETURN_IF_ERROR(writeIterations());
        for (std::uint32_t i = 0; i < m_graph.operations.size(); ++i)
            m_ofTrack[m_graph.tracks[operation(i).track].id].push_back(i);
        if (!m_graph.isOfOperations && !m_graph.operations.empty())
            m_read = {
                m_graph.begin - kClockRounding, m_graph.operations.back().start + kClockRounding};
        ASSIGN_OR_RETURN(auto tracks, m_study.store.tracks(m_study.run.id));
        // Annotations of a device lie between the work of their stream.
        std::ranges::stable_sort(tracks, {}, [](const Track& track) {
            return track.description.kind == TrackKind::StreamAnnotation;
        });
        std::uint64_t done = 0;
        for (const Track& track : tracks) {
            if (m_study.progress && !m_study.progress({"Writing the step", done++, tracks.size()}))
                return cancelled();
            RETURN_IF_ERROR(writeTrack(track));
        }
        return {};
    }

private:
    struct Name {
        std::string text;
        NameId id; // in the run that is written
    };

    Status writeRun(const std::string& name) {
        Run made = m_study.run;
        made.name = name;
        made.kind = RunKind::Predicted;
        std::string gpu;
        for (const std::string& text : m_request.changes) {
            ASSIGN_OR_RETURN(const auto change, parseChange(text));
            gpu = change.text.starts_with("gpu:") ? change.subject : gpu;
            if (change.text.starts_with("power-limit="))
                made.launch.powerLimitW = static_cast<int>(change.value);
            if (change.text.starts_with("clock="))
                made.launch.lockedClockMhz = static_cast<int>(change.value / 1e6);
            if (change.text.starts_with("recompute="))
                made.launch.recompute = false;
        }
        const catalogue::GpuModel* const other = catalogue::findGpuModel(gpu);
        if (other != nullptr)
            made.gpuModel = other->name;
        ASSIGN_OR_RETURN(m_run, m_sink.run(made));
        ASSIGN_OR_RETURN(const auto gpus, m_study.store.gpus(m_study.run.id));
        for (Gpu one : gpus) {
            m_report.ranksFound.push_back(one.rank);
            if (other != nullptr)
                one = {one.rank, one.node, one.local, other->name, {}};
            RETURN_IF_ERROR(m_sink.gpu(m_run, one));
        }
        m_report.ranksExpected = made.worldSize;
        return {};
    }

    // Iterations of each rank, and of the run as it is simulated.
    Status writeIterations() {
        const auto add = [this](const StepIteration& one, const StepBoundary& begin,
                             const StepBoundary& end, int rank) {
            const TimeRange range{at(momentOf(m_times, begin)), at(momentOf(m_times, end))};
            m_kept = spanned(m_kept, range);
            return m_sink.iteration(m_run, {one.measured.index, range, rank, false});
        };
        for (const StepIteration& one : m_graph.iterations) {
            if (!one.counts)
                continue;
            for (std::size_t i = 0; i < one.begins.size(); ++i)
                RETURN_IF_ERROR(add(one, one.begins[i], one.ends[i], one.begins[i].rank));
            RETURN_IF_ERROR(
                add(one, middleOf(m_times, one.begins), middleOf(m_times, one.ends), -1));
        }
        return {};
    }

    [[nodiscard]] TimeNs at(std::int64_t moment) const {
        return m_graph.begin + DurationNs{moment};
    }

    Status writeTrack(const Track& track) {
        const TrackDescription& description = track.description;
        const std::tuple stream(description.rank, description.device, description.thread);
        const bool isStream = description.kind == TrackKind::Stream;
        const bool isMark = description.kind == TrackKind::StreamAnnotation;
        const auto own = m_ofTrack.find(track.id);
        if (isMark ? !m_streams.contains(stream) : own == m_ofTrack.end())
            return {};
        std::vector<Span> spans;
        const TimeRange window = ownWindow(m_clocks, description.rank, m_read);
        const auto take = [&spans](std::span<const Span> some) {
            spans.insert(spans.end(), some.begin(), some.end());
            return true;
        };
        RETURN_IF_ERROR(m_study.store.forEachSpan(track.id, window, take));
        std::ranges::stable_sort(spans, {}, &Span::start);
        std::vector<std::uint32_t> operations(spans.size(), kNone32);
        TrackWarp warp;
        if (isMark)
            warp = m_streams.at(stream);
        else
            RETURN_IF_ERROR(match(spans, own->second, description.rank, operations, warp));
        if (isStream)
            m_streams[stream] = warp;
        std::vector<Span> kept;
        for (std::size_t i = 0; !warp.isEmpty() && i < spans.size(); ++i) {
            const std::uint32_t operation = operations[i];
            if (isStream && (operation == kNone32 || isGone(operation)))
                continue;
            TimeRange to = isStream ? simulated(operation) : warp.at(rangeOf(spans[i]));
            if (to.end < m_kept.begin || to.begin >= m_kept.end)
                continue;
            to = isStream ? to : shared(to, m_kept);
            Span& made = kept.emplace_back(spans[i]);
            made.start = to.begin;
            made.duration = to.length();
            for (NameId* const id : {&made.name, &made.detail}) {
                if (!id->isValid())
                    continue;
                ASSIGN_OR_RETURN(const Name* const name, nameOf(*id));
                *id = name->id;
            }
            ++m_report.counts[fmt::format("cat:{}", toString(made.kind))];
        }
        if (kept.empty())
            return {};
        ASSIGN_OR_RETURN(const auto written, m_sink.track(m_run, description));
        m_report.spans += std::ssize(kept);
        return m_sink.spans(written, kept);
    }

    // Operations by span: they have its start and name; of a trace of operations, whose starts were
    // settled, they are its spans in their order.
    Status match(const std::vector<Span>& spans, std::vector<std::uint32_t>& own, int rank,
        std::vector<std::uint32_t>& operations, TrackWarp& warp) {
        auto next = own.begin();
        for (std::size_t i = 0; i < spans.size(); ++i) {
            ASSIGN_OR_RETURN(const Name* const name, nameOf(spans[i].name));
            const TimeNs start = m_graph.isOfOperations
                ? kAllTime.end
                : onReference(m_clocks, rank, rangeOf(spans[i])).begin;
            while (next != own.end() && !m_graph.isOfOperations && operation(*next).start < start)
                ++next;
            const auto found = std::find_if(next, own.end(), [&](std::uint32_t k) {
                return operation(k).start > start || m_graph.names[operation(k).name] == name->text;
            });
            if (found == own.end() || operation(*found).start > start)
                continue;
            std::iter_swap(next, found);
            operations[i] = *next++;
            warp.add(rangeOf(spans[i]), simulated(operations[i]));
        }
        return {};
    }

    [[nodiscard]] const StepOperation& operation(std::uint32_t i) const {
        return m_graph.operations[i];
    }
    [[nodiscard]] TimeRange simulated(std::uint32_t operation) const {
        return {at(m_times.start[operation]), at(m_times.end[operation])};
    }
    // Taken away by a change.
    [[nodiscard]] bool isGone(std::uint32_t i) const {
        return operation(i).duration.ns > 0 && m_times.end[i] == m_times.start[i];
    }
    static TimeRange rangeOf(const Span& span) { return {span.start, span.start + span.duration}; }

    Result<const Name*> nameOf(NameId id) {
        const auto [known, isNew] = m_names.try_emplace(id);
        if (isNew) {
            ASSIGN_OR_RETURN(known->second.text, m_study.store.name(id));
            ASSIGN_OR_RETURN(known->second.id, m_sink.intern(known->second.text));
        }
        return &known->second;
    }

    const RunStudy& m_study;
    const ReplayRequest& m_request;
    const StepGraph& m_graph;
    const StepTimes& m_times;
    Sink& m_sink;
    ImportReport& m_report;
    RankClocksPtr m_clocks;
    RunId m_run;
    TimeRange m_read = kAllTime; // as measured
    TimeRange m_kept = kNoTime; // from the first begin of an iteration for a rank to the last end
    std::map<TrackId, std::vector<std::uint32_t>> m_ofTrack; // operations
    std::map<std::tuple<int, int, std::string>, TrackWarp> m_streams; // by rank, device, stream
    std::unordered_map<NameId, Name> m_names; // by those of the store
};

std::string savedSourceOf(const std::string& name) {
    return "replayed: " + name;
}

} // namespace

std::string savedReplayName(const Run& run, const ReplayRequest& request) {
    std::string name = run.name;
    if (!request.capture.empty())
        name += " · " + request.capture;
    if (request.iteration)
        name += fmt::format(" · iteration {}", *request.iteration);
    return request.changes.empty()
        ? name + ", replayed"
        : fmt::format("{}, if {}", name, fmt::join(request.changes, "; "));
}

Status saveReplay(store::Store& store, const RunStudy& study, const ReplayRequest& request,
    const StepReplay& replay, const std::string& name) {
    const auto known = store.findRun(name);
    ASSIGN_OR_RETURN(const auto sources, store.sources());
    for (const store::Source& source : sources) {
        if (known.hasValue() && source.path != savedSourceOf(name)
            && std::ranges::find(source.runs, known.value().id) != source.runs.end())
            return Error{ErrorCode::Refused,
                "There is a run of that name that is no replayed step; choose another name.", name};
    }
    ASSIGN_OR_RETURN(
        auto session, store::beginImport(store, {savedSourceOf(name), 0, "replayed", name}));
    ImportReport report;
    report.importer = "replay 1";
    report.facts["origin"]
        = fmt::format("{}; no number here was measured", savedReplayName(study.run, request));
    report.facts["step"] = replay.changedS
        ? text::withInterval(*replay.changedS, *replay.changedLowS, *replay.changedHighS, "s")
        : text::quantity(replay.replayedS, "s");
    report.facts["step as measured"] = text::quantity(replay.measuredS, "s");
    if (const auto& energy = replay.changedEnergy)
        report.facts["energy of a step"]
            = text::withInterval(energy->joules, energy->low, energy->high, "J");
    RETURN_IF_ERROR(ReplayWriter(study, request, replay, *session, report).write(name));
    RETURN_IF_ERROR(session->finish(report, "replayed", 0, study.progress));
    ASSIGN_OR_RETURN(const auto layout, study.store.enteredLayout(study.run.id));
    ASSIGN_OR_RETURN(const auto saved, store.findRun(name));
    return layout ? store::setEnteredLayout(store, saved.id, layout) : Status();
}

} // namespace trainscope::analysis
