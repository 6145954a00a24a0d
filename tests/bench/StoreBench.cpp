// Samples into the store: 64 series with a microsecond of jitter, 10 Hz, written, indexed and
// committed.
#include "bench/inputs/Cache.h"
#include "bench/inputs/Wander.h"
#include "core/store/Store.h"
#include "core/store/Writing.h"

#include <benchmark/benchmark.h>

#include <cmath>
#include <vector>

namespace {

using namespace trainscope;

constexpr int kSeries = 64;
constexpr std::size_t kStoredSamples = 50'000; // each

struct Samples {
    std::vector<TimeNs> times;
    std::vector<double> values;
};

std::vector<Samples> generated() {
    std::vector<Samples> all(kSeries);
    std::mt19937 random(5);
    for (Samples& one : all) {
        double value = bench::kPower.start;
        for (std::size_t i = 0; i < kStoredSamples; ++i) {
            const auto late = static_cast<std::int64_t>(random() % 1000) * 1000;
            one.times.push_back(
                {1'735'689'600'000'000'000 + static_cast<std::int64_t>(i) * 100'000'000 + late});
            value = bench::next(random, bench::kPower, value);
            one.values.push_back(std::round(value * 1000.0) / 1000.0);
        }
    }
    return all;
}

Status write(const std::filesystem::path& path, const std::vector<Samples>& all) {
    auto store = store::Store::openOrCreate(path);
    if (!store.hasValue())
        return store.error();
    auto session = store::beginImport(store.value(), {"generated", 1, {}, "written"});
    if (!session.hasValue())
        return session.error();
    Run run;
    run.name = "written";
    const auto id = session.value()->run(run);
    for (std::size_t rank = 0; rank < all.size() && id.hasValue(); ++rank) {
        SeriesDescription description;
        description.metric = *findMetric("gpu_power");
        description.subject = {SubjectKind::Gpu, static_cast<int>(rank), -1, {}};
        const auto series = session.value()->series(id.value(), description);
        if (!series.hasValue())
            return series.error();
        Status status = session.value()->samples(series.value(), all[rank].times, all[rank].values);
        if (!status.hasValue())
            return status;
    }
    ImportReport report;
    report.importer = "bench 1";
    return session.value()->finish(report, "generated", 1, {});
}

void storeWrite(benchmark::State& state) {
    const std::vector<Samples> all = generated();
    const auto path = bench::cacheFolder() / "store_write.trainscope";
    for (auto _ : state) {
        std::filesystem::remove(path);
        if (const Status status = write(path, all); !status.hasValue())
            return state.SkipWithError(status.error().describe().c_str());
    }
    constexpr auto samples = static_cast<std::int64_t>(kSeries * kStoredSamples);
    state.SetItemsProcessed(state.iterations() * samples);
    state.counters["bytes_per_sample"]
        = static_cast<double>(std::filesystem::file_size(path)) / static_cast<double>(samples);
}

BENCHMARK(storeWrite)->Unit(benchmark::kMillisecond)->UseRealTime()->MinTime(1.0);

} // namespace
