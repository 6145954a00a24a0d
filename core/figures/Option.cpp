#include "core/figures/Option.h"

#include "core/text/Names.h"

#include <charconv>
#include <cmath>

namespace trainscope::figures {

using namespace plot;

namespace {

constexpr std::int64_t kMostCounted = 1'000'000'000;

Error noNumber(std::string_view name, const std::string& text) {
    return usageError(fmt::format("--{} takes a number, not '{}'.", name, text));
}

Error notAboveZero(std::string_view name, const std::string& text) {
    return usageError(fmt::format("--{} takes a number above 0, not '{}'.", name, text));
}

template <typename Number>
Result<Number> parsed(std::string_view name, const std::string& text) {
    Number value{};
    const char* end = text.data() + text.size();
    const auto [rest, problem] = std::from_chars(text.data(), end, value);
    if (problem != std::errc() || rest != end)
        return noNumber(name, text);
    return value;
}

} // namespace

void OptionValues::add(std::string_view name, std::string value) {
    m_values[std::string(name)].push_back(std::move(value));
}

Texts OptionValues::all(std::string_view name) const {
    const auto found = m_values.find(name);
    return found == m_values.end() ? Texts() : found->second;
}

std::vector<std::string> OptionValues::names() const {
    std::vector<std::string> all;
    for (const auto& [name, values] : m_values)
        all.push_back(name);
    return all;
}

Error unknownChoice(std::string_view what, std::string_view given, std::string_view known) {
    return usageError(fmt::format("There is no {} '{}'; there are {}.", what, given, known));
}

Error unknownChoice(
    std::string_view what, std::string_view given, const std::vector<FigureChoice>& known) {
    std::vector<std::string> keys;
    for (const FigureChoice& choice : known)
        keys.push_back(choice.key);
    return unknownChoice(what, given, text::joined(keys));
}

Result<double> numberGiven(std::string_view name, const std::string& text) {
    ASSIGN_OR_RETURN(const double value, parsed<double>(name, text));
    if (!std::isfinite(value))
        return noNumber(name, text);
    return value;
}

Result<double> aboveZeroGiven(std::string_view name, const std::string& text) {
    ASSIGN_OR_RETURN(const double value, numberGiven(name, text));
    if (value <= 0.0)
        return notAboveZero(name, text);
    return value;
}

Result<double> zeroOrMoreGiven(std::string_view name, const std::string& text) {
    ASSIGN_OR_RETURN(const double value, numberGiven(name, text));
    if (value < 0.0)
        return usageError(fmt::format("--{} takes a number of 0 or more, not '{}'.", name, text));
    return value;
}

Result<double> shareGiven(std::string_view name, const std::string& text) {
    ASSIGN_OR_RETURN(const double value, numberGiven(name, text));
    if (value < 0.0 || value > 1.0)
        return usageError(fmt::format("--{} takes a share from 0 to 1, not '{}'.", name, text));
    return value;
}

Result<std::int64_t> integerGiven(std::string_view name, const std::string& text) {
    return parsed<std::int64_t>(name, text);
}

Result<std::int64_t> countGiven(std::string_view name, const std::string& text) {
    ASSIGN_OR_RETURN(const auto value, integerGiven(name, text));
    if (value < 1 || value > kMostCounted)
        return notAboveZero(name, text);
    return value;
}

Result<DurationNs> secondsGiven(std::string_view name, const std::string& text) {
    constexpr double longest = 9e9; // s, which nanoseconds can count
    ASSIGN_OR_RETURN(const double value, numberGiven(name, text));
    if (std::abs(value) > longest)
        return usageError(
            fmt::format("--{} {} is no time of a run: give seconds since its start.", name, text));
    return DurationNs{std::llround(value * 1e9)};
}

Result<int> rankGiven(std::string_view name, const std::string& text) {
    ASSIGN_OR_RETURN(const auto value, integerGiven(name, text));
    if (value < 0 || value >= kMostGpus)
        return usageError(fmt::format("--{} takes the number of a rank, not {}.", name, value));
    return static_cast<int>(value);
}

std::vector<FigureChoice> allStatistics() {
    using enum FigureStatistic;
    std::vector<FigureChoice> all;
    for (const auto statistic : {Mean, Peak, P99, Min, Total, Energy, First, Last})
        all.push_back({std::string(toString(statistic)), {}});
    return all;
}

Result<FigureStatistic> statisticNamed(const std::string& name) {
    const auto statistic = fromString<plot::FigureStatistic>(name);
    if (!statistic)
        return unknownChoice("statistic", name, allStatistics());
    return *statistic;
}

Status checkStatistic(FigureStatistic statistic, const std::string& metric) {
    const auto fitting = plot::figureStatistics(metric);
    const bool fits = std::ranges::any_of(
        fitting, [&](const auto& choice) { return choice.key == toString(statistic); });
    if (fits)
        return {};
    if (fitting.empty())
        return usageError(
            fmt::format("{} names states, of which figures show no number; 'summary' has "
                        "their shares of time.",
                metric));
    return usageError(
        fmt::format("'{}' does not apply to {}: totals are those of counters, energy that of "
                    "gpu_power, first and last those of what progresses, as the loss.",
            toString(statistic), metric));
}

} // namespace trainscope::figures
