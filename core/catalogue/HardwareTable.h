#pragma once
// The text of resources/hardware.json, compiled in.

#include <string_view>

namespace trainscope::catalogue {

std::string_view builtInHardware();

} // namespace trainscope::catalogue
