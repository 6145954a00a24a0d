#pragma once
// Training: what a training on so many tokens takes if every step is as predicted: its time and the
// energy of its GPUs. Pure; any thread.
//
//   time      tokens / tokens per second of all GPUs
//   energy    mean power × GPUs × time; of the GPUs alone, without hosts, network and cooling
//   bounds    those of the step's 90 % interval and of its energy's
//   goodput   the share of the time in which the training gets on, of jobs that are interrupted
//             once in M seconds, stand still for δ seconds at each checkpoint, one after τ seconds
//             of work, and for R seconds until they go on (Daly 2006,
//             doi 10.1016/j.future.2004.11.016):
//               τ / (M · exp(R / M) · (exp((τ + δ) / M) − 1))
//             where not said
//               M   GPU hours between interruptions / GPUs. kGpuHours is the geometric mean of two
//                   published: 50,700 (419 unexpected ones in 54 days on 16,384 H100 of Llama 3,
//                   arXiv 2407.21783) and 29,500 (6.5 in a thousand days of a node of 8 A100, arXiv
//                   2410.21680). OPT-175B had 7,400 (992 A100 in 2021, once in 7.5 h)
//               τ   √(2·δ·M), M at most (Young 1974, doi 10.1145/361147.361115)
//               δ   14 B of each parameter that is trained, at 1 GB/s a node (2 TB/s of storage of
//                   Llama 3's 2,048 nodes)
//               R   10 min to notice, replace and load (MegaScale, arXiv 2402.15627)
//             bounds: kGpuHoursSpread, which has both rates and those of newer machines in it; none
//             of what was said
//   slow      where they are asked for: a node in n is slow with a probability p, by a share s, and
//             all wait for the slowest, so that a step takes 1 + s · (1 − (1 − p)^n) of its time in
//             the mean, by which the goodput falls. The one of the two that is not said is as
//             MegaScale found (arXiv 2402.15627): half a percent of the machines, about 10 %
//             slower. None unless asked: whoever runs a training takes such nodes out
//   elapsed   time / goodput, and energy / goodput: GPUs that redo or wait draw as they do in steps

#include "core/predict/prediction/Prediction.h"

namespace trainscope::predict {

inline constexpr double kSecondsOfDay = 86'400.0;
inline constexpr double kSecondsOfHour = 3'600.0;
inline constexpr double kJoulesOfKwh = 3.6e6;

inline constexpr double kGpuHours = 38'700.0; // hours of all GPUs between interruptions of a job
inline constexpr double kGpuHoursSpread = 0.5; // standard deviation of its logarithm
inline constexpr double kSlowNodes = 0.005;
inline constexpr double kSlowBy = 0.1;

// Interruptions of a training, its checkpoints, and nodes that hold it up; absent: as above.
// Seconds, hours of GPUs, and shares from 0 to 1.
struct Reliability {
    std::optional<double> gpuHours = {};
    std::optional<double> checkpointInterval = {};
    std::optional<double> checkpointSeconds = {};
    std::optional<double> restartSeconds = {};
    std::optional<double> slowNodes = {};
    std::optional<double> slowBy = {};

    bool operator==(const Reliability&) const = default;
};

struct TrainingAsked {
    std::optional<double> tokens; // absent: nothing is asked
    Reliability reliability = {};

    bool operator==(const TrainingAsked&) const = default;
};

// "300e9", "300B", "1.5T": a number with k, M, B or G, and T behind it. Usage says what is wrong.
Result<double> tokensFrom(std::string_view text);
// Usage where interruptions are asked for without tokens, or tokens of inference.
Status checkTraining(const TrainingAsked& asked, Workload workload);

struct BoundedValue {
    double value = 0.0;
    Interval interval;
};

struct Goodput {
    double betweenSeconds = 0.0; // interruptions
    double checkpointInterval = 0.0; // s of work
    double checkpointSeconds = 0.0; // for each
    double restartSeconds = 0.0;
    BoundedValue share; // share of the time
    double slowdown = 1.0; // longer steps by slow nodes, which are in the share
};
// Daly's share (above). All above 0 but the restart and the checkpoint, which may be 0.
double goodputShare(double betweenSeconds, double interval, double checkpoint, double restart);
// Steps of so many nodes take so many times as long.
double slowdownOf(int nodes, double slowNodes, double slowBy);
double youngInterval(double betweenSeconds, double checkpoint); // s
Goodput goodputOf(const Job& job, const Reliability& asked);

struct Training {
    double tokens = 0.0;
    double steps = 0.0;
    BoundedValue seconds;
    BoundedValue gpuHours;
    BoundedValue energyJ;
    Goodput goodput;
    BoundedValue elapsedSeconds; // with what is lost to interruptions
    BoundedValue elapsedJ;

    [[nodiscard]] double days() const { return seconds.value / kSecondsOfDay; }
};

// Absent where no tokens are asked for, or the job trains nothing.
std::optional<Training> trainingOf(
    const Job& job, const Prediction& prediction, const TrainingAsked& asked);
// Seconds of so many tokens at a rate per GPU.
double secondsOfTokens(double tokens, double tokensPerSecondPerGpu, int gpus);

} // namespace trainscope::predict
