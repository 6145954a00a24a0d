// Aggregates over samples in SQL: row by row and from what the store keeps of a series, beside a
// table of SQLite with a row per sample.
#include "bench/inputs/Cache.h"
#include "bench/inputs/PowerDatabase.h"

#include "core/store/Query.h"

#include <benchmark/benchmark.h>
#include <sqlite3.h>

#include <string>

namespace {

using namespace trainscope;

constexpr std::int64_t kQueriedSamples = 10'000'000;

void ask(benchmark::State& state, const std::string& sql, std::int64_t rows) {
    auto opened
        = store::Store::open(bench::powerDatabase(kQueriedSamples), store::OpenMode::ReadOnly);
    if (!opened.hasValue())
        return state.SkipWithError(opened.error().describe().c_str());
    for (auto _ : state) {
        const auto status
            = store::query(opened.value(), sql, {}, [](const auto&) { return true; }, {});
        if (!status.hasValue())
            return state.SkipWithError(status.error().describe().c_str());
    }
    state.SetItemsProcessed(state.iterations() * rows);
}

void sqlAverage(benchmark::State& state) {
    ask(state,
        "SELECT sum(mean*seconds)/sum(seconds) FROM sample_statistics WHERE metric='gpu_power'",
        kQueriedSamples);
}
void sqlRows(benchmark::State& state) {
    ask(state, "SELECT avg(value) FROM samples WHERE metric='gpu_power'", kQueriedSamples);
}
void sqlGroups(benchmark::State& state) {
    ask(state,
        "SELECT metric, rank, sum(count), sum(mean*seconds)/sum(seconds), min(min), max(max) FROM "
        "sample_statistics GROUP BY metric, rank",
        kQueriedSamples);
}
void sqlTimeGroups(benchmark::State& state) {
    ask(state, "SELECT time_ns/60000000000, avg(value) FROM samples WHERE rank=0 GROUP BY 1",
        kQueriedSamples / 64);
}

// The table that people have without this program.
void sqlPlainTable(benchmark::State& state) {
    const auto path = bench::cacheFolder() / "sql_plain.db";
    sqlite3* handle = nullptr;
    const bool isThere = std::filesystem::exists(path);
    sqlite3_open(path.c_str(), &handle);
    if (!isThere)
        sqlite3_exec(handle,
            "CREATE TABLE samples(metric TEXT, rank INTEGER, time_ns INTEGER, value REAL);"
            "INSERT INTO samples WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i+1 FROM n "
            "WHERE "
            "i<9999999) SELECT 'gpu_power', i%64, i*10000000, 300.0+i%400 FROM n;",
            nullptr, nullptr, nullptr);
    for (auto _ : state)
        sqlite3_exec(handle, "SELECT avg(value) FROM samples WHERE metric='gpu_power'", nullptr,
            nullptr, nullptr);
    state.SetItemsProcessed(state.iterations() * kQueriedSamples);
    sqlite3_close(handle);
}

BENCHMARK(sqlAverage)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(sqlGroups)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(sqlRows)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(sqlTimeGroups)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(sqlPlainTable)->Unit(benchmark::kMillisecond)->UseRealTime();

} // namespace
