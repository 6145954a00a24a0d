#include "bench/inputs/PowerDatabase.h"

#include "bench/inputs/Cache.h"
#include "bench/inputs/Must.h"
#include "bench/inputs/Wander.h"
#include "core/store/Store.h"
#include "core/store/Writing.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace trainscope::bench {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kBlock = 65536;

void writeSeries(store::ImportSession& session, SeriesId series, std::int64_t samples, int rank) {
    std::mt19937 random(static_cast<unsigned>(rank) + 42U);
    std::vector<TimeNs> times;
    std::vector<double> values;
    double value = kPower.start;
    for (std::int64_t from = 0; from < samples; from += kBlock) {
        times.clear();
        values.clear();
        for (std::int64_t i = from; i < std::min(samples, from + kBlock); ++i) {
            times.push_back({1'735'689'600'000'000'000 + i * 10'000'000});
            value = next(random, kPower, value);
            values.push_back(std::round(value * 1000.0) / 1000.0);
        }
        must(session.samples(series, times, values));
    }
}

void writePower(const fs::path& path, std::int64_t samples, int gpus) {
    auto store = must(store::Store::openOrCreate(path));
    auto session = must(store::beginImport(store, {"generated", 1, {}, "power"}));
    Run run;
    run.name = "power";
    const RunId id = must(session->run(run));
    for (int rank = 0; rank < gpus; ++rank) {
        must(session->gpu(id, {rank, rank / 8, rank % 8, "NVIDIA H100", {}}));
        SeriesDescription description;
        description.metric = *findMetric("gpu_power");
        description.subject = {SubjectKind::Gpu, rank, -1, {}};
        writeSeries(*session, must(session->series(id, description)), samples / gpus, rank);
    }
    ImportReport report;
    report.importer = "bench 1";
    must(session->finish(report, "generated", 1, {}));
}

} // namespace

fs::path powerDatabase(std::int64_t samples, int gpus) {
    const std::string name
        = databaseName("power_" + std::to_string(gpus) + "_" + std::to_string(samples));
    return cached(name, [&](const fs::path& path) { writePower(path, samples, gpus); });
}

} // namespace trainscope::bench
