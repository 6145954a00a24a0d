#pragma once
// Databases of a few runs with constant or hand-picked samples, so that every statistic of a figure
// is known without computing it.

#include "core/analysis/traces/PlantedTrace.h"
#include "core/model/Capture.h"

#include <string>
#include <utility>
#include <vector>

namespace trainscope::test {

inline constexpr std::int64_t kBegin = 1'735'689'600'000'000'000;
inline constexpr std::int64_t kSecond = 1'000'000'000;

// One series: the values at 0, 1, 2, … seconds.
struct SweepSeries {
    std::string metric;
    int rank = 0;
    std::vector<double> values;
};
struct PlantedKernel {
    int rank = 0;
    double startS = 0.0;
    double seconds = 0.0;
    std::string name;
};
struct SweepRun {
    std::string name;
    RunStatus status = RunStatus::Ok;
    LaunchConfig launch;
    int gpus = 0;
    int perNode = 8;
    std::vector<SweepSeries> series;
    std::vector<PlantedKernel> kernels;
    std::vector<Capture> captures = {}; // in ns behind kBegin
};

class SweepDatabase {
public:
    SweepDatabase()
        : m_store(store::Store::openOrCreate(
            m_folder.filePath(QStringLiteral("s.trainscope")).toStdString())
                      .value()) { }

    store::Store& store() { return m_store; }

    void add(const SweepRun& planted) {
        PlantedTrace trace;
        trace.run.name = planted.name;
        trace.run.status = planted.status;
        trace.run.launch = planted.launch;
        for (int rank = 0; rank < planted.gpus; ++rank)
            trace.gpus.push_back({rank, rank / planted.perNode, rank % planted.perNode, {}, {}});
        for (const auto& series : planted.series)
            trace.series(series.metric.c_str(), series.rank, kBegin, kSecond, series.values);
        for (const auto& kernel : planted.kernels)
            trace.kernel(kernel.rank, "7", kernel.name,
                kBegin + static_cast<std::int64_t>(kernel.startS * 1e9),
                static_cast<std::int64_t>(kernel.seconds * 1e9));
        for (Capture capture : planted.captures) {
            capture.range = {{kBegin + capture.range.begin.ns}, {kBegin + capture.range.end.ns}};
            trace.captures.push_back(capture);
        }
        (void)trace.addTo(m_store, planted.name);
    }

    RunId idOf(const std::string& name) { return m_store.findRun(name).value().id; }

private:
    QTemporaryDir m_folder;
    store::Store m_store;
};

inline LaunchConfig launchOf(
    const char* model, int tensor, int pipeline, bool overlap, bool recompute, int microBatch = 1) {
    LaunchConfig launch;
    launch.model = model;
    launch.tensorParallel = tensor;
    launch.pipelineParallel = pipeline;
    launch.overlap = overlap;
    launch.recompute = recompute;
    launch.microBatch = microBatch;
    launch.origin = "test";
    return launch;
}

} // namespace trainscope::test
