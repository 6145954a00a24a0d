#pragma once
// A database of one traced GPU whose steps can be read off: in each of 450 µs the host launches a
// product of 400 µs and waits for it.

#include "app/importing/ImportRunner.h"
#include "importers/registry/Registry.h"

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

namespace trainscope::test {

inline std::string stepEvents(std::int64_t step) {
    const std::int64_t at = step * 1'000;
    const std::string link
        = fmt::format(R"("args":{{"device":0,"stream":7,"correlation":{}}})", step + 1);
    const auto event = [&](const char* category, const std::string& name, std::int64_t begin,
                           std::int64_t lasts, int thread) {
        return fmt::format(
            R"({{"ph":"X","cat":"{}","name":"{}","pid":{},"tid":{},"ts":{},"dur":{},{}}})",
            category, name, thread == 1 ? 4000 : 0, thread, at + begin, lasts, link);
    };
    return event("user_annotation", fmt::format("ProfilerStep#{}", step), 0, 450, 1) + ",\n"
        + event("cpu_op", "aten::mm", 5, 20, 1) + ",\n"
        + event("cuda_runtime", "cudaLaunchKernel", 10, 5, 1) + ",\n"
        + event("kernel", "sm90_gemm", 20, 400, 7) + ",\n"
        + fmt::format(
            R"({{"ph":"X","cat":"cuda_runtime","name":"cudaDeviceSynchronize","pid":4000,"tid":1,)"
            R"("ts":{},"dur":396,"args":{{"correlation":{}}}}})",
            at + 30, step + 1'001);
}

// Empty on failure.
inline std::filesystem::path writeStepDatabase(const std::filesystem::path& folder) {
    const auto trace = folder / "steps.json";
    std::string text = R"({"schemaVersion": 1, "distributedInfo": {"rank": 0}, "traceEvents": [)";
    for (std::int64_t step = 0; step < 8; ++step)
        text += (step > 0 ? ",\n" : "\n") + stepEvents(step);
    std::ofstream(trace) << text << "\n], \"baseTimeNanoseconds\": 1700000000000000000}";
    const auto path = folder / "steps.trainscope";
    const auto tree = importers::openDiskTree(trace).value();
    const auto plan = importers::planImport(*tree, {}).value();
    return app::runImport(*tree, plan, path, {}).hasValue() ? path : std::filesystem::path();
}

} // namespace trainscope::test
