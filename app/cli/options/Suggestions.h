#pragma once
// Values that shells offer for an option which takes others too, or checks what it takes by itself.
// CLI11 keeps nothing of an option for others; they travel as the name of a check that refuses
// nothing and of which the help tells nothing.

#include <CLI/CLI.hpp>

#include <string>
#include <string_view>

namespace trainscope::cli {

inline constexpr std::string_view kSuggestedBy = "suggests ";

// command.add_option(…)->check(suggesting("paper light dark"))
inline CLI::Validator suggesting(std::string_view words) {
    return {[](std::string&) { return std::string(); }, "",
        std::string(kSuggestedBy) + std::string(words)};
}

std::string metricNames(); // from the registry

} // namespace trainscope::cli
