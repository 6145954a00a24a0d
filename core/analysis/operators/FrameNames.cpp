#include "core/analysis/operators/FrameNames.h"

#include "core/model/AsciiText.h"

#include <algorithm>
#include <array>

namespace trainscope::analysis {

namespace {

constexpr std::string_view kConcrete = "\"Concrete Inputs\"";
constexpr std::size_t kLongArgument = 200;

bool isDigitOrMark(char c) {
    return isDigit(c) || c == ' ' || c == '#' || c == '_' || c == ':' || c == '-' || c == '/'
        || c == '(' || c == ')';
}

// A number with a point or an exponent, or a list of such.
bool isFraction(std::string_view argument) {
    const bool isNumeric
        = argument.find_first_not_of("0123456789.eE+-[], infa") == std::string_view::npos;
    return isNumeric && argument.find_first_of(".eni") != std::string_view::npos;
}

// A factor of 0 leaves a whole tensor out, and 1 is no factor.
bool saysNothing(std::string_view argument) {
    const bool isTelling = argument == "0." || argument == "1.";
    return argument.size() > kLongArgument || (isFraction(argument) && !isTelling);
}

// The end of a JSON string that begins at `at`: behind its closing quote.
std::size_t endOfString(std::string_view text, std::size_t at) {
    for (++at; at < text.size(); ++at) {
        if (text[at] == '\\')
            ++at;
        else if (text[at] == '"')
            return at + 1;
    }
    return text.size();
}

} // namespace

bool isModuleName(std::string_view name) {
    return name.starts_with("nn.Module: ");
}

std::string foldedAnnotation(std::string_view name) {
    constexpr std::array<std::string_view, 12> kPassWords{"profilerstep", "iteration", "iter",
        "step", "train_step", "train step", "training step", "training_step", "batch",
        "micro-batch", "microbatch", "micro_batch"};
    const std::size_t end = static_cast<std::size_t>(
        std::find_if_not(name.rbegin(), name.rend(), isDigitOrMark).base() - name.begin());
    const std::string stem = lowered(name.substr(0, end));
    if (std::find(kPassWords.begin(), kPassWords.end(), stem) == kPassWords.end())
        return std::string(name);
    return std::string(name.substr(0, end)) + (name.substr(end).starts_with('#') ? "#" : "");
}

std::string foldedSignature(std::string_view detail) {
    const std::size_t found = detail.find(kConcrete);
    if (found == std::string_view::npos)
        return std::string(detail);
    std::size_t at = found + kConcrete.size();
    std::string folded(detail.substr(0, at));
    int depth = 0;
    while (at < detail.size()) {
        const char c = detail[at];
        if (c == '"') {
            const std::size_t end = endOfString(detail, at);
            const std::string_view argument = detail.substr(at + 1, end - at - 2);
            folded += saysNothing(argument) ? "\"\"" : detail.substr(at, end - at);
            at = end;
            continue;
        }
        folded += c;
        ++at;
        depth += c == '[' ? 1 : c == ']' ? -1 : 0;
        if (c == ']' && depth == 0)
            break;
    }
    folded += detail.substr(at);
    return folded;
}

} // namespace trainscope::analysis
