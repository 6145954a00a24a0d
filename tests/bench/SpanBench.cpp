// A kernel track as a view reads it, and a search by kernel name: neither may grow with the spans
// beneath. spanWrite: from spans in memory to a closed database.
#include "bench/inputs/Cache.h"
#include "bench/inputs/SpanDatabase.h"

#include "core/store/Store.h"
#include "core/store/Writing.h"

#include <benchmark/benchmark.h>

#include <filesystem>
#include <optional>

namespace {

using namespace trainscope;

constexpr int kSpanColumns = 1920;

std::optional<store::Store> opened(benchmark::State& state) {
    auto store = store::Store::open(bench::spanDatabase(state.range(0)), store::OpenMode::ReadOnly);
    if (store.hasValue())
        return std::move(store).value();
    state.SkipWithError(store.error().describe().c_str());
    return std::nullopt;
}

// Every zoom from the whole track down to a column of 100 ns, in the middle.
void spanGroups(benchmark::State& state) {
    const auto store = opened(state);
    if (!store)
        return;
    const Track track = store->tracks(store->findRun("spans").value().id).value().front();
    const std::int64_t whole = track.range.length().ns;
    std::int64_t queries = 0;
    for (auto _ : state) {
        for (std::int64_t length = whole; length > kSpanColumns * std::int64_t{100}; length /= 4) {
            const TimeNs begin{track.range.begin.ns + (whole - length) / 2};
            const auto groups
                = store->lodNodes(track.id, {begin, {begin.ns + length}}, {length / kSpanColumns});
            benchmark::DoNotOptimize(groups.hasValue());
            ++queries;
        }
    }
    // One window, whatever the number of zooms.
    state.counters["window"] = benchmark::Counter(
        static_cast<double>(queries), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void search(benchmark::State& state, const char* text) {
    const auto store = opened(state);
    if (!store)
        return;
    const RunId run = store->findRun("spans").value().id;
    for (auto _ : state) {
        std::size_t found = 0;
        (void)store->forEachFound(run, {text, {}}, [&found](TrackId, std::span<const Span> spans) {
            found += spans.size();
            return true;
        });
        benchmark::DoNotOptimize(found);
    }
}
void spanSearchFrequent(benchmark::State& state) {
    search(state, "kernel_");
}
void spanSearchOneName(benchmark::State& state) {
    search(state, "kernel_77<");
}
void spanSearchRare(benchmark::State& state) {
    search(state, "needle");
}
void spanSearchNone(benchmark::State& state) {
    search(state, "nothing");
}

void spanScan(benchmark::State& state) {
    const auto store = opened(state);
    if (!store)
        return;
    const Track track = store->tracks(store->findRun("spans").value().id).value().front();
    for (auto _ : state) {
        std::int64_t sum = 0;
        (void)store->forEachSpan(track.id, kAllTime, [&sum](std::span<const Span> spans) {
            for (const Span& span : spans)
                sum += span.duration.ns;
            return true;
        });
        benchmark::DoNotOptimize(sum);
    }
    state.SetItemsProcessed(state.iterations() * state.range(0));
}

void spanWrite(benchmark::State& state) {
    const auto store = opened(state);
    if (!store)
        return;
    const Track track = store->tracks(store->findRun("spans").value().id).value().front();
    std::vector<Span> spans;
    (void)store->forEachSpan(track.id, kAllTime, [&spans](std::span<const Span> block) {
        spans.insert(spans.end(), block.begin(), block.end());
        return true;
    });
    const auto path = bench::cacheFolder() / "span_write.trainscope";
    for (auto _ : state) {
        std::filesystem::remove(path);
        auto target = store::Store::openOrCreate(path).value();
        auto session = store::beginImport(target, {"generated", 1, {}, "spans"}).value();
        Run run;
        run.name = "spans";
        const TrackId copy = session->track(session->run(run).value(), track.description).value();
        (void)session->spans(copy, spans);
        benchmark::DoNotOptimize(session->finish({}, "generated", 1, {}).hasValue());
    }
    state.counters["bytes_per_span"] = static_cast<double>(std::filesystem::file_size(path))
        / static_cast<double>(state.range(0));
    std::filesystem::remove(path);
    state.SetItemsProcessed(state.iterations() * state.range(0));
}

void spanSizes(benchmark::internal::Benchmark* bench) {
    bench->Arg(10'000)->Arg(1'000'000)->Arg(10'000'000)->Arg(100'000'000);
    bench->Unit(benchmark::kMillisecond);
}

BENCHMARK(spanGroups)->Apply(spanSizes);
BENCHMARK(spanSearchFrequent)->Apply(spanSizes);
BENCHMARK(spanSearchOneName)->Apply(spanSizes);
BENCHMARK(spanSearchRare)->Apply(spanSizes);
BENCHMARK(spanSearchNone)->Apply(spanSizes);
BENCHMARK(spanScan)->Arg(1'000'000)->Arg(10'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(spanWrite)->Arg(1'000'000)->Unit(benchmark::kMillisecond)->UseRealTime();

} // namespace
