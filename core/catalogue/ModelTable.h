#pragma once
// The text of resources/models.json, compiled in.

#include <string_view>

namespace trainscope::catalogue {

std::string_view builtInModelTable();

} // namespace trainscope::catalogue
