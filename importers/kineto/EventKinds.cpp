#include "importers/kineto/EventKinds.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace trainscope::importers::kineto {

namespace {

constexpr std::array<std::pair<std::string_view, EventKind>, 25> kKinds{{
    {"kernel", {SpanKind::Kernel, Placement::DeviceStream}},
    {"gpu_memcpy", {SpanKind::Copy, Placement::DeviceStream}},
    {"memcpy", {SpanKind::Copy, Placement::DeviceStream}},
    {"gpu_memset", {SpanKind::Set, Placement::DeviceStream}},
    {"memset", {SpanKind::Set, Placement::DeviceStream}},
    {"gpu_user_annotation", {SpanKind::GpuAnnotation, Placement::DeviceAnnotation}},
    {"cpu_op", {SpanKind::CpuOp, Placement::Host}},
    {"operator", {SpanKind::CpuOp, Placement::Host}},
    {"cuda_runtime", {SpanKind::Runtime, Placement::Host}},
    {"runtime", {SpanKind::Runtime, Placement::Host}},
    {"cuda_driver", {SpanKind::Runtime, Placement::Host}},
    {"hip_runtime", {SpanKind::Runtime, Placement::Host}},
    {"hip_driver", {SpanKind::Runtime, Placement::Host}},
    {"mtia_runtime", {SpanKind::Runtime, Placement::Host}},
    {"xpu_runtime", {SpanKind::Runtime, Placement::Host}},
    {"privateuse1_runtime", {SpanKind::Runtime, Placement::Host}},
    {"user_annotation", {SpanKind::Annotation, Placement::Host}},
    {"python_function", {SpanKind::Python, Placement::Host}},
    {"overhead", {SpanKind::Overhead, Placement::Host}},
    {"glow_runtime", {SpanKind::Runtime, Placement::Host}},
    {"cuda_sync", {SpanKind::Sync, Placement::DeviceOther}},
    {"hip_sync", {SpanKind::Sync, Placement::DeviceOther}},
    {"mtia_ccp_events", {SpanKind::Other, Placement::DeviceOther}},
    {"mtia_workloadd", {SpanKind::Other, Placement::DeviceOther}},
    {"cuda_profiler_range", {SpanKind::Other, Placement::DeviceOther}},
}};

constexpr std::array<std::string_view, 28> kUnique{"correlation", "external id", "external ts",
    "device", "stream", "queued", "ev idx", "record function id", "profiler event index",
    "memory bandwidth (gb/s)", "ptr", "src", "dst", "addr", "seq_num", "sequence number",
    "fwd thread id", "packet_ptr", "k_work_ptr", "wait_on_cuda_event_id",
    "wait_on_cuda_event_record_corr_id", "graph node id", "cid", "call stack", "trace iteration",
    "trace name", "cmd_name", "stream_id"};

constexpr std::array<std::string_view, 17> kOfOperators{"input dims", "input type", "input strides",
    "collective name", "in msg nelems", "out msg nelems", "group size", "dtype", "in split size",
    "out split size", "process group name", "process group description", "process group ranks",
    "kernel_backend", "kernel_name", "global rank start", "global rank stride"};

constexpr std::array<std::string_view, 5> kOfRuntime{"bytes", "kind", "size", "cbid", "mem size"};

std::string lower(std::string_view text) {
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(),
        [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return result;
}

template <typename Keys>
bool contains(const Keys& keys, const std::string& key) {
    return std::find(keys.begin(), keys.end(), key) != keys.end();
}

} // namespace

EventKind eventKindOf(std::string_view category) {
    const std::string key = lower(category);
    const auto found = std::find_if(
        kKinds.begin(), kKinds.end(), [&](const auto& entry) { return entry.first == key; });
    return found == kKinds.end() ? EventKind{} : found->second;
}

bool isDetailArgument(SpanKind kind, std::string_view key) {
    const std::string lowerKey = lower(key);
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

} // namespace trainscope::importers::kineto
