#include "core/analysis/replay/RankTrace.h"

#include "core/analysis/traces/SpanMerge.h"
#include "core/model/SpanFacts.h"

namespace trainscope::analysis {

namespace {

// The first that a call's name contains.
constexpr std::array<std::pair<std::string_view, CallKind>, 11> kCallWords{
    {{"EventRecord", CallKind::Record}, {"StreamWaitEvent", CallKind::StreamWait},
        {"StreamSynchronize", CallKind::StreamSync}, {"EventSynchronize", CallKind::EventSync},
        {"DeviceSynchronize", CallKind::DeviceSync}, {"CtxSynchronize", CallKind::DeviceSync},
        {"FreeAsync", CallKind::Other}, {"FreeHost", CallKind::Other},
        {"HostFree", CallKind::Other}, {"Memcpy", CallKind::BlockingCopy},
        {"Free", CallKind::DeviceSync}}};
constexpr std::array<std::pair<std::string_view, RecordKind>, 5> kRecordNames{
    {{"Stream Wait Event", RecordKind::StreamWait}, {"Event Sync", RecordKind::EventSync},
        {"Stream Sync", RecordKind::StreamSync}, {"Context Sync", RecordKind::DeviceSync},
        {kGraphEdge, RecordKind::GraphEdge}}};

// Operators and annotations that call nothing meanwhile are work of the host if they take so long:
// a data loader, a collection of garbage.
constexpr DurationNs kLongStretch{50'000};

bool hasWord(std::string_view name, std::string_view word) {
    return name.find(word) != std::string_view::npos;
}

std::uint32_t numberOr(NameId name) {
    return name.isValid() ? static_cast<std::uint32_t>(name.value) : kNone32;
}

// The calls of a rank's threads, in order of their begin.
class HostCallReader {
public:
    HostCallReader(const store::Store& store, const RankPart& part, RankTrace& trace)
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
        const auto take = [&](std::size_t thread, const Span& span) -> Status {
            if (span.kind == SpanKind::Annotation)
                m_trace.threads[thread].isMarked
                    |= std::ranges::binary_search(m_part.marks, span.start);
            const bool isOperator = span.kind == SpanKind::CpuOp;
            if ((isOperator || span.kind == SpanKind::Annotation) && span.duration >= kLongStretch
                && m_part.window.contains(span.start))
                m_stretches.push_back(operationOf(thread, span, numberOr(span.name)));
            if (!isOperator && span.kind != SpanKind::Runtime)
                return {};
            ASSIGN_OR_RETURN(const CallName known, nameOf(span.name));
            isOperator ? open(thread, span, known) : add(thread, span, known);
            return {};
        };
        RETURN_IF_ERROR(merge.forEach(take, "Reading calls", progress));
        std::ranges::sort(m_links);
        return {};
    }

    // The call with that correlation that began last before it.
    [[nodiscard]] std::uint32_t callOf(const Span& span) const {
        const auto behind
            = std::ranges::upper_bound(m_links, Link{span.correlation, span.start, kNone32});
        const bool isKnown = span.correlation != 0 && behind != m_links.begin()
            && std::prev(behind)->correlation == span.correlation;
        return isKnown ? std::prev(behind)->call : kNone32;
    }

    // Leaves the calls of telling kinds and those that launched work, with the host's stretches
    // between them; the answer is the place of each call that was.
    std::vector<std::uint32_t> keepTelling(const std::vector<bool>& hasWork) {
        std::vector<StepOperation> operations;
        std::vector<TracedCall> calls;
        std::vector<std::uint32_t> places(hasWork.size(), kNone32);
        for (std::size_t i = 0; i < places.size(); ++i) {
            if (!hasWork[i] && m_trace.calls[i].kind == CallKind::Other)
                continue;
            addStretches(m_trace.operations[i].start, operations, calls);
            places[i] = static_cast<std::uint32_t>(calls.size());
            operations.push_back(m_trace.operations[i]);
            calls.push_back(m_trace.calls[i]);
        }
        addStretches(kAllTime.end, operations, calls);
        m_trace.operations = std::move(operations);
        m_trace.calls = std::move(calls);
        return places;
    }

private:
    struct CallName {
        CallKind kind = CallKind::Other;
        bool isOfAutograd = false;
    };
    struct Link {
        std::int64_t correlation = 0;
        TimeNs begin;
        std::uint32_t call = 0;
        auto operator<=>(const Link&) const = default;
    };
    struct Thread {
        std::vector<Span> operators; // open ones, outermost first
        std::uint32_t last = kNone32; // call
        TimeNs freeFrom = kAllTime.begin; // end of its last stretch
    };

    static StepOperation operationOf(
        std::size_t thread, const Span& span, std::uint32_t operatorName) {
        StepOperation made{.start = span.start, .duration = span.duration};
        made.track = static_cast<std::uint32_t>(thread);
        made.name = numberOr(span.name);
        made.operatorName = operatorName;
        return made;
    }

    // Those before the next call of any thread, the outermost ones.
    void addStretches(
        TimeNs until, std::vector<StepOperation>& operations, std::vector<TracedCall>& calls) {
        for (; m_nextStretch < m_stretches.size(); ++m_nextStretch) {
            const StepOperation& one = m_stretches[m_nextStretch];
            TimeNs& freeFrom = m_threads[one.track].freeFrom;
            const TimeNs end = one.start + one.duration;
            if (one.start > until)
                return;
            if (end > until || one.start < freeFrom)
                continue;
            freeFrom = end;
            operations.push_back(one);
            calls.push_back({0, CallKind::Stretch});
        }
    }

    void open(std::size_t thread, const Span& span, const CallName& known) {
        m_trace.threads[thread].isAutograd |= known.isOfAutograd;
        closeBefore(thread, span.start);
        m_threads[thread].operators.push_back(span);
    }
    void closeBefore(std::size_t thread, TimeNs now) {
        auto& open = m_threads[thread].operators;
        while (!open.empty() && open.back().start + open.back().duration <= now)
            open.pop_back();
    }

    // A call within another is that one's.
    void add(std::size_t thread, const Span& span, const CallName& known) {
        if (!m_part.window.contains(span.start)
            || (known.kind == CallKind::Other && span.correlation == 0))
            return;
        Thread& own = m_threads[thread];
        if (own.last == kNone32 || span.start >= m_trace.endOf(own.last)) {
            closeBefore(thread, span.start);
            own.last = static_cast<std::uint32_t>(m_trace.operations.size());
            m_trace.operations.push_back(operationOf(thread, span,
                own.operators.empty() ? kNone32 : numberOr(own.operators.back().name)));
            m_trace.calls.push_back({span.correlation, known.kind});
        }
        if (span.correlation != 0)
            m_links.push_back({span.correlation, span.start, own.last});
    }

    Result<CallName> nameOf(NameId id) {
        const auto known = m_names.find(id);
        if (known != m_names.end())
            return known->second;
        ASSIGN_OR_RETURN(const auto name, m_store.name(id));
        const CallName made{callKindOf(name), name.starts_with("autograd::engine")};
        return m_names.emplace(id, made).first->second;
    }

    const store::Store& m_store;
    const RankPart& m_part;
    RankTrace& m_trace;
    std::vector<Thread> m_threads;
    std::unordered_map<NameId, CallName> m_names;
    std::vector<Link> m_links;
    std::vector<StepOperation> m_stretches; // by begin
    std::size_t m_nextStretch = 0;
};

// The work of devices that begins in the window.
class WorkReader : public DeviceVisitor {
public:
    WorkReader(
        const store::Store& store, TimeRange window, const HostCallReader& calls, RankTrace& trace)
        : m_store(store)
        , m_names(store, KernelCategories::builtIn())
        , m_window(window)
        , m_calls(calls)
        , m_trace(trace) { }

    Status read(const DeviceTracks& device, const Progress& progress) {
        const std::size_t first = m_operations.size();
        m_firstTrack = static_cast<std::uint32_t>(m_trace.threads.size() + m_trace.streams.size());
        std::ranges::copy(device.streams, std::back_inserter(m_trace.streams));
        const std::array<DeviceVisitor*, 1> visitors{this};
        ASSIGN_OR_RETURN(const MarkEvidence evidence,
            walkDevice(
                m_store, device, m_window, visitors, progress, m_window.begin - m_window.length()));
        for (StepOperation& one : std::span(m_operations).subspan(first))
            one.phase = one.phase == Phase::Idle ? evidence.unmarked() : one.phase;
        return {};
    }

    Status work(const DeviceWork& work) override {
        const Span& span = work.span;
        if (!m_window.contains(span.start))
            return {};
        StepOperation made{.start = span.start, .duration = span.duration};
        made.track = m_firstTrack + static_cast<std::uint32_t>(work.stream);
        made.name = numberOr(span.name);
        LaunchedWork traced{m_calls.callOf(span)};
        if (traced.call != kNone32)
            made.operatorName = m_trace.operations[traced.call].operatorName;
        ASSIGN_OR_RETURN(made.microBatch, microBatchOf(work.telling.name));
        RETURN_IF_ERROR(describe(work, made, traced));
        m_operations.push_back(made);
        m_trace.works.push_back(traced);
        return {};
    }

    // Puts the works behind the calls.
    void finish(HostCallReader& calls) {
        std::vector<bool> hasWork(m_trace.calls.size(), false);
        for (const LaunchedWork& work : m_trace.works) {
            if (work.call != kNone32)
                hasWork[work.call] = true;
        }
        const std::vector<std::uint32_t> places = calls.keepTelling(hasWork);
        m_trace.operations.insert(
            m_trace.operations.end(), m_operations.begin(), m_operations.end());
        for (LaunchedWork& work : m_trace.works)
            work.call = work.call == kNone32 ? kNone32 : places[work.call];
    }

private:
    Status describe(const DeviceWork& work, StepOperation& made, LaunchedWork& traced) {
        if (work.kernel == nullptr) {
            made.kind = OperationKind::Copy;
            made.phase = Phase::Copy;
            made.category = categoryOf(m_copy);
            ASSIGN_OR_RETURN(const KernelNames::Kernel* copy, m_names.kernel(work.span.name));
            traced.isToHost = hasWord(copy->name, "DtoH") || hasWord(copy->name, "DeviceToHost");
            return {};
        }
        ASSIGN_OR_RETURN(const std::string* category, m_names.category(*work.kernel, work.span));
        made.category = categoryOf(*category);
        made.kind = OperationKind::Kernel;
        made.phase = phaseOf(work.telling.mark).value_or(Phase::Idle);
        if (!work.kernel->isCommunication)
            return {};
        made.kind = work.isPipelineTransfer ? OperationKind::Message : OperationKind::Collective;
        made.phase = Phase::CommunicationExposed;
        return {};
    }

    std::uint16_t categoryOf(const std::string& category) {
        auto& all = m_trace.categories;
        const auto found = std::ranges::find(all, category);
        const auto place = static_cast<std::uint16_t>(found - all.begin());
        if (found == all.end())
            all.push_back(category);
        return place;
    }

    Result<std::int16_t> microBatchOf(NameId annotation) {
        if (const auto known = m_microBatches.find(annotation); known != m_microBatches.end())
            return known->second;
        ASSIGN_OR_RETURN(
            const auto name, annotation.isValid() ? m_store.name(annotation) : std::string());
        const auto pass = passNameOf(name);
        const int microBatch = pass ? pass->microbatch.value_or(-1) : -1;
        return m_microBatches.emplace(annotation, static_cast<std::int16_t>(microBatch))
            .first->second;
    }

    const store::Store& m_store;
    KernelNames m_names;
    TimeRange m_window;
    const HostCallReader& m_calls;
    RankTrace& m_trace;
    std::uint32_t m_firstTrack = 0;
    std::vector<StepOperation> m_operations;
    const std::string m_copy = "copy";
    std::unordered_map<NameId, std::int16_t> m_microBatches;
};

std::uint32_t streamOf(const RankTrace& trace, int device, const std::string& stream) {
    const auto found = std::ranges::find_if(trace.streams, [&](const Track& track) {
        return track.description.device == device && track.description.thread == stream;
    });
    return found == trace.streams.end() ? kNone32
                                        : static_cast<std::uint32_t>(found - trace.streams.begin());
}

Status addRecord(
    const store::Store& store, const TrackDescription& own, const Span& span, RankTrace& trace) {
    if (span.kind != SpanKind::Sync)
        return {};
    ASSIGN_OR_RETURN(const auto name, store.name(span.name));
    const auto kind
        = std::ranges::find(kRecordNames, name, &std::pair<std::string_view, RecordKind>::first);
    if (kind == kRecordNames.end())
        return {};
    ASSIGN_OR_RETURN(
        const auto detail, span.detail.isValid() ? store.name(span.detail) : std::string());
    const RecordedEdge edge = recordedEdgeOf(detail);
    TimeRange when{span.start, span.start + span.duration};
    if (edge.isBackward)
        std::swap(when.begin, when.end);
    trace.records.push_back({kind->second, span.correlation, edge.record.value_or(-1),
        streamOf(trace, own.device, own.thread), streamOf(trace, own.device, edge.from), when});
    return {};
}

} // namespace

CallKind callKindOf(std::string_view name) {
    const auto found = std::ranges::find_if(
        kCallWords, [&](const auto& known) { return hasWord(name, known.first); });
    if (found == kCallWords.end())
        return CallKind::Other;
    const bool isLater = found->second == CallKind::BlockingCopy && hasWord(name, "Async");
    return isLater ? CallKind::Copy : found->second;
}

Result<RankTrace> readRankTrace(
    const store::Store& store, const RankPart& part, const Progress& progress) {
    RankTrace trace;
    trace.rank = part.devices.front().rank;
    HostCallReader calls(store, part, trace);
    RETURN_IF_ERROR(calls.read(progress));
    WorkReader works(store, part.window, calls, trace);
    for (const DeviceTracks& device : part.devices)
        RETURN_IF_ERROR(works.read(device, progress));
    works.finish(calls);
    for (const Track& track : part.records) {
        SpanCursor cursor(store, track.id, part.window);
        RETURN_IF_ERROR(cursor.start());
        for (; cursor.current() != nullptr;) {
            RETURN_IF_ERROR(addRecord(store, track.description, *cursor.current(), trace));
            RETURN_IF_ERROR(cursor.next());
        }
    }
    std::ranges::stable_sort(trace.records, {}, &TracedRecord::correlation);
    return trace;
}

} // namespace trainscope::analysis
