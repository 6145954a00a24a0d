#pragma once
// The text of resources/kernel_categories.json, compiled in.

#include <string_view>

namespace trainscope::analysis {

std::string_view builtInKernelCategories();

} // namespace trainscope::analysis
