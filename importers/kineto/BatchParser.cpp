#include "importers/kineto/BatchParser.h"

#include "core/model/Try.h"

#include <emmintrin.h>

#include <bit>
#include <cstring>

#if defined(__SSE2__)
#endif

namespace trainscope::importers::kineto {

namespace {

constexpr std::ptrdiff_t kLookahead = 512;
constexpr std::size_t kFirstRoom = std::size_t{64} << 10; // for the text of a piece

constexpr std::array<std::string_view, 11> kEventKeys{
    "ph", "name", "cat", "pid", "tid", "ts", "dur", "id", "args", "s", "bp"};
constexpr std::array<std::string_view, 7> kMemberKeys{"traceEvents", "baseTimeNanoseconds",
    "distributedInfo", "deviceProperties", "traceName", "displayTimeUnit", "schemaVersion"};

bool isBlank(char c) {
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

const char* skipBlanks(const char* p, const char* end) {
    while (p < end && isBlank(*p))
        ++p;
    return p;
}

// True if `p` stands at "key" and a colon, with key one of `keys`.
template <typename Keys>
bool isKey(const char* p, const char* end, const Keys& keys) {
    if (p >= end || *p != '"')
        return false;
    const char* const close = std::find(p + 1, std::min(end, p + 40), '"');
    if (close == end || *close != '"')
        return false;
    const std::string_view key(p + 1, static_cast<std::size_t>(close - p - 1));
    if (std::find(keys.begin(), keys.end(), key) == keys.end())
        return false;
    const char* const colon = skipBlanks(close + 1, end);
    return colon < end && *colon == ':';
}

bool isMemberValue(const char* brace, const char* begin) {
    const char* p = brace;
    while (p > begin && isBlank(p[-1]))
        --p;
    return p > begin && p[-1] == ':';
}

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

ResyncPoint findResync(const char* from, const char* end, const char* begin, bool isLastText) {
    for (const char* p = from; p < end; ++p) {
        if (*p != '{' && *p != '"')
            continue;
        if (!isLastText && end - p < kLookahead)
            return {ResyncPoint::Kind::None, p};
        const char* const limit = std::min(end, p + kLookahead);
        if (*p == '"' && isKey(p, limit, kMemberKeys))
            return {ResyncPoint::Kind::Member, p};
        if (*p == '{' && !isMemberValue(p, begin)
            && isKey(skipBlanks(p + 1, limit), limit, kEventKeys))
            return {ResyncPoint::Kind::Event, p};
    }
    return {ResyncPoint::Kind::None, end};
}

const char* lastEventStart(const char* begin, const char* end) {
    for (const char* p = end; p-- > begin;) {
        if (*p != '{')
            continue;
        const char* comma = p;
        while (comma > begin && isBlank(comma[-1]))
            --comma;
        if (comma == begin || comma[-1] != ',')
            continue;
        --comma;
        while (comma > begin && isBlank(comma[-1]))
            --comma;
        if (comma > begin && comma[-1] == '}' && isKey(skipBlanks(p + 1, end), end, kEventKeys))
            return p;
    }
    return nullptr;
}

void TracePiece::parse() {
    parser.parse(text.data(), 0, text.data() + size, batch);
    lines = countLines(text.data(), text.data() + size);
    isParsed = true;
}

std::int64_t countLines(const char* begin, const char* end) {
    // Counting in bytes lets the compiler take many at a time.
    constexpr std::ptrdiff_t kBlock = 128;
    std::int64_t lines = 0;
    while (begin < end) {
        const char* const stop = begin + std::min(kBlock, end - begin);
        std::uint8_t count = 0;
        for (; begin < stop; ++begin)
            count = static_cast<std::uint8_t>(count + (*begin == '\n' ? 1 : 0));
        lines += count;
    }
    return lines;
}

Status PieceReader::fill(TracePiece& piece) {
    while (!m_isAtEnd && piece.size < m_pieceSize) {
        if (piece.size + JsonScanner::kPadding == piece.text.size())
            piece.text.resize(std::min(2 * piece.size, m_pieceSize) + JsonScanner::kPadding);
        const std::size_t room = std::min(m_pieceSize, piece.text.size() - JsonScanner::kPadding);
        const auto got = m_stream.read(
            std::as_writable_bytes(std::span(piece.text.data() + piece.size, room - piece.size)));
        if (!got.hasValue() && m_bytes == 0)
            return got.error();
        if (!got.hasValue())
            m_problem = got.error().message;
        m_isAtEnd = !got.hasValue() || got.value() == 0;
        piece.size += got.valueOr(0);
        m_bytes += got.valueOr(0);
    }
    return {};
}

Result<bool> PieceReader::read(TracePiece& piece) {
    // Short traces cost what they hold: the room for more comes with more.
    const std::size_t least
        = std::max(std::min(m_pieceSize, kFirstRoom), m_rest.size()) + JsonScanner::kPadding;
    const std::size_t most = std::max(m_pieceSize, m_rest.size()) + JsonScanner::kPadding;
    if (piece.text.size() < least || piece.text.size() > 4 * most)
        piece.text = std::string(least, '\0');
    piece.isParsed = false;
    piece.size = m_rest.size();
    std::memcpy(piece.text.data(), m_rest.data(), m_rest.size());
    m_rest.clear();
    RETURN_IF_ERROR(fill(piece));
    char* const begin = piece.text.data();
    if (!m_isAtEnd) {
        constexpr std::size_t kSearch = std::size_t{128} << 10;
        const char* const end = begin + piece.size;
        std::memset(begin + piece.size, 0, JsonScanner::kPadding);
        const char* const cut
            = lastEventStart(begin + piece.size - std::min(piece.size, kSearch), end);
        if (cut != nullptr) {
            m_rest.assign(cut, end);
            piece.size = static_cast<std::size_t>(cut - begin);
        }
    }
    std::memset(begin + piece.size, 0, JsonScanner::kPadding);
    return piece.size > 0;
}

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
