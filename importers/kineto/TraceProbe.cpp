#include "importers/kineto/TraceProbe.h"

#include "core/model/Try.h"
#include "importers/kineto/TraceHeader.h"
#include "importers/kineto/TraceReader.h"

#include <algorithm>

namespace trainscope::importers::kineto {

namespace {

constexpr std::uint64_t kHeadLimit = std::uint64_t{16} << 20;
constexpr std::uint64_t kMembersLimit = std::uint64_t{64} << 20;

// Ends a stream early.
class LimitedStream final : public ByteStream {
public:
    LimitedStream(ByteStream& stream, std::uint64_t limit)
        : m_stream(stream)
        , m_left(limit) { }

    Result<std::size_t> read(std::span<std::byte> buffer) override {
        const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), m_left));
        auto got = m_stream.read(buffer.first(count));
        if (got.hasValue())
            m_left -= got.value();
        return got;
    }
    [[nodiscard]] std::uint64_t bytesConsumed() const override { return m_stream.bytesConsumed(); }

private:
    ByteStream& m_stream;
    std::uint64_t m_left;
};

class ProbeVisitor final : public TraceVisitor {
public:
    ProbeVisitor(TraceProbe& probe, bool stopsAtEvent)
        : m_probe(probe)
        , m_stopsAtEvent(stopsAtEvent) { }

    void header(std::string_view key, const JsonToken& value) override {
        m_probe.header.take(key, value);
    }
    Status events(const EventBatch& batch, const TraceSyntax& /*text*/) override {
        const auto first = std::find_if(batch.records.begin(), batch.records.end(),
            [](const EventRecord& record) { return record.kind == RecordKind::Span; });
        if (!m_probe.firstNs && first != batch.records.end())
            m_probe.firstNs = first->start;
        if (m_stopsAtEvent && m_probe.firstNs)
            return cancelled();
        return {};
    }
    void broken(
        std::int64_t /*line*/, const std::string& /*what*/, bool /*skippedEvent*/) override {
        // The import reports it.
    }

private:
    TraceProbe& m_probe;
    bool m_stopsAtEvent;
};

} // namespace

TraceProbe probeTrace(const SourceTree& tree, const std::string& path, ProbeDepth depth) {
    TraceProbe probe;
    auto stream = tree.open(path);
    if (!stream.hasValue()) {
        probe.problem = stream.error().describe();
        return probe;
    }
    LimitedStream limited(*stream.value(), depth == ProbeDepth::Head ? kHeadLimit : kMembersLimit);
    TraceReader reader(limited, 0, "Looking at the trace", nullptr, TraceReader::kSmallPiece);
    ProbeVisitor visitor(probe, depth == ProbeDepth::Head);
    const auto result = reader.run(visitor, {});
    if (!result.hasValue() && result.error().code != ErrorCode::Cancelled)
        probe.problem = result.error().describe();
    return probe;
}

namespace {

constexpr std::string_view kKey = "\"baseTimeNanoseconds\"";
// The end of the key begins with a letter that is rare in traces, which makes it quick to look for.
constexpr std::string_view kKeyEnd = "Nanoseconds\"";
constexpr std::size_t kTail = std::size_t{1} << 20;

// Appends up to `limit` bytes of the stream; what cannot be read is not there.
void appendUpTo(ByteStream& stream, std::size_t limit, std::string& text) {
    if (!readUpTo(stream, text.size() + limit, text).hasValue())
        text.clear();
}

Result<std::optional<std::int64_t>> parseForBaseTime(
    const SourceTree& tree, const std::string& path, std::uint64_t size, const Progress& progress) {
    ASSIGN_OR_RETURN(auto stream, tree.open(path));
    TraceProbe probe;
    ProbeVisitor visitor(probe, false);
    TraceReader reader(*stream, size, "Looking for the base time", &WorkerPool::shared());
    RETURN_IF_ERROR(reader.run(visitor, progress));
    return probe.header.baseNs;
}

bool endsAsTrace(std::string_view text) {
    const std::size_t last = text.find_last_not_of(" \t\r\n");
    return last != std::string_view::npos && (text[last] == '}' || text[last] == ']');
}

// Reads members up to the end of the object and of the text.
std::optional<std::int64_t> readMembers(JsonScanner& scanner) {
    TraceHeader header;
    while (scanner.peek() == ',') {
        scanner.advance();
        JsonToken key;
        JsonToken value;
        if (scanner.peek() != '"' || scanner.string(key) != Scan::Ok || scanner.peek() != ':')
            return std::nullopt;
        scanner.advance();
        if (scanner.value(value) != Scan::Ok)
            return std::nullopt;
        if (key.text == kKey.substr(1, kKey.size() - 2))
            header.take(key.text, value);
    }
    if (scanner.peek() != '}')
        return std::nullopt;
    scanner.advance();
    return scanner.peek() == '\0' && scanner.atEnd() ? header.baseNs : std::nullopt;
}

} // namespace

std::optional<std::int64_t> baseTimeOfTail(std::string_view tail) {
    const std::size_t key = tail.rfind(kKey);
    if (key == std::string_view::npos)
        return std::nullopt;
    // Members that lie between may have brackets of their own.
    constexpr int kMostBrackets = 200;
    std::size_t bracket = tail.rfind(']', key);
    for (int i = 0; i < kMostBrackets && bracket != std::string_view::npos && bracket > 0; ++i) {
        std::string text(tail.substr(bracket + 1));
        const std::size_t size = text.size();
        text.append(JsonScanner::kPadding, '\0');
        JsonScanner scanner(text.data(), text.data() + size);
        if (const auto base = readMembers(scanner))
            return base;
        bracket = tail.rfind(']', bracket - 1);
    }
    return std::nullopt;
}

Result<BaseTime> findBaseTime(
    const SourceTree& tree, const std::string& path, const Progress& progress) {
    if (const auto base = baseTimeOfTail(readTail(tree, path, kTail)))
        return BaseTime{base};
    const std::uint64_t size = tree.sizeOf(path);
    ASSIGN_OR_RETURN(auto stream, tree.open(path));
    std::string text; // the last kTail bytes read, at least
    bool isMentioned = false;
    for (bool goesOn = true; goesOn;) {
        if (progress && !progress({"Looking for the base time", stream->bytesConsumed(), size}))
            return cancelled();
        if (text.size() > kTail)
            text.erase(0, text.size() - kTail);
        const std::size_t old = text.size();
        appendUpTo(*stream, kTail, text);
        goesOn = text.size() == old + kTail;
        const std::size_t from = old - std::min(old, kKeyEnd.size() - 1);
        isMentioned = isMentioned || text.find(kKeyEnd, from) != std::string::npos;
    }
    BaseTime found{baseTimeOfTail(text), !endsAsTrace(text)};
    if (!found.ns && isMentioned) {
        ASSIGN_OR_RETURN(found.ns, parseForBaseTime(tree, path, size, progress));
    }
    return found;
}

} // namespace trainscope::importers::kineto
