#pragma once
// The shape of a traced operator in the terms of its formula, for samples of cost models. Pure; any
// thread.

#include "core/work/TracedWork.h"

#include <optional>
#include <string_view>

namespace trainscope::work {

struct TracedAttention {
    AttentionSize size;
    Mask mask = Mask::None;
    std::optional<double> window; // keys that each query sees before it
};

// One of the shapes is there, by the formula.
struct TracedShape {
    Formula formula = Formula::Nothing;
    ElementType type = ElementType::Unknown; // inputs' type
    std::optional<ProductSize> product;
    std::optional<TracedAttention> attention;
    // The tensor that a norm, a softmax, a loss or an elementwise operator goes over; for an
    // embedding its result.
    std::optional<Tensor> tensor;
    double tableRows = 0.0; // embedding only
};

std::optional<TracedShape> shapeOf(std::string_view operatorName,
    const OperatorSignature& signature, const WorkTable& table = WorkTable::inUse());

} // namespace trainscope::work
