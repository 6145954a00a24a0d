// Searches of all layouts on 1,024 GPUs, of a dense model and of one with many experts.
#include "core/predict/search/Search.h"

#include <benchmark/benchmark.h>

namespace {

using namespace trainscope;

void search(benchmark::State& state, const char* model, const char* cluster, int sequence,
    predict::Precision precision) {
    const auto catalogue = catalogue::modelCatalogue();
    const auto* shape = catalogue.byName(model);
    const auto gpus = predict::clusterFrom(cluster);
    if (shape == nullptr || !gpus.hasValue())
        return state.SkipWithError("The catalogue does not know the model or the GPU.");
    predict::SearchRequest request;
    request.model = *shape;
    request.cluster = gpus.value();
    request.globalBatch = 2048;
    request.sequence = sequence;
    request.precision = precision;
    for (auto _ : state) {
        const auto result = predict::searchLayouts(request);
        if (!result.hasValue())
            return state.SkipWithError(result.error().describe().c_str());
        state.counters["searched"] = static_cast<double>(result.value().searched);
        state.counters["feasible"] = static_cast<double>(result.value().feasible.size());
    }
}

void searchDense(benchmark::State& state) {
    search(state, "llama3-70b", "128x8xH100", 8192, predict::Precision::Bf16);
}
void searchExperts(benchmark::State& state) {
    search(state, "deepseek-v3", "256x4xGB200", 4096, predict::Precision::MxFp8);
}

BENCHMARK(searchDense)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(searchExperts)->Unit(benchmark::kMillisecond)->UseRealTime();

} // namespace
