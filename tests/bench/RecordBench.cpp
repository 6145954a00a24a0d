// A recording's cost beside the training: processor time for a second of samples of fake GPUs whose
// calls cost what a real driver's cost, their committing included; against a row per sample in
// SQLite, committed as often, of calls that cost nothing.
#include "bench/inputs/Cache.h"
#include "bench/inputs/Must.h"

#include "core/store/Store.h"
#include "importers/record/Recorder.h"
#include "support/Lasting.h"

#include <benchmark/benchmark.h>
#include <dlfcn.h>
#include <sqlite3.h>

#include <cstdlib>
#include <ctime>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace trainscope;
namespace fs = std::filesystem;

constexpr int kSeconds = 4;
constexpr int kSecondsWithTotals = 20; // energy is asked for every ten

double msOf(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

DurationNs intervalOf(const benchmark::State& state) {
    return {1'000'000'000 / state.range(1)};
}

record::Devices fakeDevices(const benchmark::State& state, bool costs) {
    setenv("TRAINSCOPE_FAKE_GPUS", std::to_string(state.range(0)).c_str(), 1);
    setenv("TRAINSCOPE_FAKE_COSTS", costs ? "1" : "0", 1);
    setenv("TRAINSCOPE_FAKE_POWER", costs ? "ring" : "", 1);
    return record::openDevices(
        {{"TRAINSCOPE_NVML", TRAINSCOPE_FAKE_NVML}, {"TRAINSCOPE_AMDSMI", "/nowhere"}});
}

// Processor time that the calls of the driver's stand-in took so far.
double driverMs() {
    constexpr double msOfSecond = 1e3;
    void* library = dlopen(TRAINSCOPE_FAKE_NVML, RTLD_NOW | RTLD_NOLOAD);
    const auto seconds = reinterpret_cast<double (*)()>(dlsym(library, "fakeNvmlSeconds"));
    const double ms = seconds() * msOfSecond;
    dlclose(library);
    return ms;
}

// Calls `commit` every second and says what a second cost, and how much of it the driver took.
template <typename Commit>
void watch(benchmark::State& state, int seconds, const Commit& commit) {
    const double before = msOf(CLOCK_PROCESS_CPUTIME_ID);
    const double commitsBefore = msOf(CLOCK_THREAD_CPUTIME_ID);
    const double driverBefore = driverMs();
    std::int64_t samples = 0;
    for (int second = 0; second < seconds; ++second) {
        test::lasts(std::chrono::seconds(1));
        samples = commit();
    }
    constexpr double percentOfMs = 0.1; // a core has 1000 ms in a second
    const double ms = (msOf(CLOCK_PROCESS_CPUTIME_ID) - before) / seconds;
    const double commits = (msOf(CLOCK_THREAD_CPUTIME_ID) - commitsBefore) / seconds;
    const double driver = (driverMs() - driverBefore) / seconds;
    const double gpus = static_cast<double>(state.range(0));
    state.counters["ms_per_s"] = ms;
    state.counters["percent_per_gpu"] = ms * percentOfMs / gpus;
    state.counters["driver_percent_per_gpu"] = driver * percentOfMs / gpus;
    state.counters["commits_percent_per_gpu"] = commits * percentOfMs / gpus;
    state.counters["samples_per_s"] = static_cast<double>(samples) / seconds;
}

void recordSamples(benchmark::State& state) {
    const fs::path path = bench::cacheFolder() / "recorded.trainscope";
    for (auto _ : state) {
        fs::remove(path);
        auto store = bench::must(store::Store::openOrCreate(path));
        record::RecordRequest request;
        request.interval = intervalOf(state);
        request.runName = "recorded";
        const auto recorder
            = bench::must(record::Recorder::start(store, fakeDevices(state, true), request));
        watch(state, kSecondsWithTotals, [&recorder] {
            bench::must(recorder->commit());
            return recorder->report().samples;
        });
        bench::must(recorder->finish({}));
        state.counters["left_out"] = static_cast<double>(recorder->report().skipped);
    }
}

// The same readings, written as everybody would first.
class RecordedRows {
public:
    explicit RecordedRows(const fs::path& path) {
        fs::remove(path);
        sqlite3_open(path.c_str(), &m_database);
        run("PRAGMA journal_mode=WAL");
        run("PRAGMA synchronous=FULL");
        run("CREATE TABLE sample(series INTEGER, time INTEGER, value REAL)");
        sqlite3_prepare_v2(
            m_database, "INSERT INTO sample VALUES(?,?,?)", -1, &m_statement, nullptr);
    }
    RecordedRows(const RecordedRows&) = delete;
    RecordedRows& operator=(const RecordedRows&) = delete;
    ~RecordedRows() {
        sqlite3_finalize(m_statement);
        sqlite3_close(m_database);
    }

    void commit(const std::vector<record::TakenReading>& readings) {
        run("BEGIN");
        for (const record::TakenReading& reading : readings) {
            sqlite3_bind_int64(
                m_statement, 1, std::int64_t{reading.probe} << 16U | reading.channel);
            sqlite3_bind_int64(m_statement, 2, reading.time.ns);
            sqlite3_bind_double(m_statement, 3, reading.value);
            sqlite3_step(m_statement);
            sqlite3_reset(m_statement);
        }
        run("COMMIT");
    }

private:
    void run(const char* sql) { sqlite3_exec(m_database, sql, nullptr, nullptr, nullptr); }

    sqlite3* m_database = nullptr;
    sqlite3_stmt* m_statement = nullptr;
};

void recordRows(benchmark::State& state) {
    for (auto _ : state) {
        RecordedRows rows(bench::cacheFolder() / "recorded_rows.sqlite");
        const record::Devices devices = fakeDevices(state, false);
        std::vector<std::unique_ptr<record::Probe>> probes;
        std::vector<record::Probe*> asked;
        for (const auto& library : devices.libraries) {
            for (const record::GpuFacts& gpu : library->gpus())
                probes.push_back(library->probe(gpu));
        }
        for (const auto& probe : probes)
            asked.push_back(probe.get());
        asked.push_back(devices.host.probe.get());
        record::Sampler sampler(asked, intervalOf(state));
        sampler.start();
        std::int64_t samples = 0;
        watch(state, kSeconds, [&] {
            const record::Taken taken = sampler.take();
            rows.commit(taken.readings);
            return samples += static_cast<std::int64_t>(taken.readings.size());
        });
        sampler.stop();
    }
}

// GPUs and samples a second.
BENCHMARK(recordSamples)->ArgsProduct({{1, 8}, {20, 100}})->Iterations(1)->UseRealTime();
BENCHMARK(recordRows)->ArgsProduct({{8}, {20, 100}})->Iterations(1)->UseRealTime();

} // namespace
