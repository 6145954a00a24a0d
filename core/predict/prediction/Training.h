#pragma once
// Training: what a training on so many tokens takes if every step is as predicted: its time, the
// energy of its GPUs, and their cost at prices that the user names. Pure; any thread.
//
//   time      tokens / tokens per second of all GPUs
//   energy    mean power × GPUs × time; of the GPUs alone, without hosts, network and cooling
//   cost      GPU hours and kWh, each at its price; without any price there is no cost
//   bounds    those of the step's 90 % interval and of its energy's; of the cost both together,
//             which is too wide where a longer step draws less

#include "core/predict/prediction/Prediction.h"

#include <optional>
#include <string_view>

namespace trainscope::predict {

inline constexpr double kSecondsOfDay = 86'400.0;
inline constexpr double kSecondsOfHour = 3'600.0;
inline constexpr double kJoulesOfKwh = 3.6e6;

struct TrainingAsked {
    std::optional<double> tokens; // absent: nothing is asked
    std::optional<double> gpuHourPrice; // in the user's currency
    std::optional<double> kwhPrice;

    [[nodiscard]] bool isPriced() const { return gpuHourPrice || kwhPrice; }
    bool operator==(const TrainingAsked&) const = default;
};

// "300e9", "300B", "1.5T": a number with k, M, B or G, and T behind it. Usage says what is wrong.
Result<double> tokensFrom(std::string_view text);
// A number of 0 or above. Usage says what is wrong; `what` begins the sentence: "A price".
Result<double> priceFrom(std::string_view what, std::string_view text);
// Usage where prices are asked for without tokens, or tokens of inference.
Status checkTraining(const TrainingAsked& asked, Workload workload);

struct BoundedValue {
    double value = 0.0;
    Interval interval;
};

struct Training {
    double tokens = 0.0;
    double steps = 0.0;
    BoundedValue seconds;
    BoundedValue gpuHours;
    BoundedValue energyJ;
    std::optional<BoundedValue> cost;
    TrainingAsked asked;

    [[nodiscard]] double days() const { return seconds.value / kSecondsOfDay; }
};

// Absent where no tokens are asked for, or the job trains nothing.
std::optional<Training> trainingOf(
    const Job& job, const Prediction& prediction, const TrainingAsked& asked);
// Seconds of so many tokens at a rate per GPU.
double secondsOfTokens(double tokens, double tokensPerSecondPerGpu, int gpus);

} // namespace trainscope::predict
