#pragma once
// A step while changes are made to it, and the changes, each a function of it. Pure; one thread.

#include "core/analysis/replay/ClockLaw.h"
#include "core/analysis/replay/StepChange.h"
#include "core/analysis/replay/StepEnergy.h"

#include <concepts>
#include <cstddef>
#include <memory>
#include <string>

namespace trainscope::analysis {

struct ChangeState {
    const ChangeFacts& facts;
    std::shared_ptr<const StepGraph> graph;
    Bounded<StepCosts> costs;
    StepTimes times; // by the likely costs
    DeviceSeconds measured; // by the measured costs; empty where no energy is known
    Factors clock = exactly(1.0); // over the measured one
    bool isPowerKnown = true; // false: on another GPU
    std::string assumption; // of the change that is being made
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
