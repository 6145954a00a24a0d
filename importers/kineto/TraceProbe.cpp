#include "importers/kineto/TraceProbe.h"

#include "core/layout/ProcessGroup.h"
#include "core/model/Try.h"
#include "importers/common/NodeValues.h"
#include "importers/common/Number.h"

namespace trainscope::importers::kineto {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kFacts{{
    {"traceName", "trace name"},
    {"trace_id", "trace id"},
    {"schemaVersion", "schema version"},
    {"host_name", "host"},
    {"cuda_runtime_version", "CUDA runtime"},
    {"cuda_driver_version", "CUDA driver"},
    {"cupti_version", "CUPTI"},
    {"hip_runtime_version", "HIP runtime"},
    {"hip_driver_version", "HIP driver"},
    {"roctracer_version", "roctracer"},
    {"record_shapes", "shapes recorded"},
    {"with_stack", "stacks recorded"},
}};

constexpr int kMaxRanks = 1'000'000;

// Strict JSON of the value, whatever the trace wrote; discarded where that fails.
NodeJson parsed(const JsonToken& value) {
    std::string text;
    appendJson(value, text);
    return NodeJson::parse(text, nullptr, false);
}

std::string stringOf(const NodeJson& object, const char* key) {
    return jsonText(jsonMember(object, key));
}

int numberOf(const NodeJson& object, const char* key) { // -1: none
    const auto number = jsonInteger(jsonMember(object, key)).value_or(-1);
    return number >= 0 && number <= kMaxRanks ? static_cast<int>(number) : -1;
}

// The communicators that the process has joined.
void takeProcessGroups(const NodeJson& list, TraceHeader& header) {
    if (!list.is_array())
        return;
    std::vector<layout::ProcessGroup> groups;
    for (const NodeJson& entry : list) {
        if (entry.is_object())
            groups.push_back({stringOf(entry, "pg_name"), stringOf(entry, "pg_desc"),
                jsonRanks(jsonMember(entry, "ranks"))});
    }
    constexpr std::size_t kLongest = 65'536;
    auto text = layout::processGroupsText(groups);
    if (!text.empty() && text.size() <= kLongest)
        header.facts[std::string(layout::kProcessGroupsFact)] = std::move(text);
}

void takeDistributedInfo(const NodeJson& info, TraceHeader& header) {
    if (!info.is_object())
        return;
    if (const int rank = numberOf(info, "rank"); rank >= 0 && rank < kMaxRanks)
        header.rank = rank;
    if (const int worldSize = numberOf(info, "world_size"); worldSize > 0)
        header.worldSize = worldSize;
    if (auto backend = stringOf(info, "backend"); !backend.empty())
        header.facts["backend"] = std::move(backend);
    if (auto version = stringOf(info, "nccl_version"); !version.empty())
        header.facts["NCCL"] = std::move(version);
    if (const auto groups = info.find("pg_config"); groups != info.end())
        takeProcessGroups(*groups, header);
}

void takeDevice(const NodeJson& device, int id, TraceHeader& header) {
    header.deviceNames[id] = stringOf(device, "name");
    for (const char* key : {"uuid", "UUID"}) {
        if (std::string uuid = stringOf(device, key); !uuid.empty())
            header.deviceUuids[id] = std::move(uuid);
    }
    for (const char* key : {"pciBusId", "pci_bus_id"}) {
        if (std::string address = stringOf(device, key); !address.empty())
            header.devicePciAddresses[id] = std::move(address);
    }
}

void takeDevices(const NodeJson& devices, TraceHeader& header) {
    if (!devices.is_array())
        return;
    int index = 0;
    for (const NodeJson& device : devices) {
        const int id = numberOf(device, "id");
        if (device.is_object())
            takeDevice(device, id < 0 ? index : id, header);
        ++index;
    }
}

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
        const auto first = std::ranges::find(batch.records, RecordKind::Span, &EventRecord::kind);
        if (!m_probe.firstNs && first != batch.records.end())
            m_probe.firstNs = first->start;
        const auto host = std::ranges::find_if(batch.records, [&batch](const EventRecord& record) {
            return record.kind == RecordKind::Span && record.track < batch.tracks.size()
                && batch.tracks[record.track].kind == TrackKind::Thread;
        });
        if (m_probe.process.empty() && host != batch.records.end())
            m_probe.process = batch.tracks[host->track].process;
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

// Widened by the events of pieces of a trace's text, as written.
class WrittenExtent {
public:
    // Events that the piece cuts in two may be missed.
    void add(std::string_view text) {
        constexpr std::string_view kStart = "\"ts\"";
        constexpr std::string_view kDuration = "\"dur\"";
        // Each place is looked for once, however many events come before it.
        const auto from = [text](std::size_t known, std::string_view what, std::size_t at) {
            return known >= at ? known : text.find(what, at);
        };
        std::size_t end = text.find('}');
        std::size_t dur = text.find(kDuration);
        for (std::size_t at = text.find(kStart); at != std::string_view::npos;
             at = text.find(kStart, at + 1)) {
            const auto start = numberBehind(text, at + kStart.size());
            if (!start || *start <= 0) // names of threads have 0
                continue;
            end = from(end, "}", at);
            dur = from(dur, kDuration, at);
            const auto length
                = dur < end ? numberBehind(text, dur + kDuration.size()) : std::nullopt;
            take(*start, *start + std::max<std::int64_t>(length.value_or(0), 0));
        }
    }
    [[nodiscard]] const std::optional<TimeRange>& range() const { return m_range; }

private:
    static std::optional<std::int64_t> numberBehind(std::string_view text, std::size_t at) {
        constexpr std::int64_t kNsPerUnit = 1000;
        at = text.find_first_not_of(": \"\t\r\n", at);
        if (at == std::string_view::npos)
            return std::nullopt;
        const std::size_t end = text.find_first_not_of("0123456789.eE+-", at);
        if (end == std::string_view::npos) // the piece ends within the number
            return std::nullopt;
        return decimalToNs(text.substr(at, end - at), kNsPerUnit);
    }
    void take(std::int64_t begin, std::int64_t end) {
        if (!m_range)
            m_range = TimeRange{{begin}, {end}};
        m_range->begin.ns = std::min(m_range->begin.ns, begin);
        m_range->end.ns = std::max(m_range->end.ns, end);
    }

    std::optional<TimeRange> m_range;
};

constexpr std::uint64_t kReadWhole = std::uint64_t{64} << 20;

void addWhole(const SourceTree& tree, const std::string& path, WrittenExtent& extent) {
    auto stream = tree.open(path);
    if (!stream.hasValue())
        return;
    std::string text;
    for (bool goesOn = true; goesOn;) {
        // The event that the last piece broke off begins behind its last brace; what is larger
        // than a piece is no event.
        const std::size_t kept = std::min(text.rfind('{'), text.size());
        text.erase(0, text.size() - kept > kTail ? text.size() : kept);
        const std::size_t old = text.size();
        appendUpTo(*stream.value(), kTail, text);
        goesOn = text.size() == old + kTail;
        extent.add(text);
    }
}

class DeviceVisitor final : public TraceVisitor {
public:
    void header(std::string_view key, const JsonToken& value) override {
        m_header.take(key, value);
    }
    Status events(const EventBatch& batch, const TraceSyntax& /*text*/) override {
        for (const EventRecord& record : batch.records) {
            const bool isWork = record.kind == RecordKind::Span
                && (record.spanKind == SpanKind::Kernel || record.spanKind == SpanKind::Copy
                    || record.spanKind == SpanKind::Set);
            if (isWork && record.track < batch.tracks.size()
                && batch.tracks[record.track].kind == TrackKind::Stream)
                ++m_work[batch.tracks[record.track].device];
        }
        return {};
    }
    void broken(
        std::int64_t /*line*/, const std::string& /*what*/, bool /*skippedEvent*/) override {
        // The import reports it.
    }

    [[nodiscard]] UsedGpu mostUsed() const {
        UsedGpu gpu;
        gpu.visible = static_cast<int>(m_header.deviceNames.size());
        gpu.used = static_cast<int>(m_work.size());
        const auto most = std::ranges::max_element(
            m_work, [](const auto& a, const auto& b) { return a.second < b.second; });
        if (most == m_work.end())
            return gpu;
        gpu.ordinal = most->first;
        gpu.uuid = textAt(m_header.deviceUuids, gpu.ordinal);
        gpu.pciAddress = textAt(m_header.devicePciAddresses, gpu.ordinal);
        return gpu;
    }

private:
    static std::string textAt(const std::map<int, std::string>& texts, int id) {
        const auto found = texts.find(id);
        return found == texts.end() ? std::string() : found->second;
    }

    TraceHeader m_header;
    std::map<int, std::int64_t> m_work; // spans by device
};

} // namespace

void TraceHeader::take(std::string_view key, const JsonToken& value) {
    if (key == "distributedInfo") {
        takeDistributedInfo(parsed(value), *this);
    } else if (key == "deviceProperties" || key == "computeProperties") {
        takeDevices(parsed(value), *this);
    } else if (key == "baseTimeNanoseconds") {
        baseNs = decimalToNs(value.text, 1);
    } else if (key == "nodes" && value.kind == TokenKind::Array) {
        isExecutionTrace = true;
    } else {
        for (const auto& [member, fact] : kFacts) {
            if (key != member || value.kind == TokenKind::Object || value.kind == TokenKind::Array)
                continue;
            std::string storage;
            facts[std::string(fact)] = std::string(plainText(value, storage));
        }
    }
}

std::string TraceHeader::deviceName(int device) const {
    const auto found = deviceNames.find(device);
    if (found != deviceNames.end())
        return found->second;
    return deviceNames.size() == 1 ? deviceNames.begin()->second : std::string();
}

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

Result<UsedGpu> usedGpuOf(
    const SourceTree& tree, const std::string& path, const Progress& progress) {
    ASSIGN_OR_RETURN(auto stream, tree.open(path));
    TraceReader reader(*stream, tree.sizeOf(path), "Looking for the GPU", &WorkerPool::shared());
    const auto read = [&reader](TraceVisitor& visitor, const Progress& goesOn) {
        return reader.run(visitor, goesOn);
    };
    return usedGpuOf(read, progress);
}

Result<UsedGpu> usedGpuOf(const ReadEvents& read, const Progress& progress) {
    DeviceVisitor visitor;
    RETURN_IF_ERROR(read(visitor, progress));
    return visitor.mostUsed();
}

std::optional<TimeRange> traceExtent(const SourceTree& tree, const std::string& path) {
    WrittenExtent extent;
    if (tree.sizeOf(path) <= kReadWhole) {
        addWhole(tree, path, extent);
    } else {
        const std::string tail = readTail(tree, path, kTail);
        if (tail.empty())
            return std::nullopt;
        extent.add(readHead(tree, path, kTail).valueOr({}));
        extent.add(tail);
    }
    auto range = extent.range();
    if (!range || isAbsolute(range->begin))
        return range;
    const auto base = findBaseTime(tree, path, {});
    const std::int64_t shift = base.hasValue() ? base.value().ns.value_or(0) : 0;
    return TimeRange{{range->begin.ns + shift}, {range->end.ns + shift}};
}

} // namespace trainscope::importers::kineto
