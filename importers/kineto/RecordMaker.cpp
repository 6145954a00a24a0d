#include "importers/kineto/RecordMaker.h"

#include "core/model/SpanFacts.h"

namespace trainscope::importers::kineto {

namespace {

constexpr std::size_t kMaxTextBytes = std::size_t{4} << 20; // in remembered texts
constexpr std::size_t kMaxKnownCategories = 4096;
// PyTorch numbers the edges of graphs of kernels from 2^40 on; larger numbers are other writers'.
constexpr std::int64_t kFirstEdge = std::int64_t{1} << 40;

bool canAdd(std::int64_t a, std::int64_t b) {
    return b <= 0 || a <= std::numeric_limits<std::int64_t>::max() - b;
}

const JsonToken* argument(const TraceEvent& event, std::size_t index) {
    return index == EventPlan::kNoArgument ? nullptr : &event.args[index].value;
}

// Forward operators say thread 0.
std::int64_t autogradOf(const TraceEvent& event, const EventPlan& plan) {
    const JsonToken* const sequence = argument(event, plan.sequence);
    if (sequence == nullptr)
        return 0;
    const JsonToken* const thread = argument(event, plan.forwardThread);
    const bool isBackward = thread != nullptr && integerOf(*thread).value_or(0) > 0;
    return correlationOf({integerOf(*sequence).value_or(-1), isBackward});
}

} // namespace

template <typename T, typename Add>
std::uint32_t RecordMaker::inBatch(Known<T>& known, std::size_t next, Add&& add) {
    if (known.batch != m_batchNumber) {
        add(known.value);
        known.batch = m_batchNumber;
        known.index = static_cast<std::uint32_t>(next);
    }
    return known.index;
}

void RecordMaker::begin(EventBatch& batch) {
    m_batch = &batch;
    m_batch->clear();
    ++m_batchNumber;
    forgetWhenLarge();
}

void RecordMaker::forgetWhenLarge() {
    if (m_nameTable.bytes() + m_detailTable.bytes() + m_trackTable.bytes() > kMaxTextBytes) {
        m_nameTable.clear();
        m_detailTable.clear();
        m_trackTable.clear();
        m_names.clear();
        m_details.clear();
        m_tracks.clear();
    }
    if (m_categories.size() > kMaxKnownCategories) {
        m_categories.clear();
        ++m_generation;
    }
}

std::uint32_t RecordMaker::categoryIndex(std::string_view name) {
    const auto found = std::ranges::find(m_categories, name, &Known<std::string>::value);
    const auto index = found - m_categories.begin();
    if (found == m_categories.end())
        m_categories.push_back({std::string(name)});
    return static_cast<std::uint32_t>(index);
}

bool RecordMaker::isDetail(SpanKind kind, std::string_view key) {
    TextMap<bool>& known = m_detailKeys[static_cast<std::size_t>(kind)];
    if (const auto found = known.find(key); found != known.end())
        return found->second;
    const bool result = isDetailArgument(kind, key);
    constexpr std::size_t kMaxKeys = 1000;
    if (known.size() < kMaxKeys)
        known.emplace(key, result);
    return result;
}

void RecordMaker::plan(const TraceEvent& event, EventPlan& plan) {
    plan.phase = event.ph.text.size() == 1 ? event.ph.text[0] : '\0';
    plan.category = categoryIndex(categoryOf(event));
    const std::string& category = m_categories[plan.category].value;
    plan.kind = eventKindOf(category);
    plan.isForwardBackward = category == "fwdbwd";
    plan.correlation = plan.function = plan.stream = plan.device = EventPlan::kNoArgument;
    plan.sequence = plan.forwardThread = plan.external = EventPlan::kNoArgument;
    for (std::size_t i = 0; i < event.args.size(); ++i) {
        const std::string_view key = event.args[i].key.text;
        if (key == "correlation")
            plan.correlation = i;
        else if (key == "Record function id")
            plan.function = i;
        else if (key == "Sequence number")
            plan.sequence = i;
        else if (key == "Fwd thread id")
            plan.forwardThread = i;
        else if (key == "stream")
            plan.stream = i;
        else if (key == "device")
            plan.device = i;
        else if (key == "External id" || key == "external id")
            plan.external = i;
    }
    plan.details.clear();
    if (plan.phase == 'X')
        planDetails(event, plan);
}

void RecordMaker::planDetails(const TraceEvent& event, EventPlan& plan) {
    bool isOpen = false;
    for (std::size_t i = 0; i < event.args.size(); ++i) {
        const EventField& field = event.args[i];
        const bool isKept = isDetail(plan.kind.kind, field.key.text);
        if (isKept && isOpen) {
            plan.details.back().last = i;
        } else if (isKept) {
            const std::ptrdiff_t lead = field.value.raw().data() - field.key.raw().data();
            plan.details.push_back({i, i, static_cast<std::size_t>(lead)});
        }
        isOpen = isKept;
    }
}

void RecordMaker::count(const TraceEvent& event, const EventPlan& plan) {
    ++m_batch->events;
    const auto code
        = event.ph.text.size() == 1 ? static_cast<unsigned char>(event.ph.text[0]) : 255U;
    ++m_batch->phases[std::min<std::size_t>(code, m_batch->phases.size() - 1)];
    const std::uint32_t category = inBatch(m_categories[plan.category], m_batch->categories.size(),
        [&](const std::string& name) { m_batch->categories.emplace_back(name, 0); });
    ++m_batch->categories[category].second;
}

void RecordMaker::add(const TraceEvent& event, const EventPlan& plan, std::size_t end) {
    count(event, plan);
    EventRecord record;
    record.end = static_cast<std::uint32_t>(end);
    record.spanKind = plan.kind.kind;
    if (plan.phase == 'X')
        return addComplete(event, plan, record);
    if (plan.phase == 's' || plan.phase == 't' || plan.phase == 'f')
        return addFlow(event, plan, record);
    if (isTakenWhole(plan.phase))
        return addOther(event, record);
    if (plan.phase == '\0') {
        record.kind = RecordKind::Unusable;
        record.problem = EventProblem::NoPhase;
        m_batch->records.push_back(record);
    }
}

bool RecordMaker::isTakenWhole(char phase) {
    static constexpr std::string_view kPhases = "BECMiIbeSF";
    return kPhases.find(phase) != std::string_view::npos;
}

void RecordMaker::addOther(const TraceEvent& event, EventRecord& record) {
    record.kind = RecordKind::Other;
    record.name = static_cast<std::uint32_t>(m_batch->others.size());
    m_batch->others.push_back(event);
    m_batch->records.push_back(record);
}

void RecordMaker::addFlow(const TraceEvent& event, const EventPlan& plan, EventRecord& record) {
    const auto time = microsecondsToNs(event.ts.text);
    auto id = integerOf(event.id);
    // Beyond 64 bits, or a text that is no number: any number that stays with it.
    if (!id && event.id.kind != TokenKind::None && !plan.isForwardBackward)
        id = static_cast<std::int64_t>(hashOf(event.id.raw()) >> 2U);
    if (!time || !id)
        return;
    if (plan.isForwardBackward)
        record.autograd = correlationOf({*id, plan.phase == 'f'});
    if (plan.isForwardBackward && record.autograd == 0)
        return;
    record.kind = RecordKind::Flow;
    record.start = *time;
    record.correlation = *id;
    if (*id >= kFirstEdge && *id < 2 * kFirstEdge && plan.kind.kind == SpanKind::Sync) {
        record.kind = plan.phase == 's' ? RecordKind::EdgeBegin : RecordKind::EdgeEnd;
        record.track = trackOf(event, plan);
    }
    record.place = placeOf(event);
    m_batch->records.push_back(record);
}

void RecordMaker::addComplete(const TraceEvent& event, const EventPlan& plan, EventRecord& record) {
    const auto start = microsecondsToNs(event.ts.text);
    const auto duration = microsecondsToNs(event.dur.text);
    if (!duration)
        record.problem = EventProblem::NoDuration;
    else if (*duration < 0)
        record.problem = EventProblem::NegativeDuration;
    record.start = start.value_or(0);
    record.duration = std::max<std::int64_t>(duration.value_or(0), 0);
    if (!start || !canAdd(record.start, record.duration)) {
        record.kind = RecordKind::Unusable;
        record.problem = start ? EventProblem::BeyondTime : EventProblem::NoTime;
        m_batch->records.push_back(record);
        return;
    }
    record.name = nameOf(event.name);
    record.detail = detailOf(event, plan);
    record.track = trackOf(event, plan);
    if (record.spanKind == SpanKind::CpuOp || record.spanKind == SpanKind::Annotation) {
        const JsonToken* function = argument(event, plan.function);
        record.correlation = function == nullptr ? 0 : integerOf(*function).value_or(0);
        record.autograd = autogradOf(event, plan);
        record.mayWaitForArrow
            = plan.sequence == EventPlan::kNoArgument && record.spanKind == SpanKind::CpuOp;
    } else if (hasCorrelation(record.spanKind)) {
        const JsonToken* correlation = argument(event, plan.correlation);
        record.correlation = correlation == nullptr ? 0 : integerOf(*correlation).value_or(0);
        record.mayWaitForArrow = record.correlation == 0 && record.spanKind != SpanKind::Sync;
    }
    if (record.mayWaitForArrow)
        record.place = placeOf(event);
    const JsonToken* external = argument(event, plan.external);
    if (external != nullptr && (record.spanKind == SpanKind::CpuOp || record.mayWaitForArrow))
        record.external = integerOf(*external).value_or(0);
    m_batch->records.push_back(record);
}

std::uint32_t RecordMaker::textInBatch(Known<std::string>& text) {
    return inBatch(
        text, m_batch->textCount(), [&](const std::string& value) { m_batch->addText(value); });
}

std::uint32_t RecordMaker::nameOf(const JsonToken& token) {
    // Escaped texts are kept apart from plain ones by a prefix that no plain text has.
    std::string_view key = token.text;
    if (!token.isPlain)
        key = m_key.assign(1, '\0').append(token.text);
    const StringTable::Found found = m_nameTable.add(key);
    if (found.isNew)
        m_names.push_back({std::string(plainText(token, m_storage))});
    return textInBatch(m_names[found.index]);
}

std::uint32_t RecordMaker::detailOf(const TraceEvent& event, const EventPlan& plan) {
    if (plan.details.empty())
        return EventRecord::kNone;
    std::string_view key;
    for (const EventPlan::Details& details : plan.details) {
        const char* const begin = event.args[details.first].value.raw().data() - details.lead;
        const std::string_view last = event.args[details.last].value.raw();
        key = std::string_view(begin, static_cast<std::size_t>(last.data() + last.size() - begin));
        if (plan.details.size() > 1) {
            if (&details == &plan.details.front())
                m_key.clear();
            m_key.append(key).append(1, '\0');
        }
    }
    if (plan.details.size() > 1)
        key = m_key;
    const StringTable::Found found = m_detailTable.add(key);
    if (found.isNew) {
        m_storage.clear();
        appendDetail(event, plan.kind.kind, m_storage);
        m_details.push_back({m_storage});
    }
    return textInBatch(m_details[found.index]);
}

std::uint32_t RecordMaker::trackOf(const TraceEvent& event, const EventPlan& plan) {
    const JsonToken* const stream = argument(event, plan.stream);
    const JsonToken* const device = argument(event, plan.device);
    m_key.assign(1, static_cast<char>(plan.kind.place));
    m_key.append(event.pid.raw()).append(1, '\0').append(event.tid.raw()).append(1, '\0');
    const bool isOnHost
        = plan.kind.place == SpanPlace::Host || plan.kind.place == SpanPlace::Elsewhere;
    if (!isOnHost) {
        m_key.append(stream == nullptr ? std::string_view() : stream->raw()).append(1, '\0');
        m_key.append(device == nullptr ? std::string_view() : device->raw());
    }
    const StringTable::Found found = m_trackTable.add(m_key);
    if (found.isNew)
        m_tracks.push_back({trackLabelOf(event, plan.kind, stream, device)});
    return inBatch(m_tracks[found.index], m_batch->tracks.size(),
        [&](const TrackLabel& label) { m_batch->tracks.push_back(label); });
}

} // namespace trainscope::importers::kineto
