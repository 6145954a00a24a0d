#pragma once
// Durations that are the subject of a test: a device or reader that is slow, and a process that is
// killed after a while. Everything else waits for a condition.

#include <sys/time.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace trainscope::test {

inline void lasts(std::chrono::microseconds duration) {
    std::this_thread::sleep_for(duration);
}

// An alarm ends the calling process at that moment, wherever it is; for children of fork().
inline void diesAfter(std::chrono::microseconds duration) {
    const auto us = std::max<std::chrono::microseconds::rep>(1, duration.count()); // 0 is no alarm
    const itimerval moment{{0, 0}, {us / 1'000'000, us % 1'000'000}};
    setitimer(ITIMER_REAL, &moment, nullptr);
}

} // namespace trainscope::test
