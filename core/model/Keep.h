#pragma once
// For work in steps that each may fail: a step's value is kept, its error handed on.

#include "core/model/Result.h"

#include <utility>

namespace trainscope {

// Moves the value to `into` (a T, or what one can be assigned to); of an error nothing is changed.
template <typename T, typename U>
Status keep(Result<T> result, U& into) {
    if (!result.hasValue())
        return result.error();
    into = std::move(result).value();
    return {};
}

} // namespace trainscope
