#pragma once
// A database of two sweeps, each run imported from a file of its own.
//
// In /sweeps/gpt: gpt_base_1, gpt_base_2, gpt_base_10; in /sweeps/llama: llama_1 and llama_2, which
// ended out of memory. Run k of them, counted from 1 in this order, has one GPU with 11 samples,
// one a second, of k·100 W and 50 + k °C, and TP k.

#include "core/model/Metric.h"
#include "core/store/Store.h"
#include "core/store/Writing.h"

#include <filesystem>
#include <string>
#include <vector>

namespace trainscope::test {

inline void addSweepRun(
    store::Store& store, const std::string& folder, const std::string& name, int k) {
    auto session
        = store::beginImport(store, {folder + "/" + name + ".csv", 1, "hash of " + name, name})
              .value();
    Run run;
    run.name = name;
    run.status = name == "llama_2" ? RunStatus::Oom : RunStatus::Ok;
    run.launch.model = name.substr(0, name.find('_'));
    run.launch.tensorParallel = k;
    run.launch.origin = "test";
    const RunId id = session->run(run).value();
    (void)session->gpu(id, {0, 0, 0, "NVIDIA H200", {}});
    for (const auto& [metric, value] :
        {std::pair{metric::kGpuPower, 100.0 * k}, std::pair{metric::kGpuTemperature, 50.0 + k}}) {
        SeriesDescription description;
        description.metric = *findMetric(metric);
        description.subject = {SubjectKind::Gpu, 0, -1, {}};
        const SeriesId series = session->series(id, description).value();
        std::vector<TimeNs> times;
        for (int second = 0; second <= 10; ++second)
            times.push_back({1'735'689'600'000'000'000 + second * std::int64_t{1'000'000'000}});
        (void)session->samples(series, times, std::vector<double>(times.size(), value));
    }
    (void)session->finish({}, "hash of " + name, 1, {});
}

// Empty on failure.
inline std::filesystem::path writeSweeps(const std::filesystem::path& folder) {
    const auto path = folder / "sweeps.trainscope";
    auto store = store::Store::openOrCreate(path);
    if (!store.hasValue())
        return {};
    int k = 0;
    for (const char* name : {"gpt_base_1", "gpt_base_2", "gpt_base_10"})
        addSweepRun(store.value(), "/sweeps/gpt", name, ++k);
    for (const char* name : {"llama_1", "llama_2"})
        addSweepRun(store.value(), "/sweeps/llama", name, ++k);
    return path;
}

} // namespace trainscope::test
