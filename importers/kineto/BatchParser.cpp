#include "importers/kineto/BatchParser.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace trainscope::importers::kineto {

namespace {

constexpr std::size_t kMaxRecords = 50'000; // in a batch
constexpr std::size_t kMaxTemplates = 512;
constexpr std::size_t kMaxSample = std::size_t{16} << 10;

// Both texts are followed by JsonScanner::kPadding readable bytes.
bool isSame(const char* a, const char* b, std::size_t size) {
#if defined(__SSE2__)
    static_assert(JsonScanner::kPadding >= 16);
    for (std::size_t i = 0; i < size; i += 16) {
        const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(a + i));
        const __m128i y = _mm_loadu_si128(reinterpret_cast<const __m128i*>(b + i));
        const auto differ = ~static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(x, y)));
        if (static_cast<std::size_t>(std::countr_zero(differ))
            < std::min<std::size_t>(16, size - i))
            return false;
    }
    return true;
#else
    return std::memcmp(a, b, size) == 0;
#endif
}

bool readAs(const EventTemplate& found, JsonScanner& scanner) {
    for (const EventTemplate::Step& step : found.steps) {
        const char* const p = scanner.position();
        if (scanner.end() - p < static_cast<std::ptrdiff_t>(step.size)
            || !isSame(p, found.sample.data() + step.begin, step.size))
            return false;
        scanner.moveTo(p + step.size);
        if (step.value != nullptr && scanner.value(*step.value) != Scan::Ok)
            return false;
    }
    return true;
}

// All tokens of the event but those which say what it is, as they stand in the text.
void collectValues(TraceEvent& event, std::vector<JsonToken*>& values) {
    values.clear();
    for (JsonToken* token :
        {&event.name, &event.pid, &event.tid, &event.ts, &event.dur, &event.id}) {
        if (token->kind != TokenKind::None)
            values.push_back(token);
    }
    for (EventField& field : event.args)
        values.push_back(&field.value);
    for (JsonToken& token : event.ignored)
        values.push_back(&token);
    std::sort(values.begin(), values.end(), [](const JsonToken* a, const JsonToken* b) {
        return std::less<>()(a->text.data(), b->text.data());
    });
}

void moveTokens(TraceEvent& event, const char* from, const char* to) {
    const auto move = [from, to](JsonToken& token) {
        if (token.kind != TokenKind::None)
            token.text = std::string_view(to + (token.text.data() - from), token.text.size());
    };
    for (JsonToken* token : {&event.ph, &event.cat, &event.name, &event.pid, &event.tid, &event.ts,
             &event.dur, &event.id})
        move(*token);
    for (EventField& field : event.args) {
        move(field.key);
        move(field.value);
    }
    for (JsonToken& token : event.ignored)
        move(token);
}

void setSteps(EventTemplate& found, const std::vector<JsonToken*>& values, std::size_t size) {
    std::size_t at = 0;
    for (JsonToken* value : values) {
        const std::string_view raw = value->raw();
        const auto begin = static_cast<std::size_t>(raw.data() - found.sample.data());
        found.steps.push_back({at, begin - at, value});
        at = begin + raw.size();
    }
    found.steps.push_back({at, size - at, nullptr});
}

} // namespace

const EventTemplate* EventTemplates::read(JsonScanner& scanner) {
    const char* const begin = scanner.position();
    for (EventTemplate* candidate : m_last == nullptr ? m_first : m_last->next) {
        if (candidate == nullptr)
            break;
        if (readAs(*candidate, scanner)) {
            ++m_reads;
            follow(*candidate);
            return candidate;
        }
        scanner.moveTo(begin);
    }
    return nullptr;
}

void EventTemplates::follow(EventTemplate& found) {
    auto& next = m_last == nullptr ? m_first : m_last->next;
    if (next.front() != &found) {
        auto place = std::find(next.begin(), next.end() - 1, &found);
        std::rotate(next.begin(), place, place + 1);
        next.front() = &found;
    }
    m_last = &found;
}

// Text without repetition is not worth the learning.
bool EventTemplates::mayLearn() const {
    constexpr std::size_t kFree = 64;
    return m_templates.size() < kMaxTemplates && m_templates.size() < kFree + m_reads / 64;
}

void EventTemplates::learn(std::string_view text, const TraceEvent& event, const EventPlan& plan) {
    if (text.size() > kMaxSample) {
        m_last = nullptr;
        return;
    }
    auto learnt = std::make_unique<EventTemplate>();
    learnt->event = event;
    collectValues(learnt->event, m_values);
    m_key.clear();
    const char* at = text.data();
    for (const JsonToken* value : m_values) {
        const std::string_view raw = value->raw();
        m_key.append(at, raw.data()).append(1, '\0');
        at = raw.data() + raw.size();
    }
    m_key.append(at, text.data() + text.size());
    if (const auto found = m_templates.find(m_key); found != m_templates.end())
        return follow(*found->second);
    if (!mayLearn()) {
        m_last = nullptr;
        return;
    }
    learnt->sample.assign(text).append(JsonScanner::kPadding, '\0');
    moveTokens(learnt->event, text.data(), learnt->sample.data());
    setSteps(*learnt, m_values, text.size());
    learnt->plan = plan;
    follow(*m_templates.emplace(m_key, std::move(learnt)).first->second);
}

void EventTemplates::forget() {
    m_templates.clear();
    m_last = nullptr;
    m_first = {};
    m_reads = 0;
}

void BatchParser::parse(const char* begin, std::size_t from, const char* end, EventBatch& batch) {
    m_maker.begin(batch);
    if (m_generation != m_maker.generation())
        m_templates.forget();
    m_generation = m_maker.generation();
    JsonScanner scanner(begin + from, end);
    while (batch.records.size() < kMaxRecords) {
        while (scanner.peek() == ',')
            scanner.advance();
        if (*scanner.position() != '{' || !parseOne(scanner, begin))
            break;
    }
    batch.end = static_cast<std::size_t>(scanner.position() - begin);
}

bool BatchParser::parseOne(JsonScanner& scanner, const char* begin) {
    const char* const event = scanner.position();
    const auto offset = [&] { return static_cast<std::size_t>(scanner.position() - begin); };
    if (const EventTemplate* found = m_templates.read(scanner); found != nullptr) {
        m_maker.add(found->event, found->plan, offset());
        return true;
    }
    if (parseEvent(scanner, m_event) != Scan::Ok || m_event.wasRepaired) {
        scanner.moveTo(event);
        return false;
    }
    m_maker.plan(m_event, m_plan);
    m_maker.add(m_event, m_plan, offset());
    // Events that are handed on whole must not have views into templates.
    if (!RecordMaker::isTakenWhole(m_plan.phase))
        m_templates.learn({event, scanner.position()}, m_event, m_plan);
    return true;
}

void BatchParser::take(const TraceEvent& event, std::size_t end, EventBatch& batch) {
    m_maker.begin(batch);
    m_maker.plan(event, m_plan);
    m_maker.add(event, m_plan, end);
}

} // namespace trainscope::importers::kineto
