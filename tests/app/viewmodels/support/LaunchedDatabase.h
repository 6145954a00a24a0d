#pragma once
// A database of runs that can be predicted. "launched": GPT-3 175B in bf16 on 32 H200 in nodes of
// 8, TP 8 and PP 4, micro-batches of 1 of a batch of 128, 2048 tokens; no samples. "silent": two
// GPUs of no known kind, of which nothing is said.

#include "core/store/Store.h"
#include "core/store/Writing.h"

#include <filesystem>
#include <string>

namespace trainscope::test {

inline void addLaunched(store::Store& store, const Run& run, int gpus, const char* model) {
    auto session = store::beginImport(store, {run.name, 1, run.name, run.name}).value();
    const RunId id = session->run(run).value();
    for (int rank = 0; rank < gpus; ++rank)
        (void)session->gpu(id, {rank, rank / 8, rank % 8, model, {}});
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
    return path;
}

} // namespace trainscope::test
