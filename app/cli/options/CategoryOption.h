#pragma once
// The option that chooses the table of kernel categories.

#include "core/analysis/traces/KernelCategory.h"

#include <string>

namespace CLI {
class App;
}

namespace trainscope::cli {

void addCategories(CLI::App& command, std::string& choice);
// The table that the option names; without one the user's in the configuration folder, else the
// built-in one.
Result<analysis::KernelCategories> chosenCategories(const std::string& choice);

} // namespace trainscope::cli
