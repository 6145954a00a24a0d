#pragma once
// Process in a JSON of rocprofv3: its agents, kernels and names, and its records.

#include "importers/trace/LauncherVariables.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace trainscope::importers::rocprof {

// The paths below "rocprofiler-sdk-tool".
enum class Place : std::size_t { Metadata, Agents, Symbols, Names, Markers, Calls, Work };
// A call, a dispatch or a copy; what is not said is negative, or 0.
struct ToolRecord {
    std::int64_t start = -1;
    std::int64_t end = -1;
    std::int64_t kind = -1;
    std::int64_t operation = -1;
    std::int64_t thread = 0;
    std::int64_t correlation = 0;
    std::int64_t stream = -1;
    std::int64_t queue = 0;
    std::int64_t agent = -1;
    std::int64_t source = -1;
    std::int64_t target = -1;
    std::int64_t kernel = -1;
    std::int64_t bytes = -1;
    std::int64_t localMemory = -1;
    std::array<std::int64_t, 3> grid{};
    std::array<std::int64_t, 3> workgroup{};
};
// `object` is followed by JsonScanner::kPadding readable bytes, here and below.
ToolRecord toolRecordFrom(std::string_view object);

struct KernelSymbol {
    std::string name;
    std::int64_t registers = 0;
};

struct ToolAgent {
    std::int64_t handle = -1;
    std::int64_t node = 0;
    std::string model;
};

struct CallNames {
    std::string kind; // "HIP_RUNTIME_API"
    std::vector<std::string> operations;
};

// Facts that one process has before its records.
struct ToolProcess {
    std::int64_t pid = 0;
    LaunchedRank launched;
    std::vector<ToolAgent> gpus; // in the machine's order
    std::map<std::int64_t, KernelSymbol> symbols;
    std::vector<CallNames> names; // by kind
    std::map<std::int64_t, std::string> markers; // by correlation

    [[nodiscard]] int deviceOf(std::int64_t handle) const {
        for (std::size_t i = 0; i < gpus.size(); ++i) {
            if (gpus[i].handle == handle)
                return static_cast<int>(i);
        }
        return -1;
    }
    [[nodiscard]] const CallNames* namesOf(const ToolRecord& record) const {
        return record.kind >= 0 && record.kind < static_cast<std::int64_t>(names.size())
            ? &names[static_cast<std::size_t>(record.kind)]
            : nullptr;
    }
    [[nodiscard]] std::string nameOf(const ToolRecord& record) const {
        const CallNames* of = namesOf(record);
        const bool isNamed = of != nullptr && record.operation >= 0
            && record.operation < static_cast<std::int64_t>(of->operations.size());
        return isNamed ? of->operations[static_cast<std::size_t>(record.operation)]
                       : std::string("?");
    }
};
// An object of any place but the records.
void takeSmall(Place place, std::string_view object, ToolProcess& process);

} // namespace trainscope::importers::rocprof
