// Memory snapshots of PyTorch (SnapshotReader.h), one per process, as sources: bytes allocated and
// reserved by each device over time, and a record of what lived at the peak and of each request
// that could not be served (core/analysis/machine/AllocatorMemory.h). Clock: the host's, unix
// microseconds; before torch 2.2 events have no times and stand in their order.

#include "importers/common/Formats.h"

#include "core/model/Try.h"
#include "core/text/Numbers.h"
#include "importers/common/RunFolders.h"
#include "importers/memorysnapshot/AllocatorHistory.h"
#include "importers/memorysnapshot/SnapshotReader.h"
#include "importers/trace/IterationNames.h"
#include "importers/trace/RunGrouping.h"
#include "importers/trace/TraceOutput.h"

#include <fmt/format.h>

#include <iterator>

namespace trainscope::importers::memorysnapshot {

namespace {

constexpr Confidence kSureOfSnapshot = 95;
constexpr std::int64_t kNsPerUs = 1000;
constexpr DurationNs kUsualPeriod{1'000'000}; // between events without times

TimeNs timeOf(std::int64_t us) {
    return {us * kNsPerUs}; // it fits, as the reader sees to
}

Confidence sniff(std::string_view head, std::string_view /*path*/) {
    return isSnapshot(head) ? kSureOfSnapshot : 0;
}

struct Probe {
    std::optional<TimeRange> extent; // over all that was read
    bool hasEvents = false;
    std::set<std::int64_t> devices; // with segments
    std::string problem;
};

// All of it, or up to its first event.
Probe probe(const SourceTree& tree, const std::string& path, bool all) {
    Probe found;
    StackTable stacks;
    const Error enough{ErrorCode::Cancelled, {}, {}};
    SnapshotVisitor visitor;
    visitor.event = [&](const AllocatorEvent& event) -> Status {
        found.hasEvents = true;
        if (event.timeUs) {
            const TimeNs time = timeOf(*event.timeUs);
            found.extent = found.extent
                ? TimeRange{std::min(found.extent->begin, time), std::max(found.extent->end, time)}
                : TimeRange{time, time};
        }
        return all ? Status() : enough;
    };
    visitor.segment = [&](AllocatorSegment&& segment) -> Status {
        found.devices.insert(segment.device);
        return {};
    };
    visitor.annotation = [](const SnapshotAnnotation&) { return Status(); };
    const auto facts = readSnapshot(tree, path, stacks, visitor, {});
    if (!facts.hasValue() && facts.error().code != ErrorCode::Cancelled)
        found.problem = facts.error().message;
    return found;
}

std::vector<ImportUnit> plan(const SourceTree& tree, const std::vector<SourceFile>& mine) {
    std::vector<TraceFile> files;
    std::map<std::string, bool> isTimed;
    for (const SourceFile& file : mine) {
        const Probe found = probe(tree, file.path, false);
        TraceFacts facts;
        facts.kind = "memory snapshot";
        facts.ranks
            = std::max(static_cast<int>(std::min(found.devices.size(), std::size_t{64})), 1);
        facts.problem = found.problem;
        if (found.extent) {
            facts.firstNs = found.extent->begin.ns;
            facts.start = found.extent->begin;
        }
        isTimed[file.path] = found.extent.has_value();
        if (!found.extent && found.problem.empty())
            facts.notes.emplace_back(found.hasEvents
                    ? "Its events have no times: they stand in their order, a millisecond apart, "
                      "from the start that you say."
                    : "It has no history, only the state when it was taken, without a time: say "
                      "when that was.");
        files.push_back(traceFileOf(file, std::move(facts)));
    }
    auto units = groupIntoRuns(tree, RunFolders(tree), std::move(files),
        [&tree](const TraceFile& file) { return probe(tree, file.file.path, true).extent; });
    for (ImportUnit& unit : units) {
        if (isTimed[unit.path])
            continue;
        unit.clock = ClockKind::None;
        unit.hasNoStamps = true;
    }
    return units;
}

// Samples of a device, handed on in blocks.
class DeviceSeries {
public:
    DeviceSeries(Sink& sink, RunId run, int rank)
        : m_sink(sink)
        , m_run(run)
        , m_rank(rank) { }

    Status add(TimeNs time, std::int64_t allocated, std::int64_t reserved) {
        m_times.push_back(time);
        m_allocated.push_back(static_cast<double>(allocated));
        m_reserved.push_back(static_cast<double>(reserved));
        m_unallocated.push_back(static_cast<double>(clampedDifference(reserved, allocated)));
        constexpr std::size_t kBlock = 16'384;
        return m_times.size() < kBlock ? Status() : flush();
    }

    [[nodiscard]] std::int64_t count() const { return m_count; }

    Status flush() {
        if (m_times.empty())
            return {};
        m_count += static_cast<std::int64_t>(m_ids.size() * m_times.size());
        RETURN_IF_ERROR(write(m_ids[0], metric::kTorchAllocated, m_allocated));
        RETURN_IF_ERROR(write(m_ids[1], metric::kTorchReserved, m_reserved));
        RETURN_IF_ERROR(write(m_ids[2], metric::kTorchUnallocated, m_unallocated));
        m_times.clear();
        return {};
    }

private:
    Status write(SeriesId& id, const char* name, std::vector<double>& values) {
        if (!id.isValid()) {
            SeriesDescription description;
            description.metric = *findMetric(name);
            description.subject.rank = m_rank;
            ASSIGN_OR_RETURN(id, m_sink.series(m_run, description));
        }
        RETURN_IF_ERROR(m_sink.samples(id, m_times, values));
        values.clear();
        return {};
    }

    Sink& m_sink;
    RunId m_run;
    int m_rank;
    std::int64_t m_count = 0;
    std::array<SeriesId, 3> m_ids;
    std::vector<TimeNs> m_times;
    std::vector<double> m_allocated;
    std::vector<double> m_reserved;
    std::vector<double> m_unallocated;
};

class SnapshotImport {
public:
    SnapshotImport(const SourceTree& tree, const ImportUnit& unit, Sink& sink)
        : m_tree(tree)
        , m_unit(unit)
        , m_sink(sink)
        , m_output(sink, unit.rank.value_or(0)) { }

    Result<ImportReport> run(const Progress& progress) {
        RETURN_IF_ERROR(scan(progress));
        ASSIGN_OR_RETURN(m_run, m_sink.run(describe()));
        for (auto& [device, history] : m_histories) {
            const int rank = rankOf(device);
            Gpu gpu;
            gpu.rank = rank;
            gpu.node = rank / kUsualGpus;
            gpu.local = rank % kUsualGpus;
            RETURN_IF_ERROR(m_sink.gpu(m_run, gpu));
            m_series.emplace(device, DeviceSeries(m_sink, m_run, rank));
        }
        RETURN_IF_ERROR(replay(progress));
        RETURN_IF_ERROR(writeAnnotations());
        for (auto& [device, series] : m_series)
            RETURN_IF_ERROR(series.flush());
        finishReport();
        return std::move(m_report);
    }

private:
    static constexpr int kUsualGpus = 8; // on a node

    // Devices of one process are ranks one behind the other.
    [[nodiscard]] int rankOf(std::int64_t device) const {
        const auto place = std::distance(m_histories.begin(), m_histories.find(device));
        return m_unit.rank.value_or(0) + static_cast<int>(place);
    }

    Status scan(const Progress& progress) {
        std::map<TraceId, AllocatorHistory> byTrace;
        std::map<std::int64_t, std::vector<AllocatorSegment>> segments;
        SnapshotVisitor visitor;
        visitor.event = [&](const AllocatorEvent& event) -> Status {
            byTrace.try_emplace(event.trace, m_stacks).first->second.scan(event);
            return {};
        };
        visitor.segment = [&](AllocatorSegment&& segment) -> Status {
            constexpr std::size_t kMostDevices = 1024;
            if (segments.size() < kMostDevices || segments.contains(segment.device))
                segments[segment.device].push_back(std::move(segment));
            return {};
        };
        visitor.annotation = [&](const SnapshotAnnotation& one) {
            annotate(one);
            return Status();
        };
        ASSIGN_OR_RETURN(m_facts, readSnapshot(m_tree, m_unit.path, m_stacks, visitor, progress));
        for (auto& [trace, history] : byTrace) {
            const std::int64_t device = deviceOf(trace, segments);
            m_deviceOf.emplace(trace, device);
            m_histories.try_emplace(device, std::move(history));
        }
        for (auto& [device, all] : segments) {
            AllocatorHistory& history = m_histories.try_emplace(device, m_stacks).first->second;
            for (AllocatorSegment& segment : all)
                history.take(std::move(segment));
        }
        for (auto& [device, history] : m_histories) {
            history.rewind();
            m_hasTimes = m_hasTimes || history.hasTimes();
        }
        return {};
    }

    // A file that was cut does not say which device a history is of.
    [[nodiscard]] std::int64_t deviceOf(TraceId trace,
        const std::map<std::int64_t, std::vector<AllocatorSegment>>& segments) const {
        const auto found = std::find(m_facts.traces.begin(), m_facts.traces.end(), trace);
        const auto place = std::distance(m_facts.traces.begin(), found);
        if (!m_facts.problem.empty() && place < static_cast<std::ptrdiff_t>(segments.size()))
            return std::next(segments.begin(), place)->first;
        return place;
    }

    [[nodiscard]] Run describe() const {
        Run run;
        run.name = m_unit.runName;
        run.worldSize = m_unit.worldSize;
        if (!m_facts.problem.empty())
            run.status = RunStatus::Partial;
        for (const auto& [device, history] : m_histories) {
            if (history.record().endedSo)
                run.status = RunStatus::Oom;
        }
        return run;
    }

    [[nodiscard]] TimeNs timeOfEvent(const AllocatorEvent& event, std::int64_t index) const {
        if (event.timeUs)
            return timeOf(*event.timeUs);
        constexpr std::int64_t kMostPeriod = std::int64_t{3600} * 1'000'000'000;
        const std::int64_t period
            = std::clamp(m_unit.saidPeriod.value_or(kUsualPeriod).ns, std::int64_t{1}, kMostPeriod);
        std::int64_t since = 0;
        if (__builtin_mul_overflow(period, index, &since))
            since = std::numeric_limits<std::int64_t>::max();
        return m_unit.saidStart.value_or(TimeNs{0}) + DurationNs{since};
    }

    Status replay(const Progress& progress) {
        std::map<std::int64_t, std::int64_t> counts; // events by device
        SnapshotVisitor visitor;
        visitor.event = [&](const AllocatorEvent& event) -> Status {
            const auto device = m_deviceOf.find(event.trace);
            if (device == m_deviceOf.end())
                return {};
            AllocatorHistory& history = m_histories.at(device->second);
            DeviceSeries& series = m_series.at(device->second);
            const std::int64_t index = counts[device->second]++;
            const TimeNs time = timeOfEvent(event, index);
            if (index == 0)
                RETURN_IF_ERROR(series.add(time, history.allocated(), history.reserved()));
            const bool hasChanged
                = history.replay(event, event.timeUs ? std::optional(time) : std::nullopt);
            const bool isLast = index + 1 == history.eventCount();
            return hasChanged || isLast ? series.add(time, history.allocated(), history.reserved())
                                        : Status();
        };
        visitor.segment = [](AllocatorSegment&&) { return Status(); };
        visitor.annotation = [](const SnapshotAnnotation&) { return Status(); };
        if (!m_deviceOf.empty()) {
            const auto again = readSnapshot(m_tree, m_unit.path, m_stacks, visitor, progress);
            if (!again.hasValue())
                return again.error();
        }
        for (auto& [device, history] : m_histories) {
            if (history.eventCount() > 0)
                continue;
            history.finish(std::nullopt);
            RETURN_IF_ERROR(m_series.at(device).add(
                m_unit.saidStart.value_or(TimeNs{0}), history.allocated(), history.reserved()));
        }
        return {};
    }

    void annotate(const SnapshotAnnotation& one) {
        constexpr std::size_t kMostAnnotations = 500'000;
        constexpr std::size_t kMostOpen = 256;
        if (m_open.size() >= kMostOpen && !m_open.contains(one.device))
            return;
        auto& open = m_open[one.device];
        if (one.isStart) {
            if (open.size() < kMostOpen)
                open.emplace_back(one.name, one.timeUs);
            return;
        }
        const auto begun = std::find_if(open.rbegin(), open.rend(),
            [&one](const auto& other) { return other.first == one.name; });
        if (begun == open.rend())
            return;
        const TimeNs start = timeOf(begun->second);
        const TimeNs end = std::max(start, timeOf(one.timeUs));
        if (m_annotations.size() < kMostAnnotations)
            m_annotations.push_back({one.device, begun->first, {start, end}});
        open.erase(std::next(begun).base());
    }

    Status writeAnnotations() {
        IterationMarks marks;
        for (const auto& one : m_annotations) {
            const int rank
                = m_histories.contains(one.device) ? rankOf(one.device) : m_unit.rank.value_or(0);
            if (const auto name = iterationNameOf(one.name))
                marks.add(rank, *name, one.range);
            const std::size_t track = m_output.track({TrackKind::Other, -1, "memory snapshot",
                fmt::format("annotations, device {}", one.device)});
            Span span;
            span.start = one.range.begin;
            span.duration = one.range.length();
            span.kind = SpanKind::Annotation;
            ASSIGN_OR_RETURN(span.name, m_sink.intern(one.name));
            m_output.add(track, span);
        }
        for (const MarkedIteration& mark : marks.take())
            RETURN_IF_ERROR(m_sink.iteration(m_run, {mark.index, mark.range, mark.rank, false}));
        return m_output.flush(m_run, {});
    }

    void finishReport() {
        m_report.importer = "memory-snapshot 1";
        m_report.bytes = m_facts.bytes;
        m_report.skipped = m_facts.broken;
        m_report.spans = m_output.spanCount();
        for (const auto& [device, series] : m_series)
            m_report.samples += series.count();
        std::vector<analysis::AllocatorRecord> records;
        for (const auto& [device, history] : m_histories) {
            records.push_back(history.record());
            records.back().rank = rankOf(device);
            records.back().device = static_cast<int>(std::clamp<std::int64_t>(device, 0, 1 << 20));
            records.back().settings = m_facts.settings;
            m_report.rows += history.eventCount();
            m_report.ranksFound.push_back(rankOf(device));
            m_report.counts["allocations"] += history.allocations();
            m_report.counts["out of memory"] += history.record().outOfMemoryCount;
            if (history.isTooLarge())
                m_report.lost(m_unit.path, 0,
                    "more is allocated at a time than is told apart: a part of it is missing in "
                    "what lives at the peak");
        }
        m_report.facts[std::string(analysis::kAllocatorFact)] = analysis::allocatorText(records);
        if (!m_facts.settings.empty())
            m_report.facts["PYTORCH_CUDA_ALLOC_CONF"] = m_facts.settings;
        m_report.facts["clock"] = m_hasTimes ? "UTC, the host's unix microseconds"
                                             : "none: events stand in their order";
        if (m_report.rows == 0)
            m_report.warn(m_unit.path, 0,
                "the history of the allocator was not recorded: known is what lives at the dump, "
                "not the peak nor who allocated it");
        if (m_facts.broken > 0)
            m_report.lost(m_unit.path, 0,
                text::counted(m_facts.broken, "event or block", "events and blocks")
                    + " without a size left out");
        if (!m_facts.problem.empty())
            m_report.lost(m_unit.path, 0, m_facts.problem);
    }

    struct Annotated {
        std::int64_t device = 0;
        std::string name;
        TimeRange range;
    };

    const SourceTree& m_tree;
    const ImportUnit& m_unit;
    Sink& m_sink;
    TraceOutput m_output;
    StackTable m_stacks;
    SnapshotFacts m_facts;
    ImportReport m_report;
    RunId m_run;
    bool m_hasTimes = false;
    std::map<TraceId, std::int64_t> m_deviceOf;
    std::map<std::int64_t, AllocatorHistory> m_histories; // by device
    std::map<std::int64_t, DeviceSeries> m_series;
    std::map<std::int64_t, std::vector<std::pair<std::string, std::int64_t>>> m_open;
    std::vector<Annotated> m_annotations;
};

} // namespace

constinit const Importer kImporter{
    {.id = "memory-snapshot",
        .name = "PyTorch memory snapshot",
        .description = "memory snapshots of PyTorch's allocator, .pickle, one per process",
        .joins = Joins::RunBeside,
        .launch = LaunchSettings::Beside,
        .oneFile = "memory snapshot",
        .manyFiles = "memory snapshots",
        .readsBytes = true},
    sniff, plan, importBy<SnapshotImport>};

} // namespace trainscope::importers::memorysnapshot
