#pragma once
// Databases of a few runs with constant or hand-picked samples, so that every statistic of a figure
// is known without computing it.

#include <QTemporaryDir>

#include "core/model/Capture.h"
#include "core/model/Metric.h"
#include "core/store/Store.h"
#include "core/store/Writing.h"

#include <map>
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
        auto session
            = store::beginImport(m_store, {planted.name, 1, planted.name, planted.name}).value();
        Run run;
        run.name = planted.name;
        run.status = planted.status;
        run.launch = planted.launch;
        const RunId id = session->run(run).value();
        for (int rank = 0; rank < planted.gpus; ++rank)
            (void)session->gpu(id, {rank, rank / planted.perNode, rank % planted.perNode, {}, {}});
        for (const auto& series : planted.series)
            write(*session, id, series);
        writeKernels(*session, id, planted.kernels);
        for (Capture capture : planted.captures) {
            capture.range = {{kBegin + capture.range.begin.ns}, {kBegin + capture.range.end.ns}};
            (void)session->capture(id, capture);
        }
        (void)session->finish({}, planted.name, 1, {});
    }

    RunId idOf(const std::string& name) { return m_store.findRun(name).value().id; }

private:
    static void write(store::ImportSession& session, RunId run, const SweepSeries& planted) {
        SeriesDescription description;
        description.metric = *findMetric(planted.metric);
        description.subject = {SubjectKind::Gpu, planted.rank, -1, {}};
        description.counterBits = description.metric.kind == MetricKind::Counter ? 64 : 0;
        const SeriesId series = session.series(run, description).value();
        std::vector<TimeNs> times;
        for (std::size_t i = 0; i < planted.values.size(); ++i)
            times.push_back({kBegin + static_cast<std::int64_t>(i) * kSecond});
        (void)session.samples(series, times, planted.values);
    }
    static void writeKernels(
        store::ImportSession& session, RunId run, const std::vector<PlantedKernel>& kernels) {
        std::map<int, std::vector<Span>> byRank;
        for (const auto& kernel : kernels) {
            const NameId name = session.intern(kernel.name).value();
            byRank[kernel.rank].push_back(
                {{kBegin + static_cast<std::int64_t>(kernel.startS * 1e9)},
                    {static_cast<std::int64_t>(kernel.seconds * 1e9)}, name, SpanKind::Kernel, 0,
                    NameId{}, 0});
        }
        for (const auto& [rank, spans] : byRank) {
            const auto track
                = session.track(run, {TrackKind::Stream, rank, 0, "0", "7", "stream"}).value();
            (void)session.spans(track, spans);
        }
    }

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
