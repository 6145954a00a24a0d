#pragma once
// Facts that the rules take from the call trees of a run: operators below the roofline, small
// kernels, calls that take longer than their work, work done again, copies. Pure; any thread.

#include "core/analysis/operators/CallTree.h"
#include "core/catalogue/GpuModel.h"

#include <cstdint>
#include <string>
#include <vector>

namespace trainscope::analysis {

inline constexpr double kLowRoofline = 0.30; // attainable / measured time
inline constexpr double kLeastSlowCallS = 10e-6; // shorter calls are small kernels
inline constexpr double kSmallKernelS = 5e-6; // about what starting one takes
inline constexpr double kHostOverWork = 2.0; // time of calls / time of their work

// A part of the time on the GPUs, and where it is.
struct OperatorPart {
    std::string name; // name of an operator or a module
    std::string shape; // "[64, 32], [32, 16] bf16"; empty: none
    double seconds = 0.0; // on the GPUs
    double savedS = 0.0; // above the roofline
    double hostS = 0.0; // time of its calls
};

struct OperatorFacts {
    double savedS = 0.0; // by all of `slow` at their roofline
    std::vector<OperatorPart> slow; // shapes below kLowRoofline, by what they would save
    std::int64_t kernels = 0;
    std::int64_t smallKernels = 0; // shorter than kSmallKernelS in the mean of their node
    double smallS = 0.0;
    std::vector<OperatorPart> smallIn; // by time
    std::vector<OperatorPart> launchBound; // modules and annotations, by the time of their calls
    double recomputedS = 0.0;
    std::vector<OperatorPart> recomputed; // operators, by time
    double copiedS = 0.0; // by kernels of operators that copy, convert or join tensors
    std::vector<OperatorPart> copiedIn; // modules, else operators, by time
};

// `gpu`: nullptr where it is not known: nothing is below its roofline then.
OperatorFacts operatorFacts(const CallTree& tree, const catalogue::GpuModel* gpu);

} // namespace trainscope::analysis
