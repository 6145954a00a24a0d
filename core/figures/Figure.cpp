#include "core/figures/Figure.h"

#include "core/model/LaunchConfig.h"
#include "core/model/Try.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

namespace trainscope::figures {

namespace {

Error noNumber(std::string_view name, const std::string& text) {
    return usage(fmt::format("--{} takes a number, not '{}'.", name, text));
}

template <typename Number>
Result<std::optional<Number>> parsed(std::string_view name, const std::string& text) {
    Number value{};
    const char* end = text.data() + text.size();
    const auto [rest, problem] = std::from_chars(text.data(), end, value);
    if (problem != std::errc() || rest != end)
        return noNumber(name, text);
    return std::optional<Number>(value);
}

} // namespace

void OptionValues::add(std::string_view name, std::string value) {
    m_values[std::string(name)].push_back(std::move(value));
}

std::string OptionValues::text(std::string_view name) const {
    const auto found = m_values.find(name);
    return found == m_values.end() ? std::string() : found->second.back();
}

std::vector<std::string> OptionValues::all(std::string_view name) const {
    const auto found = m_values.find(name);
    return found == m_values.end() ? std::vector<std::string>() : found->second;
}

Result<std::optional<double>> OptionValues::number(std::string_view name) const {
    if (!has(name))
        return std::optional<double>();
    ASSIGN_OR_RETURN(const auto value, parsed<double>(name, text(name)));
    if (!std::isfinite(*value))
        return noNumber(name, text(name));
    return value;
}

Result<std::optional<std::int64_t>> OptionValues::integer(std::string_view name) const {
    return has(name) ? parsed<std::int64_t>(name, text(name)) : std::optional<std::int64_t>();
}

Result<std::optional<DurationNs>> OptionValues::seconds(std::string_view name) const {
    constexpr double longest = 9e9; // s, which nanoseconds can count
    ASSIGN_OR_RETURN(const auto value, number(name));
    if (!value)
        return std::optional<DurationNs>();
    if (std::abs(*value) > longest)
        return usage(fmt::format(
            "--{} {} is no time of a run: give seconds since its start.", name, text(name)));
    return std::optional(DurationNs{std::llround(*value * 1e9)});
}

Result<std::optional<int>> OptionValues::rank(std::string_view name) const {
    ASSIGN_OR_RETURN(const auto value, integer(name));
    if (!value)
        return std::optional<int>();
    if (*value < 0 || *value >= kMostGpus)
        return usage(fmt::format("--{} takes the number of a rank, not {}.", name, *value));
    return std::optional(static_cast<int>(*value));
}

std::vector<std::string> OptionValues::names() const {
    std::vector<std::string> all;
    for (const auto& [name, values] : m_values)
        all.push_back(name);
    return all;
}

std::vector<std::string> sourcesOf(
    const store::Store& store, const std::vector<std::pair<RunId, std::string>>& runs) {
    const auto sources = store.sources();
    if (!sources.hasValue())
        return {};
    std::set<std::string> hashes;
    for (const auto& source : sources.value()) {
        const bool isUsed = std::any_of(source.runs.begin(), source.runs.end(), [&](RunId id) {
            return std::any_of(
                runs.begin(), runs.end(), [id](const auto& run) { return run.first == id; });
        });
        if (isUsed && !source.hash.empty())
            hashes.insert(source.hash);
    }
    return {hashes.begin(), hashes.end()};
}

Error usage(std::string message) {
    return {ErrorCode::Usage, std::move(message), {}};
}

Error unknownChoice(std::string_view what, std::string_view given, std::string_view known) {
    return usage(fmt::format("There is no {} '{}'; there are {}.", what, given, known));
}

Result<FigureStatistic> statisticNamed(const std::string& name) {
    const auto statistic = figureStatisticFromString(name);
    if (!statistic)
        return unknownChoice(
            "statistic", name, "mean, peak, p99, min, total, energy, first and last");
    return *statistic;
}

Status checkStatistic(FigureStatistic statistic, const std::string& metric) {
    const auto fitting = figureStatistics(metric);
    const bool fits = std::any_of(fitting.begin(), fitting.end(),
        [&](const auto& choice) { return choice.key == toString(statistic); });
    if (fits)
        return {};
    if (fitting.empty())
        return usage(fmt::format("{} names states, of which figures show no number; 'summary' has "
                                 "their shares of time.",
            metric));
    return usage(
        fmt::format("'{}' does not apply to {}: totals are those of counters, energy that of "
                    "gpu_power, first and last those of what progresses, as the loss.",
            toString(statistic), metric));
}

} // namespace trainscope::figures
