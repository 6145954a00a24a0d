#pragma once
// trainscope-cli as a function: parses the arguments, runs the command and returns its exit status.
// Nothing throws out of it.

#include "app/cli/console/Console.h"

#include <string>
#include <vector>

namespace trainscope::cli {

// `arguments` without the program's name.
int runCommandLine(const std::vector<std::string>& arguments, Console& console);

} // namespace trainscope::cli
