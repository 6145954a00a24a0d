#pragma once
// Timings: what was measured of operators and of exchanges on a kind of GPU, as importers give it.
// Plain values, SI.

#include "core/predict/operators/Collective.h"
#include "core/predict/operators/Operator.h"

namespace trainscope::predict {

inline constexpr double kNotTimed = std::numeric_limits<double>::quiet_NaN();

enum class Direction { Forward, Backward };
inline Work workIn(const Operator& work, Direction direction) {
    return direction == Direction::Forward ? forwardWork(work) : backwardWork(work);
}

struct TimedOperator {
    Operator work; // its name is not used
    double forward = kNotTimed; // s
    double backward = kNotTimed;

    [[nodiscard]] double in(Direction direction) const {
        return direction == Direction::Forward ? forward : backward;
    }
    double& in(Direction direction) { return direction == Direction::Forward ? forward : backward; }
};

// Mean conditions of the GPUs while something was timed; absent where not recorded.
struct TimingConditions {
    std::optional<double> clockHz;
    std::optional<double> powerW;
};

// One operator of one GPU. Those of one family are the same work in different places of a model.
struct OperatorTimings {
    std::string gpu; // as the source writes it
    std::string name; // as the source calls it: "linear1"
    std::string family; // "gemm"; of each kind of operator the usual one is named as the kind
    std::vector<TimedOperator> rows;
    std::optional<double> statedForward; // error that the source states for its own model of it
    std::optional<double> statedBackward;
    TimingConditions conditions = {};
};

struct TimedExchange {
    double bytes = 0.0; // as in Collective
    double seconds = 0.0;
};

// One kind of exchange between that many GPUs.
struct CollectiveTimings {
    std::string gpu;
    std::string fabric; // the system that it was measured on: "perlmutter"
    std::string name; // as the source calls it: "allreduce_large"
    CollectiveKind kind = CollectiveKind::AllReduce;
    int nodes = 1;
    int gpusPerNode = 1;
    std::vector<TimedExchange> rows;
    std::optional<double> statedError;
    TimingConditions conditions = {};
};

struct Timings {
    std::vector<OperatorTimings> operators;
    std::vector<CollectiveTimings> collectives;
};

} // namespace trainscope::predict
