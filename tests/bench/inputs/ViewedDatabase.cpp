#include "bench/inputs/ViewedDatabase.h"

#include "bench/inputs/Cache.h"
#include "core/store/Store.h"
#include "core/store/Writing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace trainscope::bench {

namespace fs = std::filesystem;

namespace {

constexpr TimeNs kStart{1'735'689'600'000'000'000};
constexpr std::int64_t kPeriodNs = 100'000'000;
constexpr int kPhase = 600; // samples of one stretch of computing or waiting
constexpr std::size_t kViewedBlock = 16384;

// Moves between two levels like a run that computes and waits, with noise on top.
struct Gauge {
    const char* metric;
    double idle;
    double busy;
    double noise;
    double step; // values are multiples of it
};
constexpr std::array<Gauge, 4> kGauges{
    {{"gpu_power", 180.0, 620.0, 60.0, 0.001}, {"gpu_temperature", 48.0, 71.0, 1.5, 1.0},
        {"sm_clock", 1.2e9, 1.95e9, 6e7, 1.5e7}, {"gpu_utilization", 0.05, 0.97, 0.05, 0.01}}};

double uniform(std::mt19937& random) {
    return static_cast<double>(random()) / static_cast<double>(std::mt19937::max());
}

double gaugeValue(const Gauge& gauge, int rank, int i, std::mt19937& random) {
    const double share = 0.5 + 0.5 * std::tanh(4.0 * std::sin((i + 3.0 * rank) / kPhase));
    const double level = (gauge.idle + share * (gauge.busy - gauge.idle)) * (1.0 + 5e-5 * rank);
    const double exact = std::max(0.0, level + (2.0 * uniform(random) - 1.0) * gauge.noise);
    return std::round(exact / gauge.step) * gauge.step;
}

template <typename Value>
void writeSeries(store::ImportSession& session, RunId run, const char* metric, int rank,
    const ViewedRun& size, Value value) {
    SeriesDescription description;
    description.metric = *findMetric(metric);
    description.subject = {SubjectKind::Gpu, rank, rank / 8, {}};
    if (description.metric.kind == MetricKind::Counter)
        description.counterBits = 64;
    const SeriesId id = session.series(run, description).value();
    std::vector<TimeNs> times;
    std::vector<double> values;
    for (int i = 0; i < size.samples; ++i) {
        times.push_back(kStart + DurationNs{i * kPeriodNs});
        values.push_back(value(i));
        if (times.size() == kViewedBlock || i + 1 == size.samples) {
            (void)session.samples(id, times, values);
            times.clear();
            values.clear();
        }
    }
}

void writeTelemetry(store::ImportSession& session, RunId run, const ViewedRun& size) {
    std::mt19937 random(7);
    for (int rank = 0; rank < size.gpus; ++rank) {
        (void)session.gpu(run, {rank, rank / 8, rank % 8, "NVIDIA H100", {}});
        for (const Gauge& gauge : kGauges)
            writeSeries(session, run, gauge.metric, rank, size,
                [&](int i) { return gaugeValue(gauge, rank, i, random); });
        double bytes = 0.0;
        writeSeries(session, run, "pcie_rx", rank, size,
            [&](int) { return bytes += std::floor(uniform(random) * 2e9); });
    }
}

// One kernel after the other over the whole run, some of them long enough to carry a name.
void writeStream(store::ImportSession& session, RunId run, int rank, int stream,
    const ViewedRun& size, const std::vector<NameId>& names) {
    const auto track = session.track(run,
        {TrackKind::Stream, rank, 0, "0", std::to_string(7 + stream),
            "stream " + std::to_string(7 + stream)});
    std::mt19937 random(static_cast<unsigned>(rank * 100 + stream));
    const double slot = static_cast<double>(size.samples) * kPeriodNs / size.spans;
    std::vector<Span> spans;
    double time = 0.0;
    for (int i = 0; i < size.spans; ++i) {
        const double length = slot * (0.05 + 0.8 * uniform(random));
        const NameId name = names[random() % names.size()];
        spans.push_back({kStart + DurationNs{std::llround(time)}, {std::llround(length)}, name,
            SpanKind::Kernel, i + 1, {}, 0});
        time += slot;
        if (spans.size() == kViewedBlock || i + 1 == size.spans) {
            (void)session.spans(track.value(), spans);
            spans.clear();
        }
    }
}

void writeKernels(store::ImportSession& session, RunId run, const ViewedRun& size) {
    std::vector<NameId> names;
    for (const char* name : {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64",
             "void flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4>>(Flash_fwd_params)",
             "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevComm*, unsigned long)",
             "void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor>(int)",
             "void cunn_LayerNormForward<float, float, float>(int, float)",
             "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevComm*, unsigned long)"})
        names.push_back(session.intern(name).value());
    for (int rank = 0; rank < size.tracedRanks; ++rank) {
        for (int stream = 0; stream < size.streams; ++stream)
            writeStream(session, run, rank, stream, size, names);
    }
}

void write(const fs::path& path, const ViewedRun& size) {
    auto store = store::Store::openOrCreate(path);
    auto session = store::beginImport(store.value(), {"generated", 1, {}, "viewed"});
    Run run;
    run.name = "viewed";
    const RunId id = session.value()->run(run).value();
    writeTelemetry(*session.value(), id, size);
    writeKernels(*session.value(), id, size);
    ImportReport report;
    report.importer = "bench 1";
    (void)session.value()->finish(report, "generated", 1, {});
}

} // namespace

fs::path viewedDatabase(const ViewedRun& run) {
    const std::string name = "viewed_" + std::to_string(run.gpus) + "x"
        + std::to_string(run.samples) + "_" + std::to_string(run.tracedRanks) + "x"
        + std::to_string(run.streams) + "x" + std::to_string(run.spans);
    return cached(databaseName(name), [&run](const fs::path& path) { write(path, run); });
}

} // namespace trainscope::bench
