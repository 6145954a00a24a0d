#pragma once
// The run of which a database is kept for each format: two GPUs with 100 samples of three metrics,
// a trace of nineteen spans, and what people can say of a run.

#include "core/store/Fixture.h"
#include "core/store/RunNotes.h"

#include <cmath>
#include <string>
#include <vector>

namespace trainscope::test::format {

inline constexpr std::int64_t kSecond = 1'000'000'000;
inline constexpr std::int64_t kBegin = 1'704'164'640 * kSecond; // 2024-01-02 03:04:00 UTC
inline constexpr int kSamples = 100;
inline constexpr int kGpus = 2;
inline constexpr const char* kMetrics[] = {"gpu_power", "gpu_temperature", "gpu_utilization"};

// In SI units; at second 50 there is no temperature.
inline double sampleAt(const std::string& metric, int rank, int i) {
    if (metric == "gpu_power")
        return 100.5 + 100 * rank + i % 10;
    if (metric == "gpu_temperature")
        return i == 50 ? kMissing : 40 + 10 * rank + i / 10;
    return i % 2 == 1 ? 1.0 : 0.5;
}

struct NamedSpan {
    const char* name;
    const char* track;
    std::int64_t begin; // ns since kBegin
    std::int64_t duration;
};

// A step, eight kernels, a collective beside them, and the calls that launched the nine.
inline std::vector<NamedSpan> spanList() {
    std::vector<NamedSpan> spans{{"ProfilerStep#1", "thread 1", 0, 5'000'000},
        {"ncclDevKernel_AllReduce", "stream 13", 3'000'000, 1'500'000},
        {"cudaLaunchKernel", "thread 1", 900'000, 5'000}};
    for (int i = 0; i < 8; ++i) {
        spans.push_back({"gemm_kernel", "stream 7", 200'000 + i * 500'000, 400'000});
        spans.push_back({"cudaLaunchKernel", "thread 1", 10'000 + i * 100'000, 5'000});
    }
    return spans;
}

inline const std::vector<int> kAir{1, 0};
inline const Capture kCapture{"step10", 0, {{kBegin}, {kBegin + 5'000'000}}};
inline const std::string kComparison = R"({"runs":["job"]})";
inline const std::string kLayout = "tp=2";
inline const std::string kMachine = R"({"gpu_model":"H100 SXM5"})";

inline void writeTelemetry(ImportSession& session, RunId run) {
    std::vector<std::int64_t> ns;
    for (int i = 0; i < kSamples; ++i)
        ns.push_back(kBegin + i * kSecond);
    for (int rank = 0; rank < kGpus; ++rank) {
        ok(session.gpu(
            run, {rank, 0, rank, "NVIDIA H100 80GB HBM3", "GPU-" + std::to_string(rank)}));
        for (const std::string metric : kMetrics) {
            // Utilisation in percent, as its sources have it.
            const double scale = metric == "gpu_utilization" ? 0.01 : 1.0;
            std::vector<double> values;
            for (int i = 0; i < kSamples; ++i)
                values.push_back(sampleAt(metric, rank, i) / scale);
            const SeriesId series = got(session.series(run, gauge(metric, rank, scale)));
            ok(session.samples(series, times(ns), values));
        }
    }
}

inline void writeTrace(ImportSession& session, RunId run) {
    for (const std::string name : {"thread 1", "stream 7", "stream 13"}) {
        TrackDescription description;
        description.kind = name == "thread 1" ? TrackKind::Thread : TrackKind::Stream;
        description.rank = 0;
        description.name = name;
        const TrackId track = got(session.track(run, description));
        std::vector<Span> spans;
        for (const NamedSpan& one : spanList()) {
            if (one.track != name)
                continue;
            Span span;
            span.start = {kBegin + one.begin};
            span.duration = {one.duration};
            span.name = got(session.intern(one.name));
            spans.push_back(span);
        }
        ok(session.spans(track, spans));
    }
    ok(session.iteration(run, {1, {{kBegin}, {kBegin + 5'000'000}}, 0, false}));
    ok(session.capture(run, kCapture)); // since format 11
}

inline RunId importRun(Store& store) {
    auto session = got(store::beginImport(store, {"/data/job", 1, "", "job"}));
    const RunId run = got(session->run(runNamed("job")));
    writeTelemetry(*session, run);
    writeTrace(*session, run);
    ok(session->finish({}, "", 0, {}));
    return run;
}

inline void write(Store& store) {
    const RunId run = importRun(store);
    ok(store::setAirflow(store, run, kAir));
    ok(store::saveComparison(store, "kept", kComparison));
    ok(store::setEnteredLayout(store, run, kLayout));
    ok(store::setMachine(store, run, kMachine));
    const std::vector<std::string> tags{"kept"};
    ok(store::setTags(store, run, tags));
    ok(store::setNote(store, run, "what people say stays"));
}

} // namespace trainscope::test::format
