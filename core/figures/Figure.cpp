#include "core/figures/Figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

namespace trainscope::figures {

namespace {

template <typename Number>
Result<std::optional<Number>> parsed(std::string_view name, const std::string& text) {
    Number value{};
    const char* end = text.data() + text.size();
    const auto [rest, problem] = std::from_chars(text.data(), end, value);
    if (problem != std::errc() || rest != end)
        return usage(fmt::format("--{} takes a number, not '{}'.", name, text));
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
    return has(name) ? parsed<double>(name, text(name)) : std::optional<double>();
}

Result<std::optional<std::int64_t>> OptionValues::integer(std::string_view name) const {
    return has(name) ? parsed<std::int64_t>(name, text(name)) : std::optional<std::int64_t>();
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
