#include "importers/kineto/HeadProbe.h"

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

} // namespace trainscope::importers::kineto
