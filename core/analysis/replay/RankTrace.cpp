#include "core/analysis/replay/RankTrace.h"

#include "core/analysis/traces/SpanMerge.h"
#include "core/model/RecordedEdge.h"
#include "core/model/Try.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

namespace trainscope::analysis {

namespace {

struct CallName {
    CallKind kind = CallKind::Other;
    bool isOfAutograd = false;
};

// The calls of a rank's threads, in order of their begin.
class CallReader {
public:
    CallReader(const store::Store& store, const RankPart& part, RankTrace& trace)
        : m_store(store)
        , m_part(part)
        , m_trace(trace) { }

    Status read(const Progress& progress) {
        SpanMerge merge;
        for (const Track& track : m_part.devices.front().threads) {
            merge.add(SpanCursor(m_store, track.id, m_part.window));
            m_trace.threads.push_back({track});
        }
        m_threads.resize(m_trace.threads.size());
        return merge.forEach(
            [&](std::size_t thread, const Span& span) { return take(thread, span); },
            "Reading calls", progress);
    }

    // Of each correlation, the call that has it, by correlation and begin.
    struct Link {
        std::int64_t correlation;
        TimeNs begin;
        std::uint32_t call;
        auto operator<=>(const Link&) const = default;
    };
    std::vector<Link> links;

private:
    struct Open {
        TimeNs end;
        NameId name;
    };
    struct Thread {
        std::vector<Open> operators; // outermost first
        TimeNs callsEnd = kAllTime.begin;
        std::uint32_t last = kNone32; // call
    };

    Status take(std::size_t thread, const Span& span) {
        switch (span.kind) {
        case SpanKind::Annotation:
            m_trace.threads[thread].isMarked
                |= std::ranges::binary_search(m_part.marks, span.start);
            return {};
        case SpanKind::CpuOp:
            return open(thread, span);
        case SpanKind::Runtime:
            return span.start < m_part.window.begin ? Status() : add(thread, span);
        default:
            return {};
        }
    }

    Status open(std::size_t thread, const Span& span) {
        ASSIGN_OR_RETURN(const CallName known, nameOf(span.name));
        m_trace.threads[thread].isAutograd |= known.isOfAutograd;
        closeBefore(thread, span.start);
        m_threads[thread].operators.push_back({span.start + span.duration, span.name});
        return {};
    }

    void closeBefore(std::size_t thread, TimeNs now) {
        auto& open = m_threads[thread].operators;
        while (!open.empty() && open.back().end <= now)
            open.pop_back();
    }

    // A call within another is that one's.
    Status add(std::size_t thread, const Span& span) {
        ASSIGN_OR_RETURN(const CallName known, nameOf(span.name));
        if (known.kind == CallKind::Other && span.correlation == 0)
            return {};
        Thread& own = m_threads[thread];
        if (own.last == kNone32 || span.start >= own.callsEnd) {
            closeBefore(thread, span.start);
            own.last = static_cast<std::uint32_t>(m_trace.calls.size());
            own.callsEnd = span.start + span.duration;
            m_trace.calls.push_back({span.start, own.callsEnd, span.correlation, span.name,
                own.operators.empty() ? NameId{} : own.operators.back().name,
                static_cast<std::uint32_t>(thread), known.kind});
        }
        if (span.correlation != 0)
            links.push_back({span.correlation, span.start, own.last});
        return {};
    }

    Result<CallName> nameOf(NameId id) {
        const auto known = m_names.find(id);
        if (known != m_names.end())
            return known->second;
        ASSIGN_OR_RETURN(const auto name, m_store.name(id));
        return m_names.emplace(id, CallName{callKindOf(name), name.starts_with("autograd::engine")})
            .first->second;
    }

    const store::Store& m_store;
    const RankPart& m_part;
    RankTrace& m_trace;
    std::vector<Thread> m_threads;
    std::unordered_map<NameId, CallName> m_names;
};

bool isCopyToHost(const std::string& name) {
    return name.find("DtoH") != std::string::npos || name.find("DeviceToHost") != std::string::npos;
}

// The work of a device that begins in the window.
class WorkReader : public DeviceVisitor {
public:
    WorkReader(const store::Store& store, TimeRange window, RankTrace& trace,
        const std::vector<CallReader::Link>& links)
        : m_store(store)
        , m_names(store, KernelCategories::builtIn())
        , m_window(window)
        , m_trace(trace)
        , m_links(links)
        , m_firstStream(static_cast<std::uint32_t>(trace.streams.size())) { }

    Status work(const DeviceWork& work) override {
        const Span& span = work.span;
        if (!m_window.contains(span.start))
            return {};
        TracedWork made{.begin = span.start, .end = span.start + span.duration, .name = span.name};
        made.stream = m_firstStream + static_cast<std::uint32_t>(work.stream);
        made.call = callOf(span);
        made.phase = phaseOf(work.telling.mark).value_or(Phase::Idle);
        ASSIGN_OR_RETURN(made.microBatch, microBatchOf(work.telling.name));
        RETURN_IF_ERROR(describe(work, made));
        m_trace.works.push_back(made);
        return {};
    }

private:
    Status describe(const DeviceWork& work, TracedWork& made) {
        if (work.kernel == nullptr) {
            made.kind = OperationKind::Copy;
            made.phase = Phase::Copy;
            made.category = numberOf(m_copy);
            ASSIGN_OR_RETURN(const KernelNames::Kernel* name, m_names.kernel(made.name));
            made.isToHost = isCopyToHost(name->name);
            return {};
        }
        ASSIGN_OR_RETURN(const std::string* category, m_names.category(*work.kernel, work.span));
        made.category = numberOf(*category);
        if (!work.kernel->isCommunication)
            return {};
        made.kind = work.isPipelineTransfer ? OperationKind::Message : OperationKind::Collective;
        made.phase = Phase::CommunicationExposed;
        return {};
    }

    // The call with that correlation that began last before it.
    [[nodiscard]] std::uint32_t callOf(const Span& span) const {
        if (span.correlation == 0)
            return kNone32;
        const CallReader::Link wanted{span.correlation, span.start, kNone32};
        const auto behind = std::ranges::upper_bound(m_links, wanted);
        if (behind == m_links.begin() || std::prev(behind)->correlation != span.correlation)
            return kNone32;
        return std::prev(behind)->call;
    }

    std::uint16_t numberOf(const std::string& category) {
        auto& all = m_trace.categories;
        const auto found = std::ranges::find(all, category);
        if (found != all.end())
            return static_cast<std::uint16_t>(found - all.begin());
        all.push_back(category);
        return static_cast<std::uint16_t>(all.size() - 1);
    }

    Result<std::int16_t> microBatchOf(NameId annotation) {
        if (!annotation.isValid())
            return std::int16_t{-1};
        const auto known = m_microBatches.find(annotation);
        if (known != m_microBatches.end())
            return known->second;
        ASSIGN_OR_RETURN(const auto name, m_store.name(annotation));
        const auto pass = passNameOf(name);
        return m_microBatches
            .emplace(
                annotation, static_cast<std::int16_t>(pass ? pass->microbatch.value_or(-1) : -1))
            .first->second;
    }

    const store::Store& m_store;
    KernelNames m_names;
    TimeRange m_window;
    RankTrace& m_trace;
    const std::vector<CallReader::Link>& m_links;
    std::uint32_t m_firstStream;
    const std::string m_copy = "copy";
    std::unordered_map<NameId, std::int16_t> m_microBatches;
};

class RankReader {
public:
    RankReader(const store::Store& store, const RankPart& part, const Progress& progress)
        : m_store(store)
        , m_part(part)
        , m_progress(progress)
        , m_calls(store, part, m_trace) { }

    Result<RankTrace> read() {
        m_trace.rank = m_part.devices.front().rank;
        RETURN_IF_ERROR(m_calls.read(m_progress));
        std::ranges::sort(m_calls.links);
        for (const DeviceTracks& device : m_part.devices)
            RETURN_IF_ERROR(readWork(device));
        if (m_part.devices.size() > 1)
            std::ranges::stable_sort(m_trace.works, {}, &TracedWork::begin);
        for (const Track& track : m_part.records)
            RETURN_IF_ERROR(readRecords(track));
        std::ranges::stable_sort(m_trace.records, {}, &TracedRecord::correlation);
        keepTellingCalls();
        return std::move(m_trace);
    }

private:
    Status readWork(const DeviceTracks& device) {
        WorkReader reader(m_store, m_part.window, m_trace, m_calls.links);
        std::ranges::copy(device.streams, std::back_inserter(m_trace.streams));
        const std::size_t first = m_trace.works.size();
        const std::array<DeviceVisitor*, 1> visitors{&reader};
        const TimeNs hostFrom = m_part.window.begin - m_part.window.length();
        ASSIGN_OR_RETURN(const MarkEvidence evidence,
            walkDevice(m_store, device, m_part.window, visitors, m_progress, hostFrom));
        for (TracedWork& work : std::span(m_trace.works).subspan(first)) {
            if (work.phase == Phase::Idle)
                work.phase = evidence.unmarked();
        }
        return {};
    }

    Status readRecords(const Track& track) {
        Status status;
        RETURN_IF_ERROR(
            m_store.forEachSpan(track.id, m_part.window, [&](std::span<const Span> spans) {
                for (const Span& span : spans) {
                    if (span.kind == SpanKind::Sync && status.hasValue())
                        status = addRecord(track, span);
                }
                return status.hasValue();
            }));
        return status;
    }

    Status addRecord(const Track& track, const Span& span) {
        ASSIGN_OR_RETURN(const auto name, m_store.name(span.name));
        const auto kind = recordKindOf(name);
        if (!kind)
            return {};
        ASSIGN_OR_RETURN(
            const auto detail, span.detail.isValid() ? m_store.name(span.detail) : std::string());
        const RecordedEdge edge = recordedEdgeOf(detail);
        TimeRange when{span.start, span.start + span.duration};
        if (edge.isBackward)
            std::swap(when.begin, when.end);
        const TrackDescription& own = track.description;
        m_trace.records.push_back({*kind, span.correlation, edge.record.value_or(-1),
            streamOf(own.device, own.thread), streamOf(own.device, edge.from), when});
        return {};
    }

    static std::optional<RecordKind> recordKindOf(std::string_view name) {
        constexpr std::array<std::pair<std::string_view, RecordKind>, 5> names{
            {{"Stream Wait Event", RecordKind::StreamWait}, {"Event Sync", RecordKind::EventSync},
                {"Stream Sync", RecordKind::StreamSync}, {"Context Sync", RecordKind::DeviceSync},
                {kGraphEdge, RecordKind::GraphEdge}}};
        const auto found
            = std::ranges::find(names, name, &std::pair<std::string_view, RecordKind>::first);
        return found == names.end() ? std::nullopt : std::optional(found->second);
    }

    [[nodiscard]] std::uint32_t streamOf(int device, const std::string& stream) const {
        const auto& all = m_trace.streams;
        const auto found = std::ranges::find_if(all, [&](const Track& track) {
            return track.description.device == device && track.description.thread == stream;
        });
        return found == all.end() ? kNone32 : static_cast<std::uint32_t>(found - all.begin());
    }

    // Without the calls of other kinds that launched nothing.
    void keepTellingCalls() {
        std::vector<std::uint32_t> places(m_trace.calls.size(), 0);
        for (const TracedWork& work : m_trace.works) {
            if (work.call != kNone32)
                places[work.call] = 1;
        }
        std::uint32_t kept = 0;
        for (std::size_t i = 0; i < places.size(); ++i) {
            const bool isKept = places[i] != 0 || m_trace.calls[i].kind != CallKind::Other;
            places[i] = isKept ? kept : kNone32;
            if (isKept)
                m_trace.calls[kept++] = m_trace.calls[i];
        }
        m_trace.calls.resize(kept);
        for (TracedWork& work : m_trace.works)
            work.call = work.call == kNone32 ? kNone32 : places[work.call];
    }

    const store::Store& m_store;
    const RankPart& m_part;
    const Progress& m_progress;
    RankTrace m_trace;
    CallReader m_calls;
};

} // namespace

Result<RankTrace> readRankTrace(
    const store::Store& store, const RankPart& part, const Progress& progress) {
    return RankReader(store, part, progress).read();
}

} // namespace trainscope::analysis
