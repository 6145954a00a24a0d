#include "core/predict/prediction/Training.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>

namespace trainscope::predict {

namespace {

constexpr std::array kTokenSuffixes{std::pair{'k', 1e3}, std::pair{'K', 1e3}, std::pair{'m', 1e6},
    std::pair{'M', 1e6}, std::pair{'b', 1e9}, std::pair{'B', 1e9}, std::pair{'G', 1e9},
    std::pair{'t', 1e12}, std::pair{'T', 1e12}};
constexpr double kMostTokens = 1e18;

std::optional<double> decimalOf(std::string_view text) {
    double value = 0.0;
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, value);
    const bool isNumber = read.ec == std::errc{} && read.ptr == end && std::isfinite(value);
    return isNumber ? std::optional(value) : std::nullopt;
}

BoundedValue timesOf(const BoundedValue& value, double factor) {
    return {value.value * factor, {value.interval.low * factor, value.interval.high * factor}};
}

BoundedValue sumOf(const BoundedValue& a, const BoundedValue& b) {
    return {
        a.value + b.value, {a.interval.low + b.interval.low, a.interval.high + b.interval.high}};
}

} // namespace

Result<double> tokensFrom(std::string_view text) {
    double factor = 1.0;
    std::string_view digits = text;
    for (const auto& [suffix, times] : kTokenSuffixes) {
        if (!digits.empty() && digits.back() == suffix) {
            factor = times;
            digits.remove_suffix(1);
            break;
        }
    }
    const auto number = decimalOf(digits);
    if (number && *number > 0.0 && *number * factor <= kMostTokens)
        return *number * factor;
    return usageError(fmt::format(
        "Tokens to train on are a number above 0, as in 300e9, 300B or 1.5T, not \"{}\".", text));
}

Result<double> priceFrom(std::string_view what, std::string_view text) {
    const auto number = decimalOf(text);
    if (number && *number >= 0.0)
        return *number;
    return usageError(
        fmt::format("{} is a number of 0 or above, as in 2.5, not \"{}\".", what, text));
}

Status checkTraining(const TrainingAsked& asked, Workload workload) {
    if (asked.isPriced() && !asked.tokens)
        return usageError("A price is that of a training: say how many tokens it is on.");
    if (asked.tokens && workload == Workload::Inference)
        return usageError("Inference trains on no tokens: leave them out, or choose training.");
    return {};
}

double secondsOfTokens(double tokens, double tokensPerSecondPerGpu, int gpus) {
    return tokens / (tokensPerSecondPerGpu * gpus);
}

std::optional<Training> trainingOf(
    const Job& job, const Prediction& prediction, const TrainingAsked& asked) {
    if (!asked.tokens || job.isInference())
        return std::nullopt;
    Training training;
    training.asked = asked;
    training.tokens = *asked.tokens;
    training.steps = *asked.tokens / job.tokensPerStep();
    const BoundedValue step{prediction.seconds, {prediction.low, prediction.high}};
    const BoundedValue energy{prediction.energyJ, prediction.intervals.energyJ};
    training.seconds = timesOf(step, training.steps);
    training.gpuHours = timesOf(training.seconds, job.gpus() / kSecondsOfHour);
    training.energyJ = timesOf(energy, training.steps);
    if (asked.isPriced())
        training.cost = sumOf(timesOf(training.gpuHours, asked.gpuHourPrice.value_or(0.0)),
            timesOf(training.energyJ, asked.kwhPrice.value_or(0.0) / kJoulesOfKwh));
    return training;
}

} // namespace trainscope::predict
