#include "importers/kineto/TraceSyntax.h"

#include "core/model/Try.h"
#include "core/parallel/OrderedJobs.h"

#include <cstring>

namespace trainscope::importers::kineto {

namespace {

// Sizes of one event, by far beyond any real one, and of a header; larger ones are passed over.
constexpr std::size_t kMaxItem = std::size_t{9} << 20;
constexpr std::ptrdiff_t kMaxHeader = std::ptrdiff_t{8} << 20;

} // namespace

TraceReader::TraceReader(ByteStream& stream, std::uint64_t bytesTotal, std::string_view phase,
    WorkerPool* pool, std::size_t pieceSize)
    : m_stream(stream)
    , m_bytesTotal(bytesTotal)
    , m_phase(phase)
    , m_pool(pool)
    , m_pieces(stream, pieceSize) { }

TraceReader::Piece TraceReader::emptyPiece() {
    if (m_emptyPieces.empty())
        return std::make_shared<TracePiece>();
    auto piece = std::move(m_emptyPieces.back());
    m_emptyPieces.pop_back();
    return piece;
}

void TraceReader::take(Piece&& piece, TraceVisitor& visitor) {
    m_text.feed(*piece, visitor);
    m_emptyPieces.push_back(std::move(piece));
}

Result<ReadResult> TraceReader::run(TraceVisitor& visitor, const Progress& progress) {
    RETURN_IF_ERROR(readAll(visitor, progress));
    m_text.finish(m_pieces.problem(), visitor);
    if (!m_text.status().hasValue())
        return m_text.status().error();
    return ReadResult{m_pieces.bytes(), m_text.isTruncated()};
}

Status TraceReader::readAll(TraceVisitor& visitor, const Progress& progress) {
    std::optional<OrderedJobs<Piece>> jobs;
    if (m_pool != nullptr)
        jobs.emplace(*m_pool, 0, [&](Piece&& piece) { take(std::move(piece), visitor); });
    while (!m_text.isDone()) {
        if (progress && !progress({m_phase, m_stream.bytesConsumed(), m_bytesTotal}))
            return cancelled();
        Piece piece = emptyPiece();
        ASSIGN_OR_RETURN(const auto isThere, m_pieces.read(*piece));
        if (!isThere)
            break;
        if (!jobs) {
            take(std::move(piece), visitor);
            continue;
        }
        jobs->submit([piece] {
            piece->parse();
            return piece;
        });
    }
    if (jobs && !m_text.isDone())
        jobs->finish();
    return m_text.status();
}

TraceSyntax::TraceSyntax()
    : m_buffer(JsonScanner::kPadding, '\0')
    , m_scanner(m_buffer.data(), m_buffer.data()) { }

std::int64_t TraceSyntax::lineAt(const char* position) const {
    // Counting on from the last answer keeps many warnings in one buffer cheap.
    const auto offset = static_cast<std::size_t>(position - m_buffer.data());
    if (offset < m_countedTo) {
        m_countedTo = 0;
        m_countedLines = 0;
    }
    m_countedLines += countLines(m_buffer.data() + m_countedTo, position);
    m_countedTo = offset;
    return m_firstLine + m_countedLines;
}

void TraceSyntax::finish(const std::string& problem, TraceVisitor& visitor) {
    m_isLast = true;
    m_patience = 0;
    State state = m_state;
    for (bool goesOn = true; goesOn;) {
        readBuffer(visitor);
        state = m_state;
        goesOn = !isDone() && findFurther(visitor);
    }
    if (isDone())
        return;
    m_state = State::Finished;
    m_isTruncated = !problem.empty() || (!m_sawEnd && m_sawText);
    if (!m_isTruncated)
        return;
    const bool isInsideEvent = state == State::Events && m_scanner.position() < m_scanner.end();
    visitor.broken(lineAt(m_scanner.end()),
        problem.empty() ? "the trace ends before it is complete; what was there has been read"
                        : "the trace ends before it is complete (" + problem
                + "); what was there has been read",
        isInsideEvent);
}

void TraceSyntax::feed(TracePiece& piece, TraceVisitor& visitor) {
    if (isDone())
        return;
    m_sawText = m_sawText || piece.size > 0;
    const bool isFresh = m_scanner.position() == m_scanner.end();
    append(piece);
    if (m_size < m_patience)
        return;
    if (isFresh && m_state == State::Events && piece.isParsed && piece.batch.end > 0) {
        m_status = visitor.events(piece.batch, *this);
        m_scanner.moveTo(m_buffer.data() + piece.batch.end);
    }
    readBuffer(visitor);
}

void TraceSyntax::append(TracePiece& piece) {
    const char* const position = m_scanner.position();
    const auto consumed = static_cast<std::size_t>(position - m_buffer.data());
    const bool isAllRead = consumed == m_size;
    m_firstLine = isAllRead && m_lines >= 0 ? m_firstLine + m_lines : lineAt(position);
    m_countedTo = 0;
    m_countedLines = 0;
    m_lines = isAllRead && piece.isParsed ? piece.lines : -1;
    if (isAllRead) {
        m_buffer.swap(piece.text);
        m_size = piece.size;
    } else {
        m_size -= consumed;
        std::memmove(m_buffer.data(), position, m_size);
        const std::size_t needed = m_size + piece.size + JsonScanner::kPadding;
        if (m_buffer.size() < needed)
            m_buffer.resize(needed + m_size);
        std::memcpy(m_buffer.data() + m_size, piece.text.data(), piece.size);
        m_size += piece.size;
        std::memset(m_buffer.data() + m_size, 0, JsonScanner::kPadding);
    }
    m_scanner = JsonScanner(m_buffer.data(), m_buffer.data() + m_size);
}

// Up to where more text is needed.
void TraceSyntax::readBuffer(TraceVisitor& visitor) {
    while (!isDone()) {
        const Scan outcome = step(visitor);
        if (outcome == Scan::Ok)
            continue;
        const auto rest = static_cast<std::size_t>(m_scanner.end() - m_scanner.position());
        const bool isTooLarge = outcome == Scan::NeedMore && rest > kMaxItem;
        if (isTooLarge || outcome == Scan::Broken)
            onBroken(visitor);
        if (isTooLarge)
            m_scanner.advance();
        if (!isTooLarge && outcome == Scan::NeedMore) {
            // A large item is not scanned anew with every piece of it.
            constexpr std::size_t kLarge = std::size_t{2} << 20;
            m_patience = rest > kLarge ? std::min(2 * rest, kMaxItem) : 0;
            return;
        }
    }
}

Scan TraceSyntax::step(TraceVisitor& visitor) {
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
    return Scan::Ok;
}

Scan TraceSyntax::stepStart() {
    static constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    const auto rest = static_cast<std::size_t>(m_scanner.end() - m_scanner.position());
    if (std::string_view(m_scanner.position(), rest).starts_with(kByteOrderMark))
        m_scanner.moveTo(m_scanner.position() + kByteOrderMark.size());
    const char c = m_scanner.peek();
    if (c == '\0' && m_scanner.atEnd())
        return Scan::NeedMore;
    if (c != '{' && c != '[')
        return Scan::Broken;
    m_isBareArray = c == '[';
    m_state = m_isBareArray ? State::Events : State::Members;
    m_scanner.advance();
    return Scan::Ok;
}

Scan TraceSyntax::stepMembers(TraceVisitor& visitor) {
    while (m_scanner.peek() == ',')
        m_scanner.advance();
    const char* const begin = m_scanner.position();
    if (*begin == '}') {
        m_scanner.advance();
        m_state = State::After;
        m_sawEnd = true;
        return Scan::Ok;
    }
    if (*begin != '"')
        return m_scanner.atEnd() ? Scan::NeedMore : Scan::Broken;
    JsonToken key;
    const Scan scan = m_scanner.string(key);
    if (scan == Scan::Ok && m_scanner.peek() == ':') {
        m_scanner.advance();
        if (key.text == "traceEvents" && m_scanner.peek() == '[') {
            m_scanner.advance();
            m_state = State::Events;
            return Scan::Ok;
        }
        if (!m_scanner.atEnd()) {
            const Scan outcome = headerValue(key.text, visitor);
            if (outcome == Scan::NeedMore)
                m_scanner.moveTo(begin);
            return outcome;
        }
    }
    const bool isCut = scan == Scan::NeedMore || (scan == Scan::Ok && m_scanner.atEnd());
    if (!isCut)
        return Scan::Broken;
    m_scanner.moveTo(begin);
    return Scan::NeedMore;
}

Scan TraceSyntax::headerValue(std::string_view key, TraceVisitor& visitor) {
    const char* const begin = m_scanner.position();
    JsonToken token;
    const Scan scan = m_scanner.value(token);
    if (scan == Scan::Ok) {
        visitor.header(key, token);
        return Scan::Ok;
    }
    if (scan == Scan::NeedMore && m_scanner.end() - begin > kMaxHeader) {
        m_scanner.moveTo(begin);
        m_skipDepth = 0;
        m_state = State::SkipValue;
        return Scan::Ok;
    }
    return scan;
}

Scan TraceSyntax::stepSkipValue() {
    JsonToken inner;
    for (;;) {
        const char* const begin = m_scanner.position();
        const char c = *begin;
        if (c == '\0' && m_scanner.atEnd())
            return Scan::NeedMore;
        if (c == '"') {
            const Scan scan = m_scanner.string(inner);
            if (scan == Scan::NeedMore)
                m_scanner.moveTo(begin);
            if (scan != Scan::Ok)
                return scan;
            continue;
        }
        m_scanner.advance();
        if (c == '{' || c == '[')
            ++m_skipDepth;
        else if ((c == '}' || c == ']') && --m_skipDepth <= 0)
            break;
    }
    m_state = State::Members;
    return Scan::Ok;
}

Scan TraceSyntax::stepEvents(TraceVisitor& visitor) {
    for (;;) {
        const char c = m_scanner.peek();
        if (c == '{') {
            if (takeEvents(visitor))
                return Scan::Ok;
            if (const Scan outcome = stepEvent(visitor); outcome != Scan::Ok)
                return outcome;
            if (!m_status.hasValue() || m_state != State::Events)
                return Scan::Ok;
        } else if (c == ',') {
            m_scanner.advance();
        } else if (c == ']') {
            m_scanner.advance();
            m_state = m_isBareArray ? State::After : State::Members;
            m_sawEnd = m_isBareArray;
            return Scan::Ok;
        } else {
            return m_scanner.atEnd() ? Scan::NeedMore : Scan::Broken;
        }
    }
}

// The sound events from here on; false if there is none.
bool TraceSyntax::takeEvents(TraceVisitor& visitor) {
    const auto from = static_cast<std::size_t>(m_scanner.position() - m_buffer.data());
    m_parser.parse(m_buffer.data(), from, m_scanner.end(), m_batch);
    if (m_batch.end == from)
        return false;
    m_scanner.moveTo(m_buffer.data() + m_batch.end);
    m_status = visitor.events(m_batch, *this);
    return true;
}

Scan TraceSyntax::stepEvent(TraceVisitor& visitor) {
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
            return Scan::NeedMore;
        m_scanner.advance();
        m_state = State::Resync;
        return Scan::Ok;
    }
    if (m_event.wasRepaired)
        visitor.broken(lineAt(begin), "broken text inside an event was passed over", false);
    m_parser.take(
        m_event, static_cast<std::size_t>(m_scanner.position() - m_buffer.data()), m_batch);
    m_status = visitor.events(m_batch, *this);
    return Scan::Ok;
}

Scan TraceSyntax::stepAfter(TraceVisitor& visitor) {
    const char c = m_scanner.peek();
    if (c == '\0' && m_scanner.atEnd())
        return Scan::NeedMore;
    visitor.broken(
        lineAt(m_scanner.position()), "there is text behind the end of the trace", false);
    m_state = State::Resync;
    return Scan::Ok;
}

void TraceSyntax::onBroken(TraceVisitor& visitor) {
    static constexpr std::string_view kWhere[] = {"the file does not start like a trace",
        "the members of the trace are not valid JSON here",
        "there is something else between the events", "a member of the trace is not valid JSON"};
    const auto index = std::min<std::size_t>(static_cast<std::size_t>(m_state), 3);
    visitor.broken(lineAt(m_scanner.position()),
        std::string(kWhere[index]) + "; reading goes on at the next event", false);
    m_state = State::Resync;
}

Scan TraceSyntax::stepResync() {
    const char* const begin = m_scanner.position();
    const ResyncPoint point = findResync(begin, m_scanner.end(), m_buffer.data(), m_isLast);
    m_scanner.moveTo(point.position);
    switch (point.kind) {
    case ResyncPoint::Kind::None:
        return Scan::NeedMore;
    case ResyncPoint::Kind::Event:
        m_state = State::Events;
        return Scan::Ok;
    case ResyncPoint::Kind::Member:
        m_state = State::Members;
        return Scan::Ok;
    }
    return Scan::NeedMore;
}

// A stray quote that swallowed the rest may look like a cut.
bool TraceSyntax::findFurther(TraceVisitor& visitor) {
    const char* const begin = m_scanner.position();
    if (begin >= m_scanner.end() || m_state == State::After)
        return false;
    const bool isSearching = m_state == State::Resync;
    const char* const from = isSearching ? begin : begin + 1;
    if (findResync(from, m_scanner.end(), m_buffer.data(), true).kind == ResyncPoint::Kind::None)
        return false;
    if (!isSearching)
        visitor.broken(lineAt(begin), "an event is not valid JSON and was left out", true);
    m_scanner.moveTo(from);
    m_state = State::Resync;
    return true;
}

} // namespace trainscope::importers::kineto
