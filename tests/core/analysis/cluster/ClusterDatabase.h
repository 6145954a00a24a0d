#pragma once
// A run with planted telemetry: series of GPUs and of nodes at whole seconds, and iterations.

#include "core/analysis/traces/PlantedTrace.h"

#include <string>
#include <utility>
#include <vector>

namespace trainscope::test {

inline constexpr std::int64_t kBegin = 1'735'689'600'000'000'000;
inline constexpr std::int64_t kSecond = 1'000'000'000;

inline TimeNs atSecond(double seconds) {
    return {kBegin + static_cast<std::int64_t>(seconds * 1e9)};
}

struct PlantedSeries {
    std::string metric;
    Subject subject;
    std::vector<double> values; // at 0, 1, 2, … seconds
};

struct PlantedCluster {
    Run run;
    int gpus = 0;
    int perNode = 8;
    std::vector<PlantedSeries> series;
    std::vector<std::pair<int, int>> iterations; // seconds, of the whole run
};

class ClusterDatabase {
public:
    explicit ClusterDatabase(const PlantedCluster& planted)
        : m_store(filled(planted)) { }

    store::Store& store() { return m_store; }
    Run run() { return m_store.findRun("planted").value(); }

private:
    store::Store filled(const PlantedCluster& planted) {
        m_trace.run = planted.run;
        m_trace.run.name = "planted";
        for (int rank = 0; rank < planted.gpus; ++rank)
            m_trace.gpus.push_back({rank, rank / planted.perNode, rank % planted.perNode, {}, {}});
        for (const auto& one : planted.series)
            m_trace.series(one.metric.c_str(), one.subject, kBegin, kSecond, one.values);
        for (std::size_t i = 0; i < planted.iterations.size(); ++i)
            m_trace.iteration(-1, static_cast<std::int64_t>(i),
                atSecond(planted.iterations[i].first).ns,
                atSecond(planted.iterations[i].second).ns);
        return m_trace.store();
    }

    PlantedTrace m_trace;
    store::Store m_store;
};

} // namespace trainscope::test
