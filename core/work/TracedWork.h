#pragma once
// The work of an operator of a trace, from its name and its arguments. Pure; any thread.
//
// Anything unknown is absent, never 0: an operator that the table lacks, shapes or values that the
// trace did not record, lists of tensors whose element type nobody wrote. Operators that only move
// data have 0 FLOP and their bytes; those that only look at tensors in another way (aten::view,
// aten::t) launch no kernel and are absent too. An operator that is made of others
// (aten::linear of aten::addmm) has their work, so that sums go over one level of the tree.

#include "core/work/ElementType.h"
#include "core/work/OperatorSignature.h"
#include "core/work/Work.h"
#include "core/work/WorkTable.h"

#include <optional>
#include <string_view>

namespace trainscope::work {

// Units of the GPU that the FLOP run on: products on those for matrices, the rest beside them.
enum class Units { Matrix, SparseMatrix, Vector };

struct TracedWork : Work {
    ElementType type = ElementType::Unknown; // the inputs' type
    Units units = Units::Vector;
    Formula formula = Formula::Nothing;
    // Lists of tensors say no type: those of optimizers are counted in 32 bits.
    bool isTypeAssumed = false;
};

std::optional<TracedWork> workOf(std::string_view operatorName, const OperatorSignature& signature,
    const WorkTable& table = WorkTable::inUse());
// Work of a span with that name and detail; absent where the detail has no shapes and states no
// work (StatedWork.h).
std::optional<TracedWork> workOf(std::string_view operatorName, std::string_view detail,
    const WorkTable& table = WorkTable::inUse());

} // namespace trainscope::work
