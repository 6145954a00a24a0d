#pragma once
// Names of frames in a call tree, from names and arguments of calls: calls that differ only in a
// number are one frame. Pure; any thread.

#include <string>
#include <string_view>
#include <vector>

namespace trainscope::analysis {

// "nn.Module: Linear_0" of PyTorch's Python stack.
bool isModuleName(std::string_view name);

// "ProfilerStep#" of "ProfilerStep#12", "iteration" of "iteration 7": annotations of one pass each.
// Others stay as they are: "layer 3" is no "layer 4".
std::string foldedAnnotation(std::string_view name);

// The detail of an operator without arguments that differ from call to call and tell nothing of its
// work: fractions (learning rates, factors) and long texts among "Concrete Inputs" are left empty.
std::string foldedSignature(std::string_view detail);

// Operators that a Triton kernel of PyTorch's Inductor stands for, as its name lists them:
// "triton_red_fused_add_mean_mul_0" of "add", "mean" and "mul". Empty for other names.
std::vector<std::string> fusedOperators(std::string_view name);

} // namespace trainscope::analysis
