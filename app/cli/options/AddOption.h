#pragma once
// An option with its name, the place of its value, its help, and what the help calls the value; and
// what a number may be. Numbers are decimal, "010" is ten.

#include <CLI/CLI.hpp>

#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace trainscope::figures {
struct Option;
class OptionValues;
} // namespace trainscope::figures

namespace trainscope::cli {

template <typename Value>
struct Unwrapped {
    using Type = Value;
};
template <typename Value>
struct Unwrapped<std::optional<Value>> {
    using Type = Value;
};

// CLI11 reads what begins with 0 as octal.
inline std::string withoutLeadingZeros(std::string& number) {
    const std::size_t begin = number.find_first_not_of("+-");
    const std::size_t first = number.find_first_not_of('0', begin);
    if (begin != std::string::npos && number.find_first_not_of("0123456789", begin) == number.npos)
        number.erase(begin, std::min(first, number.size() - 1) - begin);
    return {};
}

// CLI11 keeps nothing of an option for others: that travels as the name of a check which refuses
// nothing and of which the help tells nothing.
inline CLI::Validator noted(std::string note) {
    return {[](std::string&) { return std::string(); }, "", std::move(note)};
}
inline constexpr std::string_view kOfType = "type ";

template <typename Value>
CLI::Option* addOption(
    CLI::App& command, const char* name, Value& value, const std::string& help, const char* type) {
    using Plain = typename Unwrapped<Value>::Type;
    CLI::Option* option = command.add_option(name, value, help)->type_name(type);
    if constexpr (std::is_integral_v<Plain>)
        option->transform(CLI::Validator(withoutLeadingZeros, std::string()));
    if constexpr (std::is_arithmetic_v<Plain>)
        option->check(
            noted(std::string(kOfType) + (std::is_integral_v<Plain> ? "integer" : "number")));
    return option;
}

enum class Least { AboveZero, Zero };

// Checks a number: finite, and above 0 or at least 0.
inline auto number(Least least) {
    return [least](const std::string& text) -> std::string {
        double value = 0.0;
        const bool isOne = CLI::detail::lexical_cast(text, value) && std::isfinite(value)
            && (least == Least::Zero ? value >= 0.0 : value > 0.0);
        return isOne ? std::string()
                     : "\"" + text + "\" is no number "
                + (least == Least::Zero ? "of 0 or more" : "above 0");
    };
}
inline auto aboveZero() {
    return number(Least::AboveZero);
}
inline auto zeroOrMore() {
    return number(Least::Zero);
}

// Values that shells offer for an option which takes others too, or checks what it takes by itself.
inline constexpr std::string_view kSuggestedBy = "suggests ";

// command.add_option(…)->check(suggesting("paper light dark"))
inline CLI::Validator suggesting(std::string_view words) {
    return noted(std::string(kSuggestedBy) + std::string(words));
}

std::string metricNames(); // from the registry
std::string replaced(std::string text, std::string_view what, std::string_view with);

// A flag for an option of figures (core/figures/Option.h): texts that are given go into `values`,
// which must outlive the parsing, and shells offer the choices.
void addFlag(CLI::App& command, const figures::Option& option, figures::OptionValues& values);

// Ends the help of the command with what the manual says first at those places ("numbers#waiting"),
// and with its own words (resources/help/commands.md) below. The manual is read when the help is.
void setFooter(CLI::App& command, std::vector<std::string_view> places = {});

} // namespace trainscope::cli
