#pragma once
// A run with planted telemetry: series of GPUs and of nodes at whole seconds, and iterations.

#include "core/model/Metric.h"
#include "core/store/Store.h"
#include "core/store/Writing.h"

#include <QTemporaryDir>

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
        : m_store(store::Store::openOrCreate(
            m_folder.filePath(QStringLiteral("s.trainscope")).toStdString())
                      .value()) {
        auto session = store::beginImport(m_store, {"planted", 1, "hash", "planted"}).value();
        Run run = planted.run;
        run.name = "planted";
        const RunId id = session->run(run).value();
        for (int rank = 0; rank < planted.gpus; ++rank)
            (void)session->gpu(id, {rank, rank / planted.perNode, rank % planted.perNode, {}, {}});
        for (const auto& one : planted.series)
            write(*session, id, one);
        for (std::size_t i = 0; i < planted.iterations.size(); ++i) {
            Iteration iteration;
            iteration.index = static_cast<std::int64_t>(i);
            iteration.range
                = {atSecond(planted.iterations[i].first), atSecond(planted.iterations[i].second)};
            (void)session->iteration(id, iteration);
        }
        (void)session->finish({}, "hash", 1, {});
    }

    store::Store& store() { return m_store; }
    Run run() { return m_store.findRun("planted").value(); }

private:
    static void write(store::ImportSession& session, RunId run, const PlantedSeries& planted) {
        SeriesDescription description;
        description.metric = *findMetric(planted.metric);
        description.subject = planted.subject;
        description.counterBits = description.metric.kind == MetricKind::Counter ? 64 : 0;
        const SeriesId series = session.series(run, description).value();
        std::vector<TimeNs> times;
        for (std::size_t i = 0; i < planted.values.size(); ++i)
            times.push_back({kBegin + static_cast<std::int64_t>(i) * kSecond});
        (void)session.samples(series, times, planted.values);
    }

    QTemporaryDir m_folder;
    store::Store m_store;
};

} // namespace trainscope::test
