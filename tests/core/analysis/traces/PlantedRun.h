#pragma once
// A run whose collectives are made up, each rank with a clock of its own: what the analysis must
// find again is known.

#include "core/analysis/traces/PlantedTrace.h"

#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace trainscope::test {

struct PlantedClock {
    std::int64_t offsetNs = 0; // at the epoch of the plant
    double driftPpm = 0.0;
};

// Times in true ns since `epoch`.
struct PlantedCall {
    int rank = 0;
    std::int64_t start = 0;
    std::int64_t end = 0;
    std::string kernel = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL";
    std::string detail = {};
    std::string stream = "24";
};

inline constexpr std::int64_t kEpoch = 1'700'000'000'000'000'000;

inline std::string collectiveDetail(const std::string& collective, std::int64_t elements,
    const std::string& group, const std::vector<int>& ranks, const std::string& more = {},
    const std::string& dataType = "BFloat16") {
    std::string list;
    for (const int rank : ranks)
        list += (list.empty() ? "" : ", ") + std::to_string(rank);
    return R"({"Collective name":")" + collective + R"(","In msg nelems":)"
        + std::to_string(elements) + R"(,"Out msg nelems":)" + std::to_string(elements)
        + R"(,"Group size":)" + std::to_string(ranks.size()) + R"(,"dtype":")" + dataType
        + R"(","Process Group Name":")" + group + R"(","Process Group Ranks":"[)" + list + "]\""
        + more + "}";
}

class PlantedRun {
public:
    std::map<int, PlantedClock> clocks; // a rank without one has the true clock
    std::vector<PlantedCall> calls;
    Run run; // name, GPU model, launch
    std::vector<Gpu> gpus;
    std::vector<Iteration> iterations; // ranges in true ns since the epoch

    PlantedRun() { run.name = "planted"; }

    [[nodiscard]] std::int64_t local(int rank, std::int64_t time) const {
        const auto found = clocks.find(rank);
        const PlantedClock clock = found == clocks.end() ? PlantedClock{} : found->second;
        return kEpoch + time + clock.offsetNs
            + std::llround(static_cast<double>(time) * clock.driftPpm * 1e-6);
    }

    // A collective that every rank joins at its own time and that ends `transfer` after the last
    // has come, each part `jitter(rank)` later.
    template <typename Jitter>
    void addCollective(const std::vector<int>& ranks, const std::vector<std::int64_t>& starts,
        std::int64_t transfer, const std::string& detail, Jitter&& jitter,
        const std::string& kernel = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL") {
        std::int64_t last = starts.front();
        for (const std::int64_t start : starts)
            last = std::max(last, start);
        for (std::size_t i = 0; i < ranks.size(); ++i)
            calls.push_back(
                {ranks[i], starts[i], last + transfer + jitter(), kernel, detail, "24"});
    }

    [[nodiscard]] store::Store stored() const {
        PlantedTrace& trace = *m_traces.emplace_back(std::make_unique<PlantedTrace>());
        trace.run = run;
        trace.gpus = gpus;
        for (const Iteration& one : iterations)
            trace.iteration(one.rank, one.index, local(one.rank, one.range.begin.ns),
                local(one.rank, one.range.end.ns));
        for (const PlantedCall& call : calls) {
            const std::int64_t start = local(call.rank, call.start);
            trace.kernel(call.rank, call.stream, call.kernel, start,
                local(call.rank, call.end) - start, 0, call.detail);
        }
        return trace.store();
    }

private:
    mutable std::vector<std::unique_ptr<PlantedTrace>> m_traces; // they hold the files
};

} // namespace trainscope::test
