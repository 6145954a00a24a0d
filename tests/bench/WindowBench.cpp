// Reading a window: 64 series × 1920 buckets over all of the data, warm; the cost must not grow
// with the samples.
#include "bench/inputs/PowerDatabase.h"

#include "core/store/Store.h"

#include <benchmark/benchmark.h>

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

BENCHMARK(windowQuery)
    ->Arg(1'000'000)
    ->Arg(10'000'000)
    ->Arg(100'000'000)
    ->Arg(1'000'000'000)
    ->Unit(benchmark::kMillisecond)
    ->MinTime(1.0);

} // namespace
