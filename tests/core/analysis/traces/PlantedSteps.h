#pragma once
// Ranks that compute, wait and meet, each in its own time: a run made step by step, and what the
// analysis says of the waiting in it.

#include "core/analysis/traces/PlantedRun.h"
#include "core/analysis/traces/WaitCauses.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace trainscope::test {

inline analysis::WaitCauses causesIn(
    const store::Store& store, const std::string& name, TimeRange window = kAllTime) {
    const auto run = store.findRun(name);
    const auto clocks = analysis::alignRanks({store, run.value()});
    if (!clocks.hasValue())
        qFatal("%s", clocks.error().describe().c_str());
    auto causes = analysis::waitCauses({store, run.value()}, clocks.value(), window);
    if (!causes.hasValue())
        qFatal("%s", causes.error().describe().c_str());
    return std::move(causes).value();
}

inline const analysis::WaitCause& causeOf(const analysis::WaitCauses& causes, int rank) {
    static const analysis::WaitCause none{};
    for (const analysis::WaitCause& cause : causes.causes) {
        if (cause.rank == rank)
            return cause;
    }
    return none;
}

inline bool isNear(double value, double expected, double within = 1e-6) {
    return std::abs(value - expected) <= within * std::abs(expected) + 1e-12;
}

inline double sumOf(const analysis::WaitCauses& causes) {
    double sum = 0.0;
    for (const analysis::WaitCause& cause : causes.causes)
        sum += cause.waitS;
    return sum;
}

inline double sumOf(const analysis::WaitCause& cause) {
    double sum = 0.0;
    for (const analysis::LateReason reason : analysis::kLateReasons)
        sum += cause.byReasonS[reason];
    return sum;
}

// Ranks that compute and meet, each with its own time: a trace made step by step.
class Steps {
public:
    explicit Steps(std::vector<int> ranks) {
        for (const int rank : ranks)
            m_now[rank] = 0;
    }
    PlantedRun planted;

    void compute(int rank, std::int64_t ns, const std::string& kernel = "gemm") {
        planted.calls.push_back({rank, m_now[rank], m_now[rank] + ns, kernel, "", "7"});
        m_now[rank] += ns;
    }
    void idle(int rank, std::int64_t ns) { m_now[rank] += ns; }
    void allReduce(const std::vector<int>& ranks, const std::string& group) {
        meet(ranks, collectiveDetail("allreduce", 1 << 20, group, ranks),
            "ncclDevKernel_AllReduce_Sum_bf16_RING_LL");
    }
    void message(int from, int to) {
        meet({from, to},
            collectiveDetail("send", 1 << 20, "pp" + std::to_string(from), {from, to},
                R"(,"Src Rank":)" + std::to_string(from) + R"(,"Dst Rank":)" + std::to_string(to)),
            "ncclDevKernel_SendRecv");
    }

private:
    void meet(const std::vector<int>& ranks, const std::string& detail, const std::string& kernel) {
        std::vector<std::int64_t> starts;
        for (const int rank : ranks)
            starts.push_back(m_now[rank]);
        planted.addCollective(
            ranks, starts, kTransfer, detail, [] { return std::int64_t{0}; }, kernel);
        const std::int64_t end = *std::max_element(starts.begin(), starts.end()) + kTransfer;
        for (const int rank : ranks)
            m_now[rank] = end;
    }
    static constexpr std::int64_t kTransfer = 10'000;
    std::map<int, std::int64_t> m_now;
};

// A step's usual work, never twice the same in a row: equal steps could be confused.
inline std::int64_t usual(std::int64_t step) {
    return 1'000'000 + (step * step % 97) * 1'000;
}

} // namespace trainscope::test
