#pragma once
// The option that chooses the table of kernel categories.

#include "core/analysis/traces/KernelCategory.h"

#include <string>

namespace CLI {
class App;
}

namespace trainscope::cli {

void addCategories(CLI::App& command, std::string& choice);
// Of an empty choice: the user's table in the configuration folder, else the built-in one.
Result<analysis::KernelCategories> chosenCategories(const std::string& choice);

} // namespace trainscope::cli
