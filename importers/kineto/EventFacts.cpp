#include "importers/kineto/EventFacts.h"

#include "core/model/WholeNumber.h"
#include "importers/trace/StringTable.h"

namespace trainscope::importers::kineto {

namespace {

constexpr std::array<std::pair<std::string_view, EventKind>, 28> kKinds{{
    {"kernel", {SpanKind::Kernel, SpanPlace::DeviceStream}},
    {"gpu_memcpy", {SpanKind::Copy, SpanPlace::DeviceStream}},
    {"memcpy", {SpanKind::Copy, SpanPlace::DeviceStream}},
    {"gpu_memset", {SpanKind::Set, SpanPlace::DeviceStream}},
    {"memset", {SpanKind::Set, SpanPlace::DeviceStream}},
    {"gpu_user_annotation", {SpanKind::GpuAnnotation, SpanPlace::DeviceAnnotation}},
    {"cpu_op", {SpanKind::CpuOp, SpanPlace::Host}},
    {"operator", {SpanKind::CpuOp, SpanPlace::Host}},
    {"cuda_runtime", {SpanKind::Runtime, SpanPlace::Host}},
    {"runtime", {SpanKind::Runtime, SpanPlace::Host}},
    {"cuda_driver", {SpanKind::Runtime, SpanPlace::Host}},
    {"hip_runtime", {SpanKind::Runtime, SpanPlace::Host}},
    {"hip_driver", {SpanKind::Runtime, SpanPlace::Host}},
    {"mtia_runtime", {SpanKind::Runtime, SpanPlace::Host}},
    {"xpu_runtime", {SpanKind::Runtime, SpanPlace::Host}},
    {"privateuse1_runtime", {SpanKind::Runtime, SpanPlace::Host}},
    {"user_annotation", {SpanKind::Annotation, SpanPlace::Host}},
    {"python_function", {SpanKind::Python, SpanPlace::Host}},
    {"overhead", {SpanKind::Overhead, SpanPlace::Host}},
    {"glow_runtime", {SpanKind::Runtime, SpanPlace::Host}},
    {"cuda_sync", {SpanKind::Sync, SpanPlace::DeviceOther}},
    {"hip_sync", {SpanKind::Sync, SpanPlace::DeviceOther}},
    {"graph_event_node", {SpanKind::Sync, SpanPlace::DeviceOther}},
    {"graph_host_node", {SpanKind::Sync, SpanPlace::DeviceOther}},
    {"ac2g", {SpanKind::Sync, SpanPlace::DeviceOther}}, // arrows: edges within graphs among them
    {"mtia_ccp_events", {SpanKind::Other, SpanPlace::DeviceOther}},
    {"mtia_workloadd", {SpanKind::Other, SpanPlace::DeviceOther}},
    {"cuda_profiler_range", {SpanKind::Other, SpanPlace::DeviceOther}},
}};

constexpr std::array<std::string_view, 30> kUnique{"correlation", "correlation_raw", "external id",
    "external id_raw", "id_raw", "pid_raw", "external ts", "device", "stream", "queued", "ev idx",
    "record function id", "profiler event index", "memory bandwidth (gb/s)", "ptr", "src", "dst",
    "addr", "seq_num", "sequence number", "fwd thread id", "packet_ptr", "k_work_ptr",
    "graph node id", "cid", "call stack", "trace iteration", "trace name", "cmd_name", "stream_id"};

constexpr std::array<std::string_view, 18> kOfOperators{"input dims", "input type", "input strides",
    "concrete inputs", "collective name", "in msg nelems", "out msg nelems", "group size", "dtype",
    "in split size", "out split size", "process group name", "process group description",
    "process group ranks", "kernel_backend", "kernel_name", "global rank start",
    "global rank stride"};

constexpr std::array<std::string_view, 5> kOfRuntime{"bytes", "kind", "size", "cbid", "mem size"};

template <typename Keys>
bool contains(const Keys& keys, const std::string& key) {
    return std::find(keys.begin(), keys.end(), key) != keys.end();
}

std::string_view streamLabel(std::string_view tid) {
    return tid.starts_with("stream ") ? tid.substr(7) : tid;
}

TrackKind trackKindOf(SpanPlace place) {
    switch (place) {
    case SpanPlace::Host:
        return TrackKind::Thread;
    case SpanPlace::DeviceStream:
        return TrackKind::Stream;
    case SpanPlace::DeviceAnnotation:
        return TrackKind::StreamAnnotation;
    case SpanPlace::DeviceOther:
    case SpanPlace::Elsewhere:
        break;
    }
    return TrackKind::Other;
}

} // namespace

EventKind eventKindOf(std::string_view category) {
    const std::string key = lowered(category);
    const auto found = std::find_if(
        kKinds.begin(), kKinds.end(), [&](const auto& entry) { return entry.first == key; });
    return found == kKinds.end() ? EventKind{} : found->second;
}

bool isDetailArgument(SpanKind kind, std::string_view key) {
    const std::string lowerKey = lowered(key);
    switch (kind) {
    case SpanKind::Python:
    case SpanKind::Overhead:
        return false;
    case SpanKind::CpuOp:
    case SpanKind::Annotation:
        return contains(kOfOperators, lowerKey);
    case SpanKind::Runtime:
        return contains(kOfRuntime, lowerKey);
    default:
        return !contains(kUnique, lowerKey);
    }
}

std::string_view labelOf(const JsonToken& token, std::string& storage) {
    std::string_view text = plainText(token, storage);
    while (!text.empty() && text.back() == ' ')
        text.remove_suffix(1);
    if (token.kind == TokenKind::Number && text.ends_with(".0"))
        text.remove_suffix(2);
    return text;
}

TrackLabel trackLabelOf(const TraceEvent& event, const EventKind& kind, const JsonToken* stream,
    const JsonToken* device) {
    std::string storage;
    TrackLabel label;
    label.kind = trackKindOf(kind.place);
    label.process = labelOf(event.pid, storage);
    label.thread = labelOf(event.tid, storage);
    if (kind.place == SpanPlace::Host || kind.place == SpanPlace::Elsewhere)
        return label;
    label.thread = stream != nullptr ? std::string(labelOf(*stream, storage))
                                     : std::string(streamLabel(label.thread));
    label.device = wholeNumber<int>(label.process).value_or(-1);
    // TraceLens fuses ranks whose devices have the same numbers.
    const JsonToken* const rank = event.arg("pid_raw") == nullptr ? nullptr : event.arg("rank");
    for (const JsonToken* token : {rank, device}) {
        const auto number = token == nullptr ? std::nullopt : integerOf(*token);
        if (!number || *number < 0 || *number >= 1'000'000)
            continue;
        label.device = static_cast<int>(*number);
        break;
    }
    return label;
}

std::uint64_t placeOf(const TraceEvent& event) {
    std::string storage;
    const std::uint64_t process = hashOf(labelOf(event.pid, storage));
    return process * 0x9E3779B97F4A7C15ULL + hashOf(labelOf(event.tid, storage));
}

std::string_view categoryOf(const TraceEvent& event) {
    return event.cat.kind == TokenKind::String ? event.cat.text : std::string_view("(no cat)");
}

void appendDetail(const TraceEvent& event, SpanKind kind, std::string& out) {
    const std::size_t begin = out.size();
    for (const EventField& field : event.args) {
        if (!isDetailArgument(kind, field.key.text))
            continue;
        out.push_back(out.size() == begin ? '{' : ',');
        appendJson(field.key, out);
        out.push_back(':');
        appendJson(field.value, out);
    }
    if (out.size() > begin)
        out.push_back('}');
}

bool hasCorrelation(SpanKind kind) {
    return kind == SpanKind::Kernel || kind == SpanKind::Copy || kind == SpanKind::Set
        || kind == SpanKind::Runtime || kind == SpanKind::Sync;
}

} // namespace trainscope::importers::kineto
