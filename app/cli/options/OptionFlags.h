#pragma once
// Flags of the command line for options of figures (core/figures/Option.h): the texts that are
// given go into values, and shells offer the choices.

#include "core/figures/Option.h"

#include <vector>

namespace CLI {
class App;
}

namespace trainscope::cli {

// `values` must outlive the parsing.
void addFlag(CLI::App& command, const figures::Option& option, figures::OptionValues& values);
void addFlags(
    CLI::App& command, const std::vector<figures::Option>& options, figures::OptionValues& values);

} // namespace trainscope::cli
