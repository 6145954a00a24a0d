#include "core/analysis/findings/FindingText.h"

#include "core/analysis/findings/Findings.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <iterator>
#include <utility>
#include <vector>

namespace trainscope::analysis {

namespace {

// Three digits, without the zeros behind them.
std::string digits(double value) {
    const double size = std::abs(value);
    const int behind = size >= 100.0 ? 0 : size >= 10.0 ? 1 : 2;
    std::string text = fmt::format("{:.{}f}", value, behind);
    if (text.find('.') == std::string::npos)
        return text;
    while (text.ends_with('0'))
        text.pop_back();
    if (text.ends_with('.'))
        text.pop_back();
    return text == "-0" ? "0" : text;
}

} // namespace

std::string_view toString(Severity severity) {
    switch (severity) {
    case Severity::Note:
        return "note";
    case Severity::Attention:
        return "attention";
    case Severity::Serious:
        return "serious";
    }
    return {};
}

std::string scaled(double value, std::string_view unit) {
    static constexpr std::array<std::pair<double, std::string_view>, 7> kPrefixes{
        {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1.0, ""}, {1e-3, "m"}, {1e-6, "µ"}}};
    for (const auto& [factor, prefix] : kPrefixes) {
        // 999.6 would be shown as 1000.
        if (std::abs(value) >= 0.9995 * factor)
            return digits(value / factor) + " " + std::string(prefix) + std::string(unit);
    }
    return digits(value) + " " + std::string(unit);
}

std::string percent(double fraction) {
    return digits(fraction * 100.0) + " %";
}

std::string celsius(double value) {
    return digits(value) + " °C";
}

std::string duration(double seconds) {
    return std::abs(seconds) < 120.0 ? scaled(seconds, "s") : digits(seconds / 60.0) + " min";
}

std::string counted(std::int64_t count, std::string_view one, std::string_view many) {
    return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string numbers(const std::set<int>& ranks, std::size_t most) {
    std::vector<std::string> parts;
    std::size_t shown = 0;
    for (auto first = ranks.begin(); first != ranks.end() && parts.size() < most;) {
        auto last = first;
        ++shown;
        while (std::next(last) != ranks.end() && *std::next(last) == *last + 1) {
            ++last;
            ++shown;
        }
        parts.push_back(
            *first == *last ? fmt::format("{}", *first) : fmt::format("{}-{}", *first, *last));
        first = std::next(last);
    }
    std::string text;
    for (std::size_t i = 0; i < parts.size(); ++i)
        text += (i == 0 ? "" : ", ") + parts[i];
    if (shown < ranks.size())
        text += fmt::format(" and {} more", ranks.size() - shown);
    return text;
}

} // namespace trainscope::analysis
