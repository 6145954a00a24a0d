#include "core/predict/prediction/Training.h"

#include "core/analysis/machine/ModelShape.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <system_error>

namespace trainscope::predict {

namespace {

constexpr std::array kTokenSuffixes{std::pair{'k', 1e3}, std::pair{'K', 1e3}, std::pair{'m', 1e6},
    std::pair{'M', 1e6}, std::pair{'b', 1e9}, std::pair{'B', 1e9}, std::pair{'G', 1e9},
    std::pair{'t', 1e12}, std::pair{'T', 1e12}};
constexpr double kMostTokens = 1e18;

BoundedValue timesOf(const BoundedValue& value, double factor) {
    return {value.value * factor, {value.interval.low * factor, value.interval.high * factor}};
}

constexpr double kStateBytes = 14.0; // for each parameter: weights, a copy of them, two moments
constexpr double kStorageOfNode = 1e9; // B/s
constexpr double kRestart = 600.0; // s

double trainedParameters(const Job& job) {
    const catalogue::TrainingModel& model = job.model;
    if (job.workload != Workload::Lora)
        return analysis::parametersOf(model).total;
    const int experts = model.experts > 1 ? model.layers - model.denseLayers : 0;
    return (model.layers - experts) * analysis::adapterParametersOf(model, job.adapters, 1.0, false)
        + experts * analysis::adapterParametersOf(model, job.adapters, 1.0, true);
}

BoundedValue overShare(const BoundedValue& value, const BoundedValue& share) {
    return {value.value / share.value,
        {value.interval.low / share.interval.high, value.interval.high / share.interval.low}};
}

} // namespace

double goodputShare(double betweenSeconds, double interval, double checkpoint, double restart) {
    return interval
        / (betweenSeconds * std::exp(restart / betweenSeconds)
            * std::expm1((interval + checkpoint) / betweenSeconds));
}

double slowdownOf(int nodes, double slowNodes, double slowBy) {
    return 1.0 + slowBy * (1.0 - std::pow(1.0 - slowNodes, nodes));
}

double youngInterval(double betweenSeconds, double checkpoint) {
    return std::min(betweenSeconds, std::sqrt(2.0 * checkpoint * betweenSeconds));
}

Goodput goodputOf(const Job& job, const Reliability& asked) {
    Goodput out;
    const double ofGpus = asked.gpuHours.value_or(kGpuHours) * kSecondsOfHour;
    out.betweenSeconds = ofGpus / job.gpus();
    out.checkpointSeconds = asked.checkpointSeconds.value_or(
        kStateBytes * trainedParameters(job) / (kStorageOfNode * job.layout.nodes));
    out.restartSeconds = asked.restartSeconds.value_or(kRestart);
    constexpr double kLeastInterval = 1.0; // s, where checkpoints cost nothing
    out.checkpointInterval = asked.checkpointInterval.value_or(
        std::max(kLeastInterval, youngInterval(out.betweenSeconds, out.checkpointSeconds)));
    if (asked.slowNodes || asked.slowBy)
        out.slowdown = slowdownOf(
            job.layout.nodes, asked.slowNodes.value_or(kSlowNodes), asked.slowBy.value_or(kSlowBy));
    const auto shareAt = [&out](double between) {
        return goodputShare(
                   between, out.checkpointInterval, out.checkpointSeconds, out.restartSeconds)
            / out.slowdown;
    };
    const Interval between = intervalOf(out.betweenSeconds, asked.gpuHours ? 0.0 : kGpuHoursSpread);
    out.share = {shareAt(out.betweenSeconds), {shareAt(between.low), shareAt(between.high)}};
    return out;
}

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
    double number = 0.0;
    const char* const end = digits.data() + digits.size();
    const auto read = std::from_chars(digits.data(), end, number);
    const bool isNumber = read.ec == std::errc{} && read.ptr == end && std::isfinite(number);
    if (isNumber && number > 0.0 && number * factor <= kMostTokens)
        return number * factor;
    return usageError(fmt::format(
        "Tokens to train on are a number above 0, as in 300e9, 300B or 1.5T, not \"{}\".", text));
}

Status checkTraining(const TrainingAsked& asked, Workload workload) {
    if (asked.reliability != Reliability{} && !asked.tokens)
        return usageError(
            "Interruptions and checkpoints are of a training: say how many tokens it is on.");
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
    training.tokens = *asked.tokens;
    training.steps = *asked.tokens / job.tokensPerStep();
    const BoundedValue step{prediction.seconds, {prediction.low, prediction.high}};
    const BoundedValue energy{prediction.energyJ, prediction.intervals.energyJ};
    training.seconds = timesOf(step, training.steps);
    training.gpuHours = timesOf(training.seconds, job.gpus() / kSecondsOfHour);
    training.energyJ = timesOf(energy, training.steps);
    training.goodput = goodputOf(job, asked.reliability);
    training.elapsedSeconds = overShare(training.seconds, training.goodput.share);
    training.elapsedJ = overShare(training.energyJ, training.goodput.share);
    return training;
}

} // namespace trainscope::predict
