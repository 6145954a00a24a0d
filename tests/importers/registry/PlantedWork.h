#pragma once
// Traces and logs of GPUs that work when it is planted: at these times of 2026-04-22.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace trainscope::test {

inline constexpr std::int64_t kLogMidnight = 1'776'816'000; // 2026-04-22, UTC

// Stretches of work and pauses, one to four seconds each.
using Work = std::vector<std::pair<double, double>>; // s after midnight

inline Work workFrom(unsigned seed, double from, double until) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> length(1.0, 4.0);
    Work work;
    for (double now = from; now < until;) {
        const double end = std::min(until, now + length(random));
        work.emplace_back(now, end);
        now = end + length(random);
    }
    return work;
}

inline bool isIn(const Work& work, double second) {
    return std::any_of(work.begin(), work.end(),
        [second](const auto& part) { return part.first <= second && second < part.second; });
}

struct TraceOf {
    int rank = -1; // not said
    int world = 1;
    int pid = 100;
    int seen = 1; // GPUs that the process saw
    int device = 0;
};

// Kernels of 20 ms behind each other.
inline std::string traceOf(const Work& work, TraceOf said = {}) {
    std::vector<std::string> events{
        fmt::format(R"({{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": {0}, "tid": {0}, )"
                    R"("ts": {1}, "dur": 5}})",
            said.pid, std::llround((kLogMidnight + work.front().first) * 1e6))};
    for (const auto& [from, until] : work) {
        for (double now = from; now < until - 0.01; now += 0.02)
            events.push_back(fmt::format(
                R"({{"ph": "X", "cat": "kernel", "name": "k", "pid": {0}, "tid": 7, "ts": {1}, )"
                R"("dur": 20000, "args": {{"device": {0}, "stream": 7}}}})",
                said.device, std::llround((kLogMidnight + now) * 1e6)));
    }
    std::string gpus;
    for (int gpu = 0; gpu < said.seen; ++gpu)
        gpus += fmt::format(
            R"({}{{"id": {}, "name": "NVIDIA H100 80GB HBM3"}})", gpu > 0 ? ", " : "", gpu);
    std::string text = fmt::format("{{\"schemaVersion\": 1, \"deviceProperties\": [{}],\n", gpus);
    if (said.rank >= 0)
        text += fmt::format(R"("distributedInfo": {{"backend": "nccl", "rank": {}, )"
                            R"("world_size": {}}},)",
            said.rank, said.world);
    return text + fmt::format("\"traceEvents\": [{}]}}\n", fmt::join(events, ",\n"));
}

// A log that reads every half second; `works` says which GPU works when.
template <typename Works>
std::string logOf(double from, double until, const std::vector<int>& gpus, const Works& works,
    int ahead = 0, bool hasIndex = true) {
    std::mt19937 random(3);
    std::normal_distribution<double> noise(0.0, 4.0);
    std::string text = hasIndex ? "timestamp, index, name, power.draw [W]\n"
                                : "timestamp, name, power.draw [W]\n";
    for (double now = from; now < until; now += 0.5) {
        const auto milli = std::llround((now + ahead) * 1e3);
        const auto second = milli / 1000;
        for (const int gpu : gpus)
            text += fmt::format("2026/04/22 {:02}:{:02}:{:02}.{:03}, {}NVIDIA H100 80GB HBM3, "
                                "{:.1f} W\n",
                second / 3600, second / 60 % 60, second % 60, milli % 1000,
                hasIndex ? fmt::format("{}, ", gpu) : std::string(),
                (works(gpu, now - 0.1) ? 500.0 : 80.0) + noise(random));
    }
    return text;
}

} // namespace trainscope::test
