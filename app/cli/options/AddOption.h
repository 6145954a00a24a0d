#pragma once
// An option with its name, the place of its value, its help, and what the help calls the value.

#include <CLI/CLI.hpp>

#include <string>

namespace trainscope::cli {

template <typename Value>
CLI::Option* addOption(
    CLI::App& command, const char* name, Value& value, const std::string& help, const char* type) {
    return command.add_option(name, value, help)->type_name(type);
}

} // namespace trainscope::cli
