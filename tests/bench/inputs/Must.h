#pragma once
// An input that cannot be made ends the program with its message.

#include "core/model/Result.h"

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace trainscope::bench {

inline void must(const Status& status) {
    if (status.hasValue())
        return;
    std::fprintf(stderr, "%s\n", status.error().describe().c_str());
    std::exit(EXIT_FAILURE); // NOLINT(concurrency-mt-unsafe): before any thread has begun
}

template <typename T>
T must(Result<T> result) {
    if (!result.hasValue())
        must(Status(result.error()));
    return std::move(result).value();
}

} // namespace trainscope::bench
