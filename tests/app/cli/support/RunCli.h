#pragma once
// Runs the command line inside the test and catches what it says.

#include "app/drawing/FullProgram.h"

#include <nlohmann/json.hpp>

#include <sstream>
#include <string>
#include <vector>

namespace trainscope::test {

struct Ran {
    int status = -1;
    std::string out;
    std::string err;

    // The one JSON object on stdout; null when there is anything else.
    [[nodiscard]] nlohmann::json json() const {
        auto parsed = nlohmann::json::parse(out, nullptr, false);
        return parsed.is_object() ? parsed : nlohmann::json();
    }
};

inline Ran runCli(const std::vector<std::string>& arguments) {
    std::ostringstream out;
    std::ostringstream err;
    cli::Console console(out, err);
    const int status = cli::runCommandLine(cli::fullProgram(), arguments, console);
    return {status, out.str(), err.str()};
}

} // namespace trainscope::test
