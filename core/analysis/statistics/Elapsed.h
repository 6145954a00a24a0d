#pragma once
// The time between two samples in order, in ns; 0 where the stamps are so far apart that it does
// not fit.

#include "core/model/Time.h"

#include <algorithm>
#include <cstdint>

namespace trainscope::analysis {

inline std::int64_t elapsedNs(TimeNs from, TimeNs to) {
    const auto difference = static_cast<std::uint64_t>(to.ns) - static_cast<std::uint64_t>(from.ns);
    return std::max<std::int64_t>(static_cast<std::int64_t>(difference), 0);
}

} // namespace trainscope::analysis
