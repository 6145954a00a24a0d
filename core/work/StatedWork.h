#pragma once
// Work that a trace states itself, in the detail of a span: FLOP and bytes of an operator of XLA,
// by XLA's own count. Pure; any thread.

#include "core/work/TracedWork.h"

#include <optional>
#include <string_view>

namespace trainscope::work {

// The keys of the detail. A detail that states work begins with the first.
inline constexpr std::string_view kHloCategory = "hlo category";
inline constexpr std::string_view kStatedFlop = "flops";
inline constexpr std::string_view kStatedBytes = "bytes accessed";
inline constexpr std::string_view kStatedShape = "shape"; // "bf16[8,128]{1,0}"

// The units by the category and name; the type by the shape, else bf16, in which XLA's products are
// by default. Absent where the detail states no work.
std::optional<TracedWork> statedWorkOf(std::string_view operatorName, std::string_view detail);

} // namespace trainscope::work
