#pragma once
// Bytes that a copy or a memset moves, from its span's detail.

#include <cstdint>
#include <optional>
#include <string_view>

namespace trainscope::analysis {

// "bytes"; absent where the trace does not say it.
std::optional<std::int64_t> movedBytes(std::string_view detail);

} // namespace trainscope::analysis
