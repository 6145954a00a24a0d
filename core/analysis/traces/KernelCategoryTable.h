#pragma once
// The texts of resources/kernel_categories.json and charllm_categories.json, compiled in.

#include <string_view>

namespace trainscope::analysis {

std::string_view builtInKernelCategories();
std::string_view charllmKernelCategories();

} // namespace trainscope::analysis
