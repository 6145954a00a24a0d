#pragma once
// A database of runs that can be predicted. "launched": GPT-3 175B in bf16 on 32 H200 in nodes of
// 8, TP 8 and PP 4, micro-batches of 1 of a batch of 128, 2048 tokens; no samples. "silent": two
// GPUs of no known kind, of which nothing is said. "timed": the same as launched, with four steps
// of 10 s and 600 W of rank 0. "logged": the same of GPUs of which nothing is said but what they
// are.

#include "core/model/Metric.h"
#include "core/store/Store.h"
#include "core/store/Writing.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace trainscope::test {

inline void addLaunched(store::Store& store, const Run& run, int gpus, const char* model) {
    auto session = store::beginImport(store, {run.name, 1, run.name, run.name}).value();
    const RunId id = session->run(run).value();
    for (int rank = 0; rank < gpus; ++rank)
        (void)session->gpu(id, {rank, rank / 8, rank % 8, model, {}});
    (void)session->finish({}, run.name, 1, {});
}

inline void addTimed(store::Store& store, const Run& run) {
    constexpr std::int64_t kFirst = 1'735'689'600'000'000'000;
    constexpr std::int64_t kSecond = 1'000'000'000;
    auto session = store::beginImport(store, {run.name, 1, run.name, run.name}).value();
    const RunId id = session->run(run).value();
    for (int rank = 0; rank < 32; ++rank)
        (void)session->gpu(id, {rank, rank / 8, rank % 8, "NVIDIA H200", {}});
    for (std::int64_t i = 0; i < 4; ++i)
        (void)session->iteration(
            id, {i, {{kFirst + 10 * kSecond * i}, {kFirst + 10 * kSecond * (i + 1)}}, -1, false});
    SeriesDescription power;
    power.metric = *findMetric(metric::kGpuPower);
    power.subject = {SubjectKind::Gpu, 0, -1, {}};
    const SeriesId series = session->series(id, power).value();
    std::vector<TimeNs> times;
    for (int second = 0; second <= 40; ++second)
        times.push_back({kFirst + kSecond * second});
    (void)session->samples(series, times, std::vector<double>(times.size(), 600.0));
    (void)session->finish({}, run.name, 1, {});
}

// Empty on failure.
inline std::filesystem::path writeLaunched(const std::filesystem::path& folder) {
    const auto path = folder / "launched.trainscope";
    auto store = store::Store::openOrCreate(path);
    if (!store.hasValue())
        return {};
    Run run;
    run.name = "launched";
    run.launch.model = "gpt3-175b";
    run.launch.precision = "bf16";
    run.launch.nodes = 4;
    run.launch.gpusPerNode = 8;
    run.launch.tensorParallel = 8;
    run.launch.pipelineParallel = 4;
    run.launch.microBatch = 1;
    run.launch.globalBatch = 128;
    run.launch.sequenceLength = 2048;
    run.launch.origin = "test";
    addLaunched(store.value(), run, 32, "NVIDIA H200");
    Run silent;
    silent.name = "silent";
    addLaunched(store.value(), silent, 2, "");
    run.name = "timed";
    addTimed(store.value(), run);
    run.launch = {};
    run.name = "logged";
    addTimed(store.value(), run);
    return path;
}

} // namespace trainscope::test
