#pragma once
// A layout as asked for, as JSON: how a database keeps what was entered by hand.

#include "core/layout/Layout.h"

#include <string>
#include <string_view>

namespace trainscope::layout {

// One object; what was not said is absent.
std::string requestToJson(const LayoutRequest& request);
// Unrecognised names the key which cannot be understood; unknown keys are passed over.
Result<LayoutRequest> requestFromJson(std::string_view text);

} // namespace trainscope::layout
