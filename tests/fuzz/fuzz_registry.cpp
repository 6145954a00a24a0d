// Any bytes under several names: planned, or listed with a reason.

#include "importers/registry/Registry.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace trainscope::importers;
    const std::string text(reinterpret_cast<const char*>(data), size);
    const auto tree = memoryTree({{"run/gpu_power_0.csv", text},
        {"run/1_kineto/trace_0.json.gz", text}, {"run/smi.txt", text}});
    const auto plan = planImport(*tree, {});
    if (!plan.hasValue())
        std::abort();
    std::size_t accounted = 0;
    for (const auto& unit : plan.value().units)
        accounted += unit.files.size();
    for (const auto& left : plan.value().unrecognised) {
        if (left.reason.empty())
            std::abort();
        ++accounted;
    }
    if (accounted < tree->files().size())
        std::abort();
    return 0;
}
