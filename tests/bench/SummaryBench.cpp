// From the database to the numbers of a run: what `summary` computes, without the import.
#include "bench/inputs/Cache.h"
#include "bench/inputs/TelemetryTree.h"

#include "app/importing/ImportRunner.h"
#include "core/analysis/statistics/Distribution.h"
#include "core/analysis/statistics/Summary.h"
#include "core/store/Store.h"

#include <benchmark/benchmark.h>

#include <random>

namespace {

using namespace trainscope;

void summary(benchmark::State& state) {
    const bench::TelemetrySize size{
        static_cast<int>(state.range(0)), static_cast<int>(state.range(1))};
    const auto database = bench::cacheFolder() / "summary.trainscope";
    std::filesystem::remove(database);
    const auto tree = importers::openDiskTree(bench::telemetryTree(size).string());
    const auto plan = importers::planImport(*tree.value(), {});
    if (!app::runImport(*tree.value(), plan.value(), database, {}).hasValue())
        return state.SkipWithError("the import failed");
    const auto store = store::Store::open(database, store::OpenMode::ReadOnly);
    const auto runs = store.value().runs();
    for (auto _ : state) {
        for (const Run& run : runs.value())
            benchmark::DoNotOptimize(analysis::summarise({store.value(), run}).hasValue());
    }
    state.SetItemsProcessed(state.iterations() * size.ranks * size.rows * bench::kTelemetryMetrics);
}

// Quantiles of values that are nearly all different.
void quantiles(benchmark::State& state) {
    std::mt19937_64 random(1);
    analysis::Distribution distribution;
    for (std::int64_t i = 0; i < state.range(0); ++i)
        distribution.add(static_cast<double>(random() % 700'000'000) / 1e6, 100'000'000);
    for (auto _ : state)
        benchmark::DoNotOptimize(distribution.quantiles(0.50, 0.99));
    state.SetItemsProcessed(state.iterations() * state.range(0));
}

BENCHMARK(summary)
    ->Args({32, 3000})
    ->Args({4, 100'000})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK(quantiles)->Arg(1000)->Arg(100'000)->Arg(2'000'000)->Unit(benchmark::kMicrosecond);

} // namespace
