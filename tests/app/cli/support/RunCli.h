#pragma once
// Runs the command line inside the test and catches what it says.

#include "app/drawing/FullProgram.h"
#include "core/store/Store.h"
#include "support/Content.h"

#include <QtGlobal>

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

// True where the command ends well; otherwise what it says is shown.
inline bool succeeds(const std::vector<std::string>& arguments) {
    const Ran ran = runCli(arguments);
    if (ran.status != 0)
        qWarning("status %d: %s", ran.status, ran.err.c_str());
    return ran.status == 0;
}

// The answer with --json of a command that ends well.
inline nlohmann::json jsonOf(std::vector<std::string> arguments) {
    arguments.emplace_back("--json");
    const Ran ran = runCli(arguments);
    const auto json = ran.json();
    if (ran.status != 0 || json.is_null())
        qFatal("status %d: %s%s", ran.status, ran.err.c_str(), ran.out.c_str());
    return json;
}

} // namespace trainscope::test
