#pragma once
// A step while changes are made to it, and the changes, each a function of it. Pure; one thread.

#include "core/analysis/replay/ClockLaw.h"
#include "core/analysis/replay/StepChange.h"
#include "core/analysis/replay/StepEnergy.h"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
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
    std::map<std::string, Factors> power; // by category: on its measured power; absent: as measured
    bool isPowerKnown = true; // false: on another GPU
    std::string assumption; // of the change that is being made
};

inline bool isDeviceWork(const StepOperation& operation) {
    return operation.kind != OperationKind::HostCall;
}
inline bool isTransferWork(const StepOperation& operation) {
    return operation.kind == OperationKind::Collective || operation.kind == OperationKind::Message;
}
const std::string& categoryNameOf(const StepGraph& graph, const StepOperation& operation);
// By the roofline where it is known, else by its category.
bool isComputeBound(const ChangeState& state, const StepOperation& operation);

// One of the costs of all bounds: change(cost, factor).
template <std::invocable<StepCosts&, double> Change>
void changeEach(ChangeState& state, const Factors& factors, const Change& change) {
    change(state.costs.fast, factors.fast);
    change(state.costs.likely, factors.likely);
    change(state.costs.slow, factors.slow);
}
void scaleDuration(ChangeState& state, std::size_t operation, const Factors& factors);
// Its duration, and the delay before it.
void scaleWhole(ChangeState& state, std::size_t operation, double factor);

// Applied in its place; Usage where it cannot be.
Status changeKernels(const StepChange& change, ChangeState& state);
Status changeCategory(const StepChange& change, ChangeState& state);
Status changeOperators(const StepChange& change, ChangeState& state);
Status changeKind(const StepChange& change, ChangeState& state);
Status changeHost(const StepChange& change, ChangeState& state);
Status changeLinks(const StepChange& change, ChangeState& state);
Status changeGpu(const StepChange& change, ChangeState& state);
Status changeRank(const StepChange& change, ChangeState& state); // like the median of its peers
Status changeOverlap(const StepChange& change, ChangeState& state);
Status changeRecomputation(const StepChange& change, ChangeState& state); // none
Status changePowerLimit(const StepChange& change, ChangeState& state);
Status changeClock(const StepChange& change, ChangeState& state);
Status changeDegrees(const StepChange& change, ChangeState& state);

} // namespace trainscope::analysis
