#pragma once
// A seeded value that changes as a sensor's does: a bounded random walk, or a 32-bit counter that
// grows and wraps.

#include <random>

namespace trainscope::bench {

struct Wander {
    const char* metric; // CharLLM-PPT's file name
    double start;
    double step; // largest change per sample
    double low;
    double high;
    int decimals;
    bool isCounter = false;
};

inline constexpr Wander kPower{"gpu_power", 450.0, 40.0, 90.0, 700.0, 3};

// The value after `value`.
double next(std::mt19937& random, const Wander& wander, double value);

} // namespace trainscope::bench
