#pragma once
// A database for the layout view. Run "grid": 8 GPUs on 2 nodes of 4, launched with TP 2, PP 2,
// 8 layers, a batch of 8 (so DP 2, 4 micro-batches); 61 samples, one a second, temperature
// 40 + rank + second, power 100. Run "bare": 2 GPUs of which nothing says a layout, temperature 50.

#include "core/model/Time.h"

#include <filesystem>
#include <string>

namespace trainscope::test {

inline constexpr TimeNs kLayoutStart{1'700'000'000'000'000'000};
constexpr TimeNs layoutTime(double second) {
    return kLayoutStart + DurationNs{static_cast<std::int64_t>(second * 1e9)};
}

// Empty on failure, with a warning.
std::filesystem::path writeLayoutDatabase(const std::string& folder);

} // namespace trainscope::test
