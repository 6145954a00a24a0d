// From files to numbers: CharLLM-PPT tree → database → summary, Kineto trace → database → kernel
// table.
#include "bench/inputs/Cache.h"
#include "bench/inputs/KinetoTrace.h"
#include "bench/inputs/TelemetryTree.h"

#include "app/importing/ImportRunner.h"
#include "core/analysis/operators/CallTrees.h"
#include "core/analysis/operators/KeptTraces.h"
#include "core/analysis/operators/OperatorTable.h"
#include "core/analysis/statistics/Summary.h"
#include "core/analysis/traces/DeviceTraces.h"
#include "core/analysis/traces/TraceSums.h"
#include "core/store/Store.h"

#include <benchmark/benchmark.h>

namespace {

using namespace trainscope;
namespace fs = std::filesystem;

// A fresh database of that source; the message of what failed, else empty.
std::string importInto(const fs::path& source, const fs::path& database) {
    fs::remove(database);
    const auto tree = importers::openDiskTree(source.string());
    if (!tree.hasValue())
        return tree.error().describe();
    const auto plan = importers::planImport(*tree.value(), {});
    if (!plan.hasValue())
        return plan.error().describe();
    const auto outcomes = app::runImport(*tree.value(), plan.value(), database, {});
    if (!outcomes.hasValue())
        return outcomes.error().describe();
    for (const auto& outcome : outcomes.value()) {
        if (outcome.error)
            return outcome.error->describe();
    }
    return outcomes.value().empty() ? "nothing was recognised" : std::string();
}

void treeToSummary(benchmark::State& state) {
    const bench::TelemetrySize size{
        static_cast<int>(state.range(0)), static_cast<int>(state.range(1))};
    const fs::path tree = bench::telemetryTree(size);
    const fs::path database = bench::cacheFolder() / "tree.trainscope";
    for (auto _ : state) {
        const std::string problem = importInto(tree, database);
        if (!problem.empty())
            return state.SkipWithError(problem.c_str());
        const auto store = store::Store::open(database, store::OpenMode::ReadOnly);
        const auto runs = store.value().runs();
        for (const Run& run : runs.value())
            benchmark::DoNotOptimize(analysis::summarise({store.value(), run}).hasValue());
    }
    const double samples = static_cast<double>(size.ranks) * size.rows * bench::kTelemetryMetrics;
    state.counters["samples"] = samples;
    state.counters["bytes_per_sample"] = static_cast<double>(fs::file_size(database)) / samples;
}

void traceToKernels(benchmark::State& state) {
    const fs::path trace = bench::kinetoTrace(state.range(0));
    const fs::path database = bench::cacheFolder() / "trace.trainscope";
    for (auto _ : state) {
        const std::string problem = importInto(trace, database);
        if (!problem.empty())
            return state.SkipWithError(problem.c_str());
        const auto store = store::Store::open(database, store::OpenMode::ReadOnly);
        const auto runs = store.value().runs();
        for (const Run& run : runs.value())
            benchmark::DoNotOptimize(analysis::traceBreakdown({store.value(), run}).hasValue());
    }
    state.counters["bytes"] = static_cast<double>(fs::file_size(trace));
}

// The end of an import of long traces, and the table of operators from it: beside traceToKernels of
// as many kernels.
void traceToOperators(benchmark::State& state) {
    const fs::path database = bench::cacheFolder() / "operators.trainscope";
    const std::string problem = importInto(bench::kinetoTrace(state.range(0)), database);
    if (!problem.empty())
        return state.SkipWithError(problem.c_str());
    auto store = store::Store::open(database, store::OpenMode::ReadWrite);
    const auto runs = store.value().runs();
    for (auto _ : state) {
        for (const Run& run : runs.value()) {
            if (!analysis::keepCallTrees(store.value(), run).hasValue())
                return state.SkipWithError("the call trees cannot be kept");
            const auto tree = analysis::callTree({store.value(), run});
            benchmark::DoNotOptimize(
                analysis::operatorTable(tree.value(), analysis::OperatorGrouping::Shape, nullptr));
        }
    }
}

BENCHMARK(treeToSummary)
    ->Args({32, 3000})
    ->Args({4, 100'000})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->MinTime(2.0);
BENCHMARK(traceToKernels)->Arg(60'000)->Unit(benchmark::kMillisecond)->UseRealTime()->MinTime(2.0);
BENCHMARK(traceToOperators)
    ->Arg(60'000)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->MinTime(2.0);

} // namespace
