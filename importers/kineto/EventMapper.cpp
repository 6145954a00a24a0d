#include "importers/kineto/EventMapper.h"

#include "importers/kineto/EventNumber.h"
#include "importers/kineto/JsonText.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

namespace trainscope::importers::kineto {

namespace {

constexpr std::size_t kMaxBegun = 100'000;

bool isDeviceWork(SpanKind kind) {
    return kind == SpanKind::Kernel || kind == SpanKind::Copy || kind == SpanKind::Set;
}

// Process and thread labels: numbers as written, but 7.0 is 7; "stream 7 " is 7.
std::string_view labelOf(const JsonToken& token, std::string& storage) {
    std::string_view text = plainText(token, storage);
    while (!text.empty() && text.back() == ' ')
        text.remove_suffix(1);
    if (token.kind == TokenKind::Number && text.ends_with(".0"))
        text.remove_suffix(2);
    return text;
}

std::string_view streamLabel(std::string_view tid) {
    return tid.starts_with("stream ") ? tid.substr(7) : tid;
}

int deviceNumber(std::string_view text) {
    int value = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size() ? value : -1;
}

bool canAdd(std::int64_t a, std::int64_t b) {
    return b <= 0 || a <= std::numeric_limits<std::int64_t>::max() - b;
}

} // namespace

EventMapper::EventMapper(Sink& sink, TraceOutput& output, ImportReport& report, std::string file,
    std::function<Status()> onFull)
    : m_output(output)
    , m_report(report)
    , m_file(std::move(file))
    , m_onFull(std::move(onFull))
    , m_names(sink) { }

void EventMapper::header(std::string_view key, const JsonToken& value) {
    m_header.take(key, value);
}

void EventMapper::broken(std::int64_t line, const std::string& what, bool skippedEvent) {
    m_report.skipped += skippedEvent ? 1 : 0;
    m_report.warn(m_file, line, what);
}

Status EventMapper::skip(const TraceReader& reader, std::string what) {
    ++m_unusable;
    ++m_report.skipped;
    m_report.warn(m_file, reader.line(), std::move(what));
    return {};
}

std::size_t EventMapper::categoryOf(const JsonToken& token) {
    const std::string_view name
        = token.kind == TokenKind::String ? token.text : std::string_view("(no cat)");
    if (m_lastCategory < m_categories.size() && m_categories[m_lastCategory].name == name)
        return m_lastCategory;
    const auto found = std::find_if(m_categories.begin(), m_categories.end(),
        [&](const Category& category) { return category.name == name; });
    m_lastCategory = static_cast<std::size_t>(found - m_categories.begin());
    constexpr std::size_t kMaxCategories = 256;
    if (found == m_categories.end() && m_categories.size() < kMaxCategories)
        m_categories.push_back({std::string(name), eventKindOf(name), 0});
    m_lastCategory = std::min(m_lastCategory, m_categories.size() - 1);
    return m_lastCategory;
}

void EventMapper::countPhase(const JsonToken& token) {
    const auto code = token.text.size() == 1 ? static_cast<unsigned char>(token.text[0]) : 255U;
    if (code < m_phases.size())
        ++m_phases[code];
    else
        ++m_otherPhases;
}

Status EventMapper::event(const TraceEvent& event, const TraceReader& reader) {
    ++m_events;
    countPhase(event.ph);
    const std::size_t category = categoryOf(event.cat);
    ++m_categories[category].count;
    if (m_output.isFull()) {
        if (auto status = m_onFull(); !status.hasValue())
            return status;
    }
    const char phase = event.ph.text.size() == 1 ? event.ph.text[0] : '\0';
    switch (phase) {
    case 'X':
        return complete(event, reader, category);
    case 'B':
        return begin(event, reader, category);
    case 'E':
        return end(event, reader);
    case 'C':
        counter(event);
        return {};
    case 'M':
        metadata(event);
        return {};
    case 'i':
    case 'I':
        memoryInstant(event);
        return {};
    case 's':
    case 't':
    case 'f':
        flow(event, category);
        return {};
    case '\0':
        return skip(reader, "an event has no ph and was left out");
    default:
        return {};
    }
}

DurationNs EventMapper::durationOf(const TraceEvent& event, const TraceReader& reader) {
    const auto duration = microsecondsToNs(event.dur.text);
    if (!duration) {
        if (m_withoutDuration++ == 0)
            m_report.warn(m_file, reader.line(),
                "an event has no duration that is a number; such are kept with duration 0");
        return {0};
    }
    if (*duration < 0) {
        if (m_negativeDurations++ == 0)
            m_report.warn(m_file, reader.line(),
                "an event has a negative duration; such are kept with duration 0");
        return {0};
    }
    return {*duration};
}

Status EventMapper::complete(
    const TraceEvent& event, const TraceReader& reader, std::size_t category) {
    const auto start = microsecondsToNs(event.ts.text);
    if (!start)
        return skip(reader, "an event has no time that is a number and was left out");
    Span span;
    span.start = {*start};
    span.duration = durationOf(event, reader);
    span.kind = m_categories[category].kind.kind;
    if (!canAdd(*start, span.duration.ns))
        return skip(reader, "an event ends beyond the range of time and was left out");
    const auto name = m_names.name(event.name);
    if (!name.hasValue())
        return name.error();
    span.name = name.value();
    const auto detail = detailOf(event, span.kind);
    if (!detail.hasValue())
        return detail.error();
    span.detail = detail.value();
    return addSpan(event, category, span, event.name.text);
}

Status EventMapper::addSpan(
    const TraceEvent& event, std::size_t category, Span span, std::string_view name) {
    const EventKind kind = m_categories[category].kind;
    m_kernels += kind.kind == SpanKind::Kernel ? 1 : 0;
    if (!m_firstTime || span.start < *m_firstTime)
        m_firstTime = span.start;
    noteIteration(name, kind.kind, span);
    const std::size_t track = trackOf(event, kind);
    if (isDeviceWork(kind.kind) || kind.kind == SpanKind::Runtime || kind.kind == SpanKind::Sync) {
        const JsonToken* correlation = event.arg("correlation");
        span.correlation = correlation == nullptr ? 0 : integerOf(*correlation).value_or(0);
        const bool wantsFlow = span.correlation == 0 && kind.kind != SpanKind::Sync;
        if (wantsFlow
            && m_flows.wait(
                labelOf(event.pid, m_pidText), labelOf(event.tid, m_tidText), track, span))
            return {};
    }
    m_output.add(track, span);
    return {};
}

std::size_t EventMapper::trackOf(const TraceEvent& event, const EventKind& kind) {
    std::string_view pid = labelOf(event.pid, m_pidText);
    std::string_view tid = labelOf(event.tid, m_tidText);
    if (kind.placement == Placement::Host)
        return m_output.track(TrackKind::Thread, -1, pid, tid);
    if (kind.placement == Placement::Elsewhere)
        return m_output.track(TrackKind::Other, -1, pid, tid);
    tid = streamLabel(tid);
    int device = deviceNumber(pid);
    if (const JsonToken* stream = event.arg("stream"); stream != nullptr)
        tid = labelOf(*stream, m_tidText);
    if (const JsonToken* argument = event.arg("device"); argument != nullptr) {
        if (const auto number = integerOf(*argument); number && *number >= 0 && *number < 1'000'000)
            device = static_cast<int>(*number);
    }
    if (kind.placement == Placement::DeviceAnnotation)
        return m_output.track(TrackKind::StreamAnnotation, device, pid, tid);
    if (kind.placement == Placement::DeviceOther)
        return m_output.track(TrackKind::Other, device, pid, tid);
    return m_output.track(TrackKind::Stream, device, pid, tid);
}

void EventMapper::noteIteration(std::string_view name, SpanKind kind, const Span& span) {
    static constexpr std::string_view kPrefix = "ProfilerStep#";
    if (!name.starts_with(kPrefix))
        return;
    name.remove_prefix(kPrefix.size());
    std::int64_t index = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), index);
    if (error != std::errc{} || end != name.data() + name.size())
        return;
    const TimeRange range{span.start, span.start + span.duration};
    m_output.addIteration(index, range, kind == SpanKind::GpuAnnotation);
}

bool EventMapper::isDetail(SpanKind kind, std::string_view key) {
    TextMap<bool>& known = m_detailKeys[static_cast<std::size_t>(kind)];
    if (const auto found = known.find(key); found != known.end())
        return found->second;
    const bool result = isDetailArgument(kind, key);
    constexpr std::size_t kMaxKeys = 1000;
    if (known.size() < kMaxKeys)
        known.emplace(key, result);
    return result;
}

Result<NameId> EventMapper::detailOf(const TraceEvent& event, SpanKind kind) {
    m_detail.assign(1, '{');
    for (const EventField& field : event.args) {
        if (!isDetail(kind, field.key.text))
            continue;
        if (m_detail.size() > 1)
            m_detail.push_back(',');
        appendJson(field.key, m_detail);
        m_detail.push_back(':');
        appendJson(field.value, m_detail);
    }
    if (m_detail.size() == 1)
        return NameId{};
    m_detail.push_back('}');
    return m_names.text(m_detail);
}

Status EventMapper::begin(
    const TraceEvent& event, const TraceReader& reader, std::size_t category) {
    const auto start = microsecondsToNs(event.ts.text);
    if (!start)
        return skip(reader, "an event has no time that is a number and was left out");
    if (m_begunCount >= kMaxBegun) {
        ++m_unpaired;
        return {};
    }
    const auto detail = detailOf(event, m_categories[category].kind.kind);
    if (!detail.hasValue())
        return detail.error();
    m_text = labelOf(event.pid, m_pidText);
    m_text.append(1, '\0').append(labelOf(event.tid, m_tidText));
    m_begun[m_text].push_back(
        {{*start}, category, std::string(plainText(event.name, m_detail)), detail.value()});
    ++m_begunCount;
    return {};
}

Status EventMapper::end(const TraceEvent& event, const TraceReader& reader) {
    const auto time = microsecondsToNs(event.ts.text);
    if (!time)
        return skip(reader, "an event has no time that is a number and was left out");
    m_text = labelOf(event.pid, m_pidText);
    m_text.append(1, '\0').append(labelOf(event.tid, m_tidText));
    const auto found = m_begun.find(m_text);
    if (found == m_begun.end() || found->second.empty()) {
        ++m_unpaired;
        return {};
    }
    const Begun begun = std::move(found->second.back());
    found->second.pop_back();
    --m_begunCount;
    const auto name = m_names.text(begun.name);
    if (!name.hasValue())
        return name.error();
    Span span;
    span.start = begun.start;
    span.duration = {std::max<std::int64_t>(*time - begun.start.ns, 0)};
    span.kind = m_categories[begun.category].kind.kind;
    span.name = name.value();
    span.detail = begun.detail;
    return addSpan(event, begun.category, span, begun.name);
}

void EventMapper::counter(const TraceEvent& event) {
    const auto time = microsecondsToNs(event.ts.text);
    if (!time)
        return;
    const std::string name(plainText(event.name, m_text));
    for (const EventField& field : event.args) {
        const auto value = numberOf(field.value);
        if (!value)
            continue;
        const bool isOnly = event.args.size() == 1 || field.key.text == name;
        m_output.addSample(
            isOnly ? name : name + " " + std::string(field.key.text), "1", {*time}, *value);
    }
}

void EventMapper::memoryInstant(const TraceEvent& event) {
    constexpr std::int64_t kCudaDevice = 1; // c10::DeviceType::CUDA
    const JsonToken* allocated = event.arg("Total Allocated");
    const JsonToken* reserved = event.arg("Total Reserved");
    const JsonToken* type = event.arg("Device Type");
    if (allocated == nullptr || type == nullptr || integerOf(*type) != kCudaDevice)
        return;
    const auto time = microsecondsToNs(event.ts.text);
    const auto bytes = numberOf(*allocated);
    if (!time || !bytes)
        return;
    m_output.addSample("torch_mem_allocated", "B", {*time}, *bytes);
    if (const auto total = reserved == nullptr ? std::nullopt : numberOf(*reserved))
        m_output.addSample("torch_mem_reserved", "B", {*time}, *total);
}

void EventMapper::metadata(const TraceEvent& event) {
    if (event.name.text != "thread_name")
        return;
    const JsonToken* name = event.arg("name");
    if (name == nullptr || name->kind != TokenKind::String)
        return;
    m_output.nameThread(
        labelOf(event.pid, m_pidText), labelOf(event.tid, m_tidText), plainText(*name, m_text));
}

void EventMapper::flow(const TraceEvent& event, std::size_t category) {
    if (!m_flows.isWaiting() || m_categories[category].name == "fwdbwd")
        return;
    const auto time = microsecondsToNs(event.ts.text);
    const auto id = integerOf(event.id);
    if (!time || !id)
        return;
    for (const FlowJoin::Waiting& waiting :
        m_flows.take(labelOf(event.pid, m_pidText), labelOf(event.tid, m_tidText), {*time}, *id))
        m_output.add(waiting.track, waiting.span);
}

Status EventMapper::finish() {
    for (const FlowJoin::Waiting& waiting : m_flows.takeRest())
        m_output.add(waiting.track, waiting.span);
    m_report.counts["events"] = m_events;
    m_report.counts["kernels"] = m_kernels;
    for (std::size_t code = 0; code < m_phases.size(); ++code) {
        if (m_phases[code] > 0)
            m_report.counts[std::string("ph:") + static_cast<char>(code)] = m_phases[code];
    }
    if (m_otherPhases > 0)
        m_report.counts["ph:(other)"] = m_otherPhases;
    for (const Category& category : m_categories)
        m_report.counts["cat:" + category.name] = category.count;
    const auto unpaired = m_unpaired + static_cast<std::int64_t>(m_begunCount);
    for (const auto& [name, count] : {std::pair("events without duration", m_withoutDuration),
             std::pair("negative durations", m_negativeDurations),
             std::pair("begins or ends without their other half", unpaired)}) {
        if (count > 0)
            m_report.counts[name] = count;
    }
    m_report.rows = m_events - m_unusable;
    m_report.spans = m_output.spanCount();
    m_report.samples = m_output.sampleCount();
    return {};
}

} // namespace trainscope::importers::kineto
