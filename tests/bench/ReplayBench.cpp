// The step graph of a job of eight ranks, by the spans of a rank, beside a reading of the same
// spans; and another question about a step whose graph is there.
#include "bench/inputs/JobDatabase.h"
#include "core/analysis/replay/KernelGraph.h"
#include "core/analysis/replay/Replay.h"
#include "core/store/Store.h"

#include <benchmark/benchmark.h>

#include <cstdint>
#include <optional>
#include <span>
#include <utility>

namespace {

using namespace trainscope;

struct OpenJob {
    std::optional<store::Store> store;
    Run run;

    explicit OpenJob(benchmark::State& state) {
        auto opened
            = store::Store::open(bench::jobDatabase(state.range(0)), store::OpenMode::ReadOnly);
        if (!opened.hasValue()) {
            state.SkipWithError(opened.error().describe().c_str());
            return;
        }
        store = std::move(opened).value();
        store->readInBursts();
        run = store->findRun("job").value();
    }
};

void replayGraph(benchmark::State& state) {
    const OpenJob job(state);
    if (!job.store)
        return;
    for (auto _ : state) {
        const auto graph = analysis::stepGraphOf({*job.store, job.run});
        if (!graph.hasValue())
            return state.SkipWithError(graph.error().describe().c_str());
        state.counters["operations"] = static_cast<double>(graph.value()->operations.size());
    }
}

void replaySpans(benchmark::State& state) {
    const OpenJob job(state);
    if (!job.store)
        return;
    for (auto _ : state) {
        std::int64_t sum = 0;
        for (const Track& track : job.store->tracks(job.run.id).value()) {
            (void)job.store->forEachSpan(track.id, kAllTime, [&sum](std::span<const Span> spans) {
                for (const Span& span : spans)
                    sum += span.duration.ns;
                return true;
            });
        }
        benchmark::DoNotOptimize(sum);
    }
}

void replayChange(benchmark::State& state) {
    const OpenJob job(state);
    if (!job.store)
        return;
    analysis::ReplayRequest request;
    const auto ask = [&] { return analysis::replayOf({*job.store, job.run}, request); };
    (void)ask();
    request.changes = {"kernel:gemm=0.5x"};
    for (auto _ : state) {
        const auto replay = ask();
        if (!replay.hasValue())
            return state.SkipWithError(replay.error().describe().c_str());
        benchmark::DoNotOptimize(replay.value().changedS);
    }
}

void jobSizes(benchmark::internal::Benchmark* bench) {
    bench->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond)->UseRealTime();
}

BENCHMARK(replayGraph)->Apply(jobSizes);
BENCHMARK(replaySpans)->Apply(jobSizes);
BENCHMARK(replayChange)->Apply(jobSizes);

} // namespace
