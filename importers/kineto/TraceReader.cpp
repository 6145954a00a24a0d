#include "importers/kineto/TraceReader.h"

#include "importers/kineto/Resync.h"

#include <algorithm>
#include <cstring>

namespace trainscope::importers::kineto {

namespace {

constexpr std::size_t kChunk = std::size_t{1} << 20;
constexpr std::size_t kMaxItem = std::size_t{32}
    << 20; // of one event, by far larger than any real one
constexpr std::ptrdiff_t kMaxHeader = std::ptrdiff_t{8}
    << 20; // larger header values are passed over

} // namespace

TraceReader::TraceReader(ByteStream& stream, std::uint64_t bytesTotal, std::string_view phase)
    : m_stream(stream)
    , m_bytesTotal(bytesTotal)
    , m_phase(phase)
    , m_buffer(kChunk + JsonScanner::kPadding, '\0')
    , m_scanner(m_buffer.data(), m_buffer.data()) { }

TraceReader::~TraceReader() = default;

std::int64_t TraceReader::lineAt(const char* position) const {
    // Counting on from the last answer keeps many warnings in one buffer cheap.
    const auto offset = static_cast<std::size_t>(position - m_buffer.data());
    if (offset < m_countedTo) {
        m_countedTo = 0;
        m_countedLines = 0;
    }
    m_countedLines += std::count(m_buffer.data() + m_countedTo, position, '\n');
    m_countedTo = offset;
    return m_firstLine + m_countedLines;
}

Result<bool> TraceReader::refill(const Progress& progress) {
    if (progress && !progress({m_phase, m_stream.bytesConsumed(), m_bytesTotal}))
        return cancelled();
    if (m_streamEnded)
        return false;
    const char* const position = m_scanner.position();
    m_firstLine = lineAt(position);
    m_countedTo = 0;
    m_countedLines = 0;
    const auto consumed = static_cast<std::size_t>(position - m_buffer.data());
    m_size -= consumed;
    std::memmove(m_buffer.data(), position, m_size);
    if (m_buffer.size() < m_size + kChunk + JsonScanner::kPadding)
        m_buffer.resize(m_size * 2 + kChunk + JsonScanner::kPadding);
    const auto got
        = m_stream.read(std::as_writable_bytes(std::span(m_buffer.data() + m_size, kChunk)));
    if (!got.hasValue()) {
        if (m_bytes == 0)
            return got.error();
        m_streamError = got.error().message;
    }
    const std::size_t count = got.hasValue() ? got.value() : 0;
    m_streamEnded = count == 0;
    m_size += count;
    m_bytes += count;
    std::memset(m_buffer.data() + m_size, 0, JsonScanner::kPadding);
    m_scanner = JsonScanner(m_buffer.data(), m_buffer.data() + m_size);
    return !m_streamEnded;
}

Result<ReadResult> TraceReader::run(TraceVisitor& visitor, const Progress& progress) {
    while (m_state != State::Finished) {
        const Step outcome = step(visitor);
        if (!m_status.hasValue())
            return m_status.error();
        const bool isTooLarge = outcome == Step::NeedMore && m_size > kMaxItem
            && m_scanner.position() == m_buffer.data();
        if (isTooLarge || outcome == Step::Broken)
            onBroken(visitor);
        if (isTooLarge) {
            m_scanner.advance();
            continue;
        }
        if (outcome != Step::NeedMore)
            continue;
        const auto more = refill(progress);
        if (!more.hasValue())
            return more.error();
        if (!more.value())
            finishTruncated(visitor);
    }
    m_result.bytes = m_bytes;
    return m_result;
}

TraceReader::Step TraceReader::step(TraceVisitor& visitor) {
    switch (m_state) {
    case State::Start:
        return stepStart();
    case State::Members:
        return stepMembers(visitor);
    case State::Events:
        return stepEvents(visitor);
    case State::SkipValue:
        return stepSkipValue();
    case State::Resync:
        return stepResync();
    case State::After:
        return stepAfter(visitor);
    case State::Finished:
        break;
    }
    return Step::Done;
}

TraceReader::Step TraceReader::stepStart() {
    static constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    const auto rest = static_cast<std::size_t>(m_scanner.end() - m_scanner.position());
    if (std::string_view(m_scanner.position(), rest).starts_with(kByteOrderMark))
        m_scanner.moveTo(m_scanner.position() + kByteOrderMark.size());
    const char c = m_scanner.peek();
    if (c == '\0' && m_scanner.atEnd())
        return Step::NeedMore;
    if (c != '{' && c != '[')
        return Step::Broken;
    m_isBareArray = c == '[';
    m_state = m_isBareArray ? State::Events : State::Members;
    m_scanner.advance();
    return Step::Done;
}

TraceReader::Step TraceReader::stepMembers(TraceVisitor& visitor) {
    while (m_scanner.peek() == ',')
        m_scanner.advance();
    const char* const begin = m_scanner.position();
    if (*begin == '}') {
        m_scanner.advance();
        m_state = State::After;
        m_sawEnd = true;
        return Step::Done;
    }
    if (*begin != '"')
        return m_scanner.atEnd() ? Step::NeedMore : Step::Broken;
    JsonToken key;
    const Scan scan = m_scanner.string(key);
    if (scan == Scan::Ok && m_scanner.peek() == ':') {
        m_scanner.advance();
        if (key.text == "traceEvents" && m_scanner.peek() == '[')
            return enterEvents(visitor);
        if (!m_scanner.atEnd()) {
            const Step outcome = headerValue(key.text, visitor);
            if (outcome == Step::NeedMore)
                m_scanner.moveTo(begin);
            return outcome;
        }
    }
    const bool isCut = scan == Scan::NeedMore || (scan == Scan::Ok && m_scanner.atEnd());
    if (!isCut)
        return Step::Broken;
    m_scanner.moveTo(begin);
    return Step::NeedMore;
}

TraceReader::Step TraceReader::enterEvents(TraceVisitor& visitor) {
    m_scanner.advance();
    m_state = visitor.eventsBegin() ? State::Events : State::Finished;
    return Step::Done;
}

TraceReader::Step TraceReader::headerValue(std::string_view key, TraceVisitor& visitor) {
    const char* const begin = m_scanner.position();
    JsonToken token;
    const Scan scan = m_scanner.value(token);
    if (scan == Scan::Ok) {
        visitor.header(key, token);
        return Step::Done;
    }
    if (scan == Scan::NeedMore && m_scanner.end() - begin > kMaxHeader) {
        m_scanner.moveTo(begin);
        m_skipDepth = 0;
        m_state = State::SkipValue;
        return Step::Done;
    }
    return scan == Scan::Broken ? Step::Broken : Step::NeedMore;
}

TraceReader::Step TraceReader::stepSkipValue() {
    JsonToken inner;
    for (;;) {
        const char* const begin = m_scanner.position();
        const char c = *begin;
        if (c == '\0' && m_scanner.atEnd())
            return Step::NeedMore;
        if (c == '"') {
            const Scan scan = m_scanner.string(inner);
            if (scan == Scan::NeedMore)
                m_scanner.moveTo(begin);
            if (scan != Scan::Ok)
                return scan == Scan::NeedMore ? Step::NeedMore : Step::Broken;
            continue;
        }
        m_scanner.advance();
        if (c == '{' || c == '[')
            ++m_skipDepth;
        else if ((c == '}' || c == ']') && --m_skipDepth <= 0)
            break;
    }
    m_state = State::Members;
    return Step::Done;
}

TraceReader::Step TraceReader::stepEvents(TraceVisitor& visitor) {
    for (;;) {
        const char c = m_scanner.peek();
        if (c == '{') {
            if (const Step outcome = stepEvent(visitor); outcome != Step::Done)
                return outcome;
            if (!m_status.hasValue() || m_state != State::Events)
                return Step::Done;
        } else if (c == ',') {
            m_scanner.advance();
        } else if (c == ']') {
            m_scanner.advance();
            m_state = m_isBareArray ? State::After : State::Members;
            m_sawEnd = m_isBareArray;
            return Step::Done;
        } else {
            return m_scanner.atEnd() ? Step::NeedMore : Step::Broken;
        }
    }
}

TraceReader::Step TraceReader::stepEvent(TraceVisitor& visitor) {
    const char* const begin = m_scanner.position();
    Scan scan = parseEvent(m_scanner, m_event);
    if (scan == Scan::Broken) {
        // Once more, in case an unescaped Windows path had swallowed a quote.
        const char* const brokenAt = m_scanner.position();
        m_scanner.moveTo(begin);
        m_scanner.setBackslashMayEndString(true);
        scan = parseEvent(m_scanner, m_event);
        m_scanner.setBackslashMayEndString(false);
        m_event.wasRepaired = true;
        if (scan == Scan::Broken)
            m_scanner.moveTo(brokenAt);
    }
    if (scan != Scan::Ok) {
        if (scan == Scan::Broken)
            visitor.broken(
                lineAt(m_scanner.position()), "an event is not valid JSON and was left out", true);
        m_scanner.moveTo(begin);
        if (scan == Scan::NeedMore)
            return Step::NeedMore;
        m_scanner.advance();
        m_state = State::Resync;
        return Step::Done;
    }
    if (m_event.wasRepaired)
        visitor.broken(lineAt(begin), "broken text inside an event was passed over", false);
    m_status = visitor.event(m_event, *this);
    return Step::Done;
}

TraceReader::Step TraceReader::stepAfter(TraceVisitor& visitor) {
    const char c = m_scanner.peek();
    if (c == '\0' && m_scanner.atEnd())
        return Step::NeedMore;
    visitor.broken(
        lineAt(m_scanner.position()), "there is text behind the end of the trace", false);
    m_state = State::Resync;
    return Step::Done;
}

void TraceReader::onBroken(TraceVisitor& visitor) {
    static constexpr std::string_view kWhere[] = {"the file does not start like a trace",
        "the members of the trace are not valid JSON here",
        "there is something else between the events", "a member of the trace is not valid JSON"};
    const auto index = std::min<std::size_t>(static_cast<std::size_t>(m_state), 3);
    visitor.broken(lineAt(m_scanner.position()),
        std::string(kWhere[index]) + "; reading goes on at the next event", false);
    m_state = State::Resync;
}

TraceReader::Step TraceReader::stepResync() {
    const char* const begin = m_scanner.position();
    const ResyncPoint point = findResync(begin, m_scanner.end(), m_buffer.data(), m_streamEnded);
    m_scanner.moveTo(point.position);
    switch (point.kind) {
    case ResyncPoint::Kind::None:
        return Step::NeedMore;
    case ResyncPoint::Kind::Event:
        m_state = State::Events;
        return Step::Done;
    case ResyncPoint::Kind::Member:
        m_state = State::Members;
        return Step::Done;
    }
    return Step::NeedMore;
}

void TraceReader::finishTruncated(TraceVisitor& visitor) {
    const State state = m_state;
    const char* const begin = m_scanner.position();
    const bool isSearching = state == State::Resync;
    if (begin < m_scanner.end() && state != State::After) {
        // What looks like a cut may be a stray quote that swallowed the rest.
        const char* const from = isSearching ? begin : begin + 1;
        if (findResync(from, m_scanner.end(), m_buffer.data(), true).kind
            != ResyncPoint::Kind::None) {
            if (!isSearching)
                visitor.broken(lineAt(begin), "an event is not valid JSON and was left out", true);
            m_scanner.moveTo(from);
            m_state = State::Resync;
            return;
        }
    }
    m_state = State::Finished;
    m_result.isTruncated = !m_streamError.empty() || (!m_sawEnd && m_bytes > 0);
    if (!m_result.isTruncated)
        return;
    const bool isInsideEvent = state == State::Events && m_scanner.position() < m_scanner.end();
    visitor.broken(lineAt(m_scanner.end()),
        m_streamError.empty() ? "the trace ends before it is complete; what was there has been read"
                              : "the trace ends before it is complete (" + m_streamError
                + "); what was there has been read",
        isInsideEvent);
}

} // namespace trainscope::importers::kineto
