// The naive way: one row per sample in SQLite, grouped into pixel columns by SQL. The same window
// of the same samples as windowQuery.
#include "bench/inputs/Cache.h"
#include "bench/inputs/PowerDatabase.h"

#include "core/store/Store.h"

#include <benchmark/benchmark.h>
#include <sqlite3.h>

#include <string>

namespace {

using namespace trainscope;
namespace fs = std::filesystem;

constexpr int kTableColumns = 1920;

class RowTable {
public:
    explicit RowTable(const fs::path& path) {
        sqlite3_open(path.c_str(), &m_database);
        run("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA cache_size=-262144");
    }
    RowTable(const RowTable&) = delete;
    RowTable& operator=(const RowTable&) = delete;
    ~RowTable() {
        sqlite3_finalize(m_statement);
        sqlite3_close(m_database);
    }

    void run(const char* sql) { sqlite3_exec(m_database, sql, nullptr, nullptr, nullptr); }
    void prepare(const char* sql) {
        sqlite3_prepare_v2(m_database, sql, -1, &m_statement, nullptr);
    }
    void insert(std::int64_t series, std::int64_t time, double value) {
        sqlite3_bind_int64(m_statement, 1, series);
        sqlite3_bind_int64(m_statement, 2, time);
        sqlite3_bind_double(m_statement, 3, value);
        sqlite3_step(m_statement);
        sqlite3_reset(m_statement);
    }
    int columns(std::int64_t series, TimeRange window) {
        const std::int64_t width = window.length().ns / kTableColumns + 1;
        sqlite3_bind_int64(m_statement, 1, window.begin.ns);
        sqlite3_bind_int64(m_statement, 2, width);
        sqlite3_bind_int64(m_statement, 3, series);
        sqlite3_bind_int64(m_statement, 4, window.end.ns);
        int rows = 0;
        while (sqlite3_step(m_statement) == SQLITE_ROW)
            ++rows;
        sqlite3_reset(m_statement);
        return rows;
    }

private:
    sqlite3* m_database = nullptr;
    sqlite3_stmt* m_statement = nullptr;
};

void copySamples(const store::Store& store, const Run& run, const fs::path& path) {
    RowTable table(path);
    table.run("CREATE TABLE sample(series INTEGER, time INTEGER, value REAL,"
              " PRIMARY KEY(series, time)) WITHOUT ROWID; BEGIN");
    table.prepare("INSERT INTO sample VALUES(?,?,?)");
    for (const Series& series : store.series(run.id).value()) {
        (void)store.forEachSample(series.id, run.range, [&](auto times, auto values) {
            for (std::size_t i = 0; i < times.size(); ++i)
                table.insert(series.id.value, times[i].ns, values[i]);
            return true;
        });
    }
    table.run("COMMIT");
}

void rowTableWindow(benchmark::State& state) {
    const auto store
        = store::Store::open(bench::powerDatabase(state.range(0)), store::OpenMode::ReadOnly);
    if (!store.hasValue())
        return state.SkipWithError(store.error().describe().c_str());
    const Run run = store.value().findRun("power").value();
    const auto series = store.value().series(run.id).value();
    const fs::path path = bench::cached("rows_" + std::to_string(state.range(0)) + ".sqlite",
        [&](const fs::path& file) { copySamples(store.value(), run, file); });
    RowTable table(path);
    table.prepare("SELECT (time-?1)/?2, min(value), max(value), avg(value), count(*) FROM sample"
                  " WHERE series=?3 AND time>=?1 AND time<?4 GROUP BY 1");
    for (auto _ : state) {
        for (const Series& one : series)
            benchmark::DoNotOptimize(table.columns(one.id.value, run.range));
    }
    state.counters["bytes_per_sample"]
        = static_cast<double>(fs::file_size(path)) / static_cast<double>(state.range(0));
}

BENCHMARK(rowTableWindow)
    ->Arg(1'000'000)
    ->Arg(10'000'000)
    ->Unit(benchmark::kMillisecond)
    ->MinTime(0.5);

} // namespace
