#pragma once
// Words of rocprofv3, translated into those that all traces have here.

#include "core/model/Span.h"
#include "importers/trace/DetailText.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace trainscope::importers::rocprof {

// "MEMORY_COPY_HOST_TO_DEVICE" or "CopyHostToDevice" → "Memcpy HtoD".
std::string copyName(std::string_view direction);

// By the domain or category of a call: "HIP_RUNTIME_API", "MARKER_CORE_API", "RCCL_API".
SpanKind callKindOf(std::string_view domain);

// Shape of a kernel; sizes of the grid are in work items, as AMD counts them.
struct KernelShape {
    std::array<std::int64_t, 3> grid{};
    std::array<std::int64_t, 3> workgroup{};
    std::optional<std::int64_t> registers; // vector registers of a thread
    std::optional<std::int64_t> localMemory; // B
};
void describe(const KernelShape& shape, DetailText& detail);

// "Agent 4" or "4"; -1: neither.
std::int64_t agentNumber(std::string_view text);

} // namespace trainscope::importers::rocprof
