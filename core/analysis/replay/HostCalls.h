#pragma once
// Calls of a device's runtime, by what they make a host thread or a stream wait for. Names are
// those of CUDA, HIP and their drivers ("cudaLaunchKernel_v7000", "hipMemcpyWithStream",
// "cuMemcpyDtoH"). Pure; any thread.

#include <cstdint>
#include <string_view>

namespace trainscope::analysis {

enum class CallKind : std::uint8_t {
    Other, // counts where it launched work
    Copy, // a copy that need not wait: from pageable memory and to it, it does
    BlockingCopy, // returns when its work has ended
    Record, // of an event
    StreamWait, // a stream waits for an event
    StreamSync, // returns when all work of a stream has ended
    DeviceSync, // of all streams; memory that is freed waits for them, too
    EventSync, // when an event has come
};

CallKind callKindOf(std::string_view name);

} // namespace trainscope::analysis
