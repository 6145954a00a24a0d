#pragma once
// A step while changes are made to it, and the changes, each a function of it. Pure; one thread.

#include "core/analysis/replay/ClockLaw.h"
#include "core/analysis/replay/StepChange.h"

#include <concepts>

namespace trainscope::analysis {

// Seconds of a step on all GPUs, by category of the work and "idle"; what runs at once counts in
// each.
using DeviceSeconds = std::map<std::string, double>;
DeviceSeconds deviceSeconds(const StepGraph& graph, const StepTimes& times);

// W of a GPU: its own limit; without work at the highest clock, since what the readings tell of
// short waits is the power of the work around them.
double ownLimitOf(const ChangeFacts& facts);
Factors idleWattsOf(const ChangeFacts& facts);

// Energy of a changed step: each category of work draws the power that it drew, or that its clock
// (over the measured one) leaves it, for its changed time.
EstimatedEnergy changedEnergy(const ChangeFacts& facts, const DeviceSeconds& before,
    const Bounded<DeviceSeconds>& after, const Factors& clock);

struct ChangeState {
    const ChangeFacts& facts;
    std::shared_ptr<const StepGraph> graph;
    Bounded<StepCosts> costs;
    StepTimes times; // by the likely costs
    DeviceSeconds measured; // by the measured costs; empty where no energy is known
    Factors clock = exactly(1.0); // over the measured one
    bool isPowerKnown = true; // false: on another GPU
    std::string assumption; // the current change rests on it
};

inline bool isDeviceWork(const StepOperation& operation) {
    return operation.kind != OperationKind::HostCall;
}

// change(costs, factor) of each of the bounds.
template <std::invocable<StepCosts&, double> Change>
void changeEach(ChangeState& state, const Factors& factors, const Change& change) {
    change(state.costs.fast, factors.fast);
    change(state.costs.likely, factors.likely);
    change(state.costs.slow, factors.slow);
}
void scaleDuration(ChangeState& state, std::size_t operation, const Factors& factors);
// Its duration and, where it is gone, the delay before it.
void scaleWhole(ChangeState& state, std::size_t operation, double factor);

// Applied in its place; Usage where it cannot be.
using ApplyChange = Status(const StepChange& change, ChangeState& state);
ApplyChange changeKernels;
ApplyChange changeCategory;
ApplyChange changeOperators;
ApplyChange changeKind;
ApplyChange changeHost;
ApplyChange changeLinks;
ApplyChange changeGpu;
ApplyChange changeDegrees;
ApplyChange changeRank; // like the median of its peers
ApplyChange changeOverlap;
ApplyChange changeRecomputation; // none
ApplyChange changePowerLimit;
ApplyChange changeClock;

} // namespace trainscope::analysis
