#pragma once
// Reads the part of a second run that a part of the first is compared with.

#include "core/figures/operators/OperatorsFigure.h"

#include <string>

namespace trainscope::figures {

struct OperatorsAgainst {
    OperatorsQuery query;
    std::string part; // the compared part in words: "iterations 2 to 3"; empty: all, as asked
};

// The same rank if the run has a trace of it, else all of them. A window becomes the iterations
// that lie mostly inside it, if both runs have recorded these, else all of the run. Any
// thread that owns the store.
Result<OperatorsAgainst> partAgainst(const store::Store& store, const OperatorsQuery& first,
    RunId other, const Progress& progress = {});

} // namespace trainscope::figures
