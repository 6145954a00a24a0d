#pragma once
// RETURN_IF_ERROR and ASSIGN_OR_RETURN hand the error of a Result on to the caller, else go on with
// its value. They work in any function that returns a Result. The names are those of Abseil.

#include "core/model/Result.h"

#define TRAINSCOPE_JOIN_TEXT(a, b) a##b
#define TRAINSCOPE_JOIN(a, b) TRAINSCOPE_JOIN_TEXT(a, b)

#define TRAINSCOPE_RETURN_IF_ERROR(result, ...)                                                    \
    do {                                                                                           \
        if (const auto result = __VA_ARGS__; !result.hasValue())                                   \
            return result.error();                                                                 \
    } while (false)

#define TRAINSCOPE_ASSIGN_OR_RETURN(result, target, ...)                                           \
    auto result = __VA_ARGS__;                                                                     \
    if (!result.hasValue())                                                                        \
        return result.error();                                                                     \
    target = std::move(result).value()

// RETURN_IF_ERROR(store.close());
#define RETURN_IF_ERROR(...)                                                                       \
    TRAINSCOPE_RETURN_IF_ERROR(TRAINSCOPE_JOIN(tried, __COUNTER__), __VA_ARGS__)

// ASSIGN_OR_RETURN(const auto gpus, store.gpus(run)); or of what there is: ASSIGN_OR_RETURN(m_gpus,
// …);
#define ASSIGN_OR_RETURN(target, ...)                                                              \
    TRAINSCOPE_ASSIGN_OR_RETURN(TRAINSCOPE_JOIN(tried, __COUNTER__), target, __VA_ARGS__)
