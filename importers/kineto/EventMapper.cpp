#include "importers/kineto/EventMapper.h"

#include "core/model/SpanFacts.h"
#include "core/model/Try.h"
#include "core/model/WholeNumber.h"
#include "core/text/Numbers.h"
#include "importers/kineto/EventFacts.h"
#include "importers/trace/DetailText.h"

namespace trainscope::importers::kineto {

namespace {

using Collective = analysis::CollectiveKind;

constexpr std::size_t kMaxCategories = 256;
constexpr std::size_t kNoTrack = ~std::size_t{0};

const char* textOf(EventProblem problem) {
    switch (problem) {
    case EventProblem::NoPhase:
        return "an event has no ph and was left out";
    case EventProblem::NoTime:
        return "an event has no time that is a number and was left out";
    case EventProblem::AtZero:
        return "an event is at time 0, more than a day before the others: it has no time "
               "and was left out";
    case EventProblem::BeyondTime:
        return "an event ends beyond the range of time and was left out";
    case EventProblem::NoDuration:
        return "an event has no duration that is a number; such are kept with duration 0";
    case EventProblem::NegativeDuration:
        return "an event has a negative duration; such are kept with duration 0";
    case EventProblem::None:
        break;
    }
    return "";
}

std::optional<std::int64_t> iterationOf(std::string_view name) {
    static constexpr std::string_view kPrefix = "ProfilerStep#";
    return name.starts_with(kPrefix) ? wholeNumber<std::int64_t>(name.substr(kPrefix.size()))
                                     : std::nullopt;
}

} // namespace

EventMapper::EventMapper(Sink& sink, TraceOutput& output, ImportReport& report, std::string file,
    std::function<Status()> onFull)
    : m_sink(sink)
    , m_output(output)
    , m_report(report)
    , m_file(std::move(file))
    , m_onFull(std::move(onFull))
    , m_sideEvents(output) { }

void EventMapper::header(std::string_view key, const JsonToken& value) {
    m_header.take(key, value);
}

void EventMapper::broken(std::int64_t line, const std::string& what, bool skippedEvent) {
    m_report.skipped += skippedEvent ? 1 : 0;
    m_report.lost(m_file, line, what);
}

void EventMapper::count(const EventBatch& batch) {
    m_events += batch.events;
    for (std::size_t code = 0; code < m_phases.size(); ++code)
        m_phases[code] += batch.phases[code];
    for (const auto& [name, events] : batch.categories) {
        auto found = m_categories.find(name);
        if (found == m_categories.end() && m_categories.size() >= kMaxCategories)
            found = m_categories.try_emplace("(other)").first;
        else if (found == m_categories.end())
            found = m_categories.try_emplace(name).first;
        found->second += events;
    }
}

Status EventMapper::events(const EventBatch& batch, const TraceSyntax& text) {
    if (m_output.isFull(m_header.baseNs.has_value()))
        RETURN_IF_ERROR(m_onFull());
    count(batch);
    m_batchNames.assign(batch.textCount(), {});
    m_batchTracks.assign(batch.tracks.size(), kNoTrack);
    look(batch);
    for (const EventRecord& record : batch.records) {
        if (isTimeless(record)) {
            EventRecord timeless = record;
            timeless.kind = RecordKind::Unusable;
            timeless.problem = EventProblem::AtZero;
            tell(timeless, text);
            continue;
        }
        if (record.problem != EventProblem::None)
            tell(record, text);
        RETURN_IF_ERROR(take(record, batch, text));
    }
    return {};
}

// Finds out where the trace begins, and what becomes of the events at 0 that came before.
void EventMapper::look(const EventBatch& batch) {
    constexpr std::int64_t kDay = std::int64_t{86'400} * 1'000'000'000;
    for (const EventRecord& record : batch.records) {
        if (record.kind != RecordKind::Span || record.start <= 0)
            continue;
        (record.start > kDay ? m_isFarFromZero : m_isNearZero) = true;
    }
    if (m_isFarFromZero && !m_atZero.empty()) {
        const auto count = static_cast<std::int64_t>(m_atZero.size());
        m_unusable += count;
        m_report.skipped += count;
        m_report.lost(m_file, 0, textOf(EventProblem::AtZero));
        m_atZero.clear();
    } else if (m_isNearZero) {
        addHeld();
    }
}

void EventMapper::addHeld() {
    for (const AtZero& held : std::exchange(m_atZero, {}))
        addSpan(held.track, held.span, held.record, held.iteration);
}

bool EventMapper::isTimeless(const EventRecord& record) const {
    return m_isFarFromZero && record.kind == RecordKind::Span && record.start == 0;
}

void EventMapper::tell(const EventRecord& record, const TraceSyntax& text) {
    if (record.problem == EventProblem::NoDuration && m_withoutDuration++ > 0)
        return;
    if (record.problem == EventProblem::NegativeDuration && m_negativeDurations++ > 0)
        return;
    if (record.kind == RecordKind::Unusable) {
        ++m_unusable;
        ++m_report.skipped;
    }
    m_report.lost(m_file, text.lineAt(record.end), textOf(record.problem));
}

Status EventMapper::take(
    const EventRecord& record, const EventBatch& batch, const TraceSyntax& text) {
    switch (record.kind) {
    case RecordKind::Span:
        return addRecord(record, batch);
    case RecordKind::Flow:
        takeArrow(record);
        return {};
    case RecordKind::EdgeBegin:
    case RecordKind::EdgeEnd:
        return takeEdge(record, batch);
    case RecordKind::Other: {
        const TraceEvent& event = batch.others[record.name];
        if (event.ph.text.find_first_of("EBbeSF") == 0)
            return addEnded(event, record, text);
        m_sideEvents.take(event);
        return {};
    }
    case RecordKind::Unusable:
        break;
    }
    return {};
}

Result<const EventMapper::Name*> EventMapper::nameAt(const EventBatch& batch, std::uint32_t index) {
    Name& name = m_batchNames[index];
    if (!name.id.isValid()) {
        const std::string_view written = batch.text(index);
        ASSIGN_OR_RETURN(const auto id, m_sink.intern(written));
        name.id = id;
        name.iteration = iterationOf(written);
        name.isLaunch = written.find("LaunchKernel") != written.npos;
        if (written.starts_with("nccl:") || written.starts_with("c10d::"))
            name.range = analysis::collectiveKind({}, written);
        if (isNcclKernel(written)) {
            const auto kind = analysis::collectiveKind(written, {});
            name.isUntold = kind == Collective::SendRecv || kind == Collective::Other;
        }
    }
    return &name;
}

std::size_t EventMapper::trackAt(const EventBatch& batch, std::uint32_t index) {
    std::size_t& track = m_batchTracks[index];
    if (track == kNoTrack)
        track = m_output.track(batch.tracks[index]);
    return track;
}

Result<NameId> EventMapper::detailOf(const EventRecord& record, const EventBatch& batch) {
    const bool hasOwn = record.detail != EventRecord::kNone;
    const bool isOperator
        = record.spanKind == SpanKind::CpuOp || record.spanKind == SpanKind::Annotation;
    if (m_operators != nullptr && isOperator && record.correlation > 0) {
        const std::string joined = m_operators->joined(
            record.correlation, hasOwn ? batch.text(record.detail) : std::string_view());
        return joined.empty() ? NameId() : m_sink.intern(joined);
    }
    if (!hasOwn)
        return NameId();
    ASSIGN_OR_RETURN(const auto detail, nameAt(batch, record.detail));
    return detail->id;
}

Status EventMapper::addRecord(const EventRecord& record, const EventBatch& batch) {
    ASSIGN_OR_RETURN(const auto name, nameAt(batch, record.name));
    Span span;
    span.start = {record.start};
    span.duration = {record.duration};
    span.kind = record.spanKind;
    if (hasCorrelation(record.spanKind))
        span.correlation = record.correlation;
    else if (record.spanKind == SpanKind::CpuOp) {
        span.correlation = record.autograd;
        m_hasSequences = m_hasSequences || record.autograd != 0;
    }
    span.name = name->id;
    m_launches += span.kind == SpanKind::Runtime && name->isLaunch ? 1 : 0;
    ASSIGN_OR_RETURN(span.detail, detailOf(record, batch));
    const std::size_t track = trackAt(batch, record.track);
    if (span.kind == SpanKind::Runtime)
        m_collectives.launch(track, span.start, span.correlation);
    else if (name->range != Collective::Other
        && (span.kind == SpanKind::CpuOp || span.kind == SpanKind::Annotation))
        m_collectives.rangeAt(track, {span.start, span.start + span.duration}, name->range);
    constexpr std::size_t kMostAtZero = 100'000;
    const bool waits
        = record.start == 0 && !m_isFarFromZero && !m_isNearZero && m_atZero.size() < kMostAtZero;
    const bool isUntold = name->isUntold && span.kind == SpanKind::Kernel && span.correlation != 0;
    const std::string_view detail = isUntold && record.detail != EventRecord::kNone
        ? batch.text(record.detail)
        : std::string_view();
    if (waits)
        m_atZero.push_back({track, span, record, name->iteration});
    else if (isUntold && detail.find("Collective name") == detail.npos
        && m_collectives.wait({track, span, 0}, detail))
        count(span);
    else
        addSpan(track, span, record, name->iteration);
    return {};
}

void EventMapper::takeArrow(const EventRecord& record) {
    FlowJoin& flows = record.autograd != 0 ? m_autograd : m_flows;
    if (!flows.isWaiting())
        return;
    const std::int64_t id = record.autograd != 0 ? record.autograd : record.correlation;
    for (const FlowJoin::Waiting& waiting : flows.take(record.place, {record.start}, id))
        m_output.add(waiting.track, waiting.span);
}

// Either end may come first; bounded.
Status EventMapper::takeEdge(const EventRecord& record, const EventBatch& batch) {
    constexpr std::size_t kMostOpen = 1'000'000;
    EdgeEnd from{record.kind == RecordKind::EdgeBegin, batch.tracks[record.track], {record.start}};
    const auto first = m_edges.find(record.correlation);
    if (first == m_edges.end() || first->second.isBegin == from.isBegin) {
        if (first != m_edges.end() || m_edges.size() < kMostOpen)
            m_edges[record.correlation] = std::move(from);
        return {};
    }
    EdgeEnd to = std::move(m_edges.extract(first).mapped());
    if (to.isBegin)
        std::swap(from, to);
    DetailText detail;
    detail.add("from_stream", from.track.thread);
    if (to.time < from.time)
        detail.add("backward", 1);
    Span span;
    span.start = std::min(to.time, from.time);
    span.duration = std::max(to.time, from.time) - span.start;
    span.kind = SpanKind::Sync;
    ASSIGN_OR_RETURN(span.name, m_sink.intern(kGraphEdge));
    ASSIGN_OR_RETURN(span.detail, m_sink.intern(detail.take()));
    m_output.add(m_output.track(to.track), span);
    return {};
}

void EventMapper::count(const Span& span) {
    m_kernels += span.kind == SpanKind::Kernel ? 1 : 0;
    if (!m_firstTime || span.start < *m_firstTime)
        m_firstTime = span.start;
}

void EventMapper::addSpan(std::size_t track, const Span& span, const EventRecord& record,
    const std::optional<std::int64_t>& iteration) {
    count(span);
    if (iteration)
        m_output.addIteration(*iteration, {span.start, span.start + span.duration},
            span.kind == SpanKind::GpuAnnotation);
    const bool isOperator = span.kind == SpanKind::CpuOp;
    if (isOperator && record.external != 0)
        m_externals.operatorAt(record.external, track, span.start);
    FlowJoin& flows = isOperator ? m_autograd : m_flows;
    const bool waits = record.mayWaitForArrow && !(m_hasSequences && isOperator);
    if (!waits || !flows.wait(record.place, {track, span, isOperator ? 0 : record.external}))
        m_output.add(track, span);
}

Status EventMapper::addEnded(
    const TraceEvent& event, const EventRecord& record, const TraceSyntax& text) {
    EventRecord told = record;
    if (!microsecondsToNs(event.ts.text)) {
        told.kind = RecordKind::Unusable;
        told.problem = EventProblem::NoTime;
        tell(told, text);
        return {};
    }
    if (event.ph.text.find_first_of("BbS") == 0) {
        m_sideEvents.begin(event);
        return {};
    }
    auto ended = m_sideEvents.end(event);
    if (!ended)
        return {};
    ASSIGN_OR_RETURN(const auto name, m_sink.intern(ended->name));
    ended->span.name = name;
    if (!ended->detail.empty()) {
        ASSIGN_OR_RETURN(const auto detail, m_sink.intern(ended->detail));
        ended->span.detail = detail;
    }
    told.mayWaitForArrow = ended->mayWaitForArrow;
    told.place = placeOf(event);
    addSpan(m_output.track(ended->track), ended->span, told, iterationOf(ended->name));
    return {};
}

void EventMapper::joinExternals() {
    const auto name = m_sink.intern("launch, by External id");
    for (FlowJoin::Waiting& waiting : m_flows.takeRest()) {
        auto launch = name.hasValue() ? m_externals.launch(waiting) : std::nullopt;
        if (launch) {
            launch->span.name = name.value();
            m_output.add(launch->track, launch->span);
        }
        m_output.add(waiting.track, waiting.span);
    }
    if (m_externals.count() > 0)
        m_report.counts["launches by External id"] = m_externals.count();
}

void EventMapper::addCollectives() {
    std::int64_t told = 0;
    m_collectives.takeAll([&](FlowJoin::Waiting kernel, const std::string& detail) {
        const Result<NameId> id = detail.empty() ? kernel.span.detail : m_sink.intern(detail);
        if (id.hasValue())
            kernel.span.detail = id.value();
        told += detail.empty() ? 0 : 1;
        m_output.add(kernel.track, kernel.span);
    });
    if (told > 0)
        m_report.counts["collectives by the range around their launch"] = told;
}

void EventMapper::finish() {
    addHeld();
    joinExternals();
    addCollectives();
    for (const FlowJoin::Waiting& waiting : m_autograd.takeRest())
        m_output.add(waiting.track, waiting.span);
    if (m_kernels == 0 && m_launches > 0)
        m_report.warn(m_file, 0,
            text::counted(m_launches, "launch", "launches")
                + " of kernels were recorded and no kernel: the profiler lost the GPU's records, "
                  "or was not asked for them");
    m_report.counts["events"] = m_events;
    m_report.counts["kernels"] = m_kernels;
    for (std::size_t code = 0; code + 1 < m_phases.size(); ++code) {
        if (m_phases[code] > 0)
            m_report.counts[std::string("ph:") + static_cast<char>(code)] = m_phases[code];
    }
    if (m_phases.back() > 0)
        m_report.counts["ph:(other)"] = m_phases.back();
    for (const auto& [name, events] : m_categories)
        m_report.counts["cat:" + name] = events;
    for (const auto& [name, events] : {std::pair("events without duration", m_withoutDuration),
             std::pair("negative durations", m_negativeDurations),
             std::pair("begins or ends without their other half", m_sideEvents.unpaired())}) {
        if (events > 0)
            m_report.counts[name] = events;
    }
    m_report.rows = m_events - m_unusable;
    m_report.spans = m_output.spanCount();
    m_report.samples = m_output.sampleCount();
}

} // namespace trainscope::importers::kineto
