#pragma once
// A trace of a rank as the PyTorch profiler writes it, made up such that every step can be told by
// its kernel: the product of step k takes `kernelUs` + k. Ranks reduce once in each step, so that
// their clocks can be compared.

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace trainscope::test {

struct StepTrace {
    int rank = 0;
    int ranks = 2;
    std::int64_t offsetUs = 0; // the rank's clock
    std::int64_t steps = 10;
    std::int64_t stepUs = 1'000;
    std::int64_t kernelUs = 100; // in step 0
    std::string kernel = "gemm";

    // Kernel time of the products of steps [first, last], µs.
    [[nodiscard]] std::int64_t productUs(std::int64_t first, std::int64_t last) const {
        return (last - first + 1) * kernelUs + (first + last) * (last - first + 1) / 2;
    }

    [[nodiscard]] std::string json() const {
        std::string text
            = fmt::format(R"({{"schemaVersion": 1, "distributedInfo": {{"rank": {}}},)", rank);
        text += R"("traceEvents": [)";
        for (std::int64_t k = 0; k < steps; ++k)
            text += (k > 0 ? ",\n" : "\n") + stepEvents(k);
        return text + "\n], \"baseTimeNanoseconds\": 1700000000000000000}";
    }
    [[nodiscard]] bool write(const std::filesystem::path& path) const {
        std::ofstream file(path);
        return static_cast<bool>(file << json());
    }

private:
    struct Event {
        std::string_view category;
        std::string_view name;
        std::int64_t from = 0; // µs
        std::int64_t lasts = 0;
        int thread = 1;
        std::string arguments = {};

        [[nodiscard]] std::string json() const {
            return fmt::format(R"({{"ph":"X","cat":"{}","name":"{}","pid":{},"tid":{},)", category,
                       name, thread == 1 ? 4000 : 0, thread)
                + fmt::format(R"("ts":{},"dur":{},"args":{{{}}}}})", from, lasts, arguments);
        }
    };

    // Rank r comes to the collective 20 µs after the one before it; all leave together.
    [[nodiscard]] std::string stepEvents(std::int64_t k) const {
        const std::int64_t at = offsetUs + k * stepUs;
        const std::int64_t comes = at + 700 + 20 * rank;
        const std::string step = fmt::format("ProfilerStep#{}", k);
        const std::string link = fmt::format(R"("correlation":{})", k + 1);
        return Event{"user_annotation", step, at, stepUs - 50}.json() + ",\n"
            + Event{"cpu_op", "aten::mm", at + 50, 30}.json() + ",\n"
            + Event{"cuda_runtime", "cudaLaunchKernel", at + 60, 5, 1, link}.json() + ",\n"
            + Event{"kernel", kernel, at + 100, kernelUs + k, 7, R"("device":0,"stream":7,)" + link}
                  .json()
            + ",\n"
            + Event{"kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL", comes, at + 900 - comes, 9,
                R"("device":0,"stream":9,)" + collective(k)}
                  .json();
    }
    [[nodiscard]] std::string collective(std::int64_t k) const {
        std::string list = "0";
        for (int other = 1; other < ranks; ++other)
            list += fmt::format(", {}", other);
        return fmt::format(R"("Collective name":"allreduce","In msg nelems":{0},)"
                           R"("Out msg nelems":{0},"Group size":{1},"dtype":"Float",)"
                           R"("Process Group Name":"0","Process Group Ranks":"[{2}]")",
            1000 * (k + 1), ranks, list);
    }
};

} // namespace trainscope::test
