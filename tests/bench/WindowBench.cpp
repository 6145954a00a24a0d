// Reading a window: 64 series × 1920 buckets, warm, over all of the data and at every zoom; the
// cost must not grow with the samples.
#include "bench/inputs/PowerDatabase.h"

#include "core/store/Store.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>

namespace {

using namespace trainscope;

void windowQuery(benchmark::State& state) {
    constexpr int kColumns = 1920;
    auto opened
        = store::Store::open(bench::powerDatabase(state.range(0)), store::OpenMode::ReadOnly);
    if (!opened.hasValue())
        return state.SkipWithError(opened.error().describe().c_str());
    const store::Store& store = opened.value();
    const Run run = store.findRun("power").value();
    const auto series = store.series(run.id).value();
    for (auto _ : state) {
        for (const Series& one : series)
            benchmark::DoNotOptimize(store.buckets(one.id, run.range, kColumns).hasValue());
    }
    state.counters["series"] = static_cast<double>(series.size());
}

// Windows of each zoom, a quarter as wide each time, down to a few samples a column; `worst_ms` is
// the slowest zoom, as the median of its repetitions.
void windowZoom(benchmark::State& state) {
    constexpr int kColumns = 1920;
    constexpr std::int64_t kNarrowest = 20'000'000'000; // 2,000 samples
    auto opened
        = store::Store::open(bench::powerDatabase(state.range(0)), store::OpenMode::ReadOnly);
    if (!opened.hasValue())
        return state.SkipWithError(opened.error().describe().c_str());
    const store::Store& store = opened.value();
    const Run run = store.findRun("power").value();
    const auto series = store.series(run.id).value();
    const std::int64_t whole = run.range.length().ns;
    std::vector<std::vector<double>> zooms;
    for (auto _ : state) {
        std::size_t zoom = 0;
        for (std::int64_t length = whole; length >= kNarrowest; length /= 4, ++zoom) {
            const TimeNs begin{run.range.begin.ns + (whole - length) / 3};
            const auto start = std::chrono::steady_clock::now();
            for (const Series& one : series)
                benchmark::DoNotOptimize(
                    store.buckets(one.id, {begin, {begin.ns + length}}, kColumns).hasValue());
            const std::chrono::duration<double, std::milli> took
                = std::chrono::steady_clock::now() - start;
            zooms.resize(std::max(zooms.size(), zoom + 1));
            zooms[zoom].push_back(took.count());
        }
    }
    double worst = 0.0;
    for (auto& times : zooms) {
        std::nth_element(times.begin(),
            times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
        worst = std::max(worst, times[times.size() / 2]);
    }
    state.counters["worst_ms"] = worst;
}

void windowSizes(benchmark::internal::Benchmark* bench) {
    bench->Arg(1'000'000)->Arg(10'000'000)->Arg(100'000'000)->Arg(1'000'000'000);
    bench->Unit(benchmark::kMillisecond)->MinTime(0.5);
}

BENCHMARK(windowQuery)->Apply(windowSizes);
BENCHMARK(windowZoom)->Apply(windowSizes);

} // namespace
