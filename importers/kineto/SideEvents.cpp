#include "importers/kineto/SideEvents.h"

#include "importers/common/JsonText.h"

#include <algorithm>
#include <utility>

namespace trainscope::importers::kineto {

namespace {

constexpr std::size_t kMaxWaiting = 100'000;

std::uint64_t keyOf(std::uint64_t place, TimeNs time) {
    return place * 0x9E3779B97F4A7C15ULL + static_cast<std::uint64_t>(time.ns);
}

} // namespace

bool FlowJoin::wait(std::uint64_t place, std::size_t track, const Span& span) {
    if (m_waiting.size() >= kMaxWaiting)
        return false;
    m_waiting.emplace(keyOf(place, span.start), Waiting{track, span});
    return true;
}

std::vector<FlowJoin::Waiting> FlowJoin::take(std::uint64_t place, TimeNs time, std::int64_t id) {
    std::vector<Waiting> taken;
    const auto [begin, end] = m_waiting.equal_range(keyOf(place, time));
    for (auto it = begin; it != end; ++it) {
        taken.push_back(it->second);
        taken.back().span.correlation = id;
    }
    m_waiting.erase(begin, end);
    return taken;
}

std::vector<FlowJoin::Waiting> FlowJoin::takeRest() {
    std::vector<Waiting> rest;
    rest.reserve(m_waiting.size());
    for (const auto& [key, waiting] : m_waiting)
        rest.push_back(waiting);
    m_waiting.clear();
    return rest;
}

void SideEvents::take(const TraceEvent& event) {
    switch (event.ph.text.front()) {
    case 'C':
        return counter(event);
    case 'M':
        return threadName(event);
    case 'i':
    case 'I':
        return memory(event);
    default:
        return;
    }
}

std::string SideEvents::threadOf(const TraceEvent& event) {
    std::string thread(labelOf(event.pid, m_text));
    return thread.append(1, '\0').append(labelOf(event.tid, m_text));
}

void SideEvents::begin(const TraceEvent& event) {
    if (m_begunCount >= kMaxBegun) {
        ++m_unpaired;
        return;
    }
    Begun begun;
    begun.start = microsecondsToNs(event.ts.text).value_or(0);
    begun.kind = eventKindOf(categoryOf(event));
    appendDetail(event, begun.kind.kind, begun.detail);
    begun.name = plainText(event.name, m_text);
    m_begun[threadOf(event)].push_back(std::move(begun));
    ++m_begunCount;
}

std::optional<SideEvents::Ended> SideEvents::end(const TraceEvent& event) {
    const auto found = m_begun.find(threadOf(event));
    if (found == m_begun.end() || found->second.empty()) {
        ++m_unpaired;
        return std::nullopt;
    }
    Begun begun = std::move(found->second.back());
    found->second.pop_back();
    --m_begunCount;
    Ended ended;
    ended.span.start = {begun.start};
    const std::int64_t end = microsecondsToNs(event.ts.text).value_or(begun.start);
    ended.span.duration = {std::max<std::int64_t>(end - begun.start, 0)};
    ended.span.kind = begun.kind.kind;
    ended.name = std::move(begun.name);
    ended.detail = std::move(begun.detail);
    ended.track = trackLabelOf(event, begun.kind, event.arg("stream"), event.arg("device"));
    if (hasCorrelation(begun.kind.kind)) {
        const JsonToken* correlation = event.arg("correlation");
        ended.span.correlation = correlation == nullptr ? 0 : integerOf(*correlation).value_or(0);
        ended.mayWaitForArrow = ended.span.correlation == 0 && begun.kind.kind != SpanKind::Sync;
    }
    return ended;
}

void SideEvents::counter(const TraceEvent& event) {
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

void SideEvents::memory(const TraceEvent& event) {
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

void SideEvents::threadName(const TraceEvent& event) {
    if (event.name.text != "thread_name")
        return;
    const JsonToken* name = event.arg("name");
    if (name == nullptr || name->kind != TokenKind::String)
        return;
    std::string process;
    std::string thread;
    m_output.nameThread(
        labelOf(event.pid, process), labelOf(event.tid, thread), plainText(*name, m_text));
}

} // namespace trainscope::importers::kineto
