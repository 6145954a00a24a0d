#pragma once
// Repeatable noise: a value depends only on the seed and the position, never on the order of calls.
// SplitMix64, Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.

#include <cstdint>

namespace trainscope::app::sample {

constexpr std::uint64_t mix(std::uint64_t x) {
    x += 0x9E3779B97F4A7C15ULL;
    x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    x = (x ^ (x >> 27U)) * 0x94D049BB133111EBULL;
    return x ^ (x >> 31U);
}

// Uniform in [-1, 1).
constexpr double noise(std::uint64_t seed, std::uint64_t a, std::uint64_t b = 0) {
    const std::uint64_t bits = mix(mix(seed ^ mix(a)) ^ b) >> 11U;
    return static_cast<double>(bits) * 0x1p-52 - 1.0;
}

} // namespace trainscope::app::sample
