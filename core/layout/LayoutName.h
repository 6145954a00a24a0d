#pragma once
// The degrees that people write into the name of a run: "TP4-PP8", "tp8_pp4", "EP8-TP1-PP4",
// "tp=2,pp=4", "TP8-FSDP". A last resort: nobody checks such names.

#include "core/layout/Layout.h"

#include <optional>
#include <string_view>

namespace trainscope::layout {

// Absent where the name gives no degree of TP, PP, CP, EP or DP. The last path component that gives
// any counts.
std::optional<LayoutRequest> layoutFromName(std::string_view runName);

} // namespace trainscope::layout
