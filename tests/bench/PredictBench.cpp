// Predictions of one job, of layouts one by one as a search would do without sharing anything, of a
// table of runs, and a profile made from samples.
#include "core/predict/search/Search.h"
#include "importers/trainingtable/TrainingTable.h"

#include <benchmark/benchmark.h>

#include <fmt/format.h>

#include <array>
#include <string>
#include <vector>

namespace {

using namespace trainscope;

predict::SearchRequest denseSearch() {
    predict::SearchRequest request;
    request.model = *catalogue::modelCatalogue().byName("llama3-70b");
    request.cluster = predict::clusterFrom("128x8xH100").value();
    request.globalBatch = 2048;
    request.sequence = 8192;
    return request;
}

void predictOne(benchmark::State& state) {
    predict::LayoutChoice choice;
    choice.tensor = choice.pipeline = 4;
    const auto job = predict::jobOf(denseSearch(), choice);
    if (!job.hasValue())
        return state.SkipWithError(job.error().describe().c_str());
    for (auto _ : state)
        benchmark::DoNotOptimize(predict::Predictor().predict(job.value()));
}

void predictEach(benchmark::State& state) {
    constexpr std::size_t kLayouts = 64;
    const predict::SearchRequest request = denseSearch();
    const auto found = predict::searchLayouts(request);
    if (!found.hasValue())
        return state.SkipWithError(found.error().describe().c_str());
    std::vector<predict::Job> jobs;
    const auto& feasible = found.value().feasible;
    for (std::size_t i = 0; i < kLayouts; ++i)
        jobs.push_back(
            predict::jobOf(request, feasible[i * feasible.size() / kLayouts].choice).value());
    for (auto _ : state) {
        for (const predict::Job& job : jobs)
            benchmark::DoNotOptimize(predict::Predictor().predict(job));
    }
    state.counters["layouts"] = static_cast<double>(jobs.size());
}

// As many rows as the published summaries have.
std::string tableOfRuns() {
    constexpr int kRows = 359;
    constexpr std::array kModels{"llama3-8b", "llama3-70b", "gpt3-175b", "mixtral-8x7b"};
    constexpr std::array kLayouts{"1,1", "2,1", "4,2", "8,4", "4,4"};
    std::string csv
        = "gpu,n_gpus,model,seq_len,precision,tp,pp,micro_batch,global_batch,recompute\n";
    for (std::size_t row = 0; row < kRows; ++row)
        csv += fmt::format("h100,{},{},4096,bf16,{},1,{},{}\n", 64 << (row % 4),
            kModels[row % kModels.size()], kLayouts[row % kLayouts.size()], 512 << (row % 3),
            row % 2 == 0 ? "full" : "none");
    return csv;
}

void predictTable(benchmark::State& state) {
    const std::string csv = tableOfRuns();
    const auto models = catalogue::modelCatalogue();
    std::size_t predicted = 0;
    for (auto _ : state) {
        predicted = 0;
        const auto rows = importers::readTrainingTable(csv, models);
        if (!rows.hasValue())
            return state.SkipWithError(rows.error().describe().c_str());
        for (const importers::TableRow& row : rows.value()) {
            if (row.job && predict::Predictor().predict(*row.job).hasValue())
                ++predicted;
        }
    }
    state.counters["rows"] = static_cast<double>(predicted);
}

// As many samples of products as the published folder has of one GPU, about.
predict::Timings sampledProducts() {
    predict::OperatorTimings timings{"NVIDIAA100-SXM4-80GB", "linear1", "gemm", {}, {}, {}};
    for (double m = 256; m <= 16384; m *= 1.2) {
        for (double n = 512; n <= 32768; n *= 1.2) {
            for (double k = 1024; k <= 16384; k *= 2) {
                predict::Operator work{.kind = predict::OperatorKind::Gemm, .m = m, .n = n, .k = k};
                work.precision = predict::Precision::Fp16;
                const double seconds = 2.0 * m * n * k / 200e12 + 5e-6;
                timings.rows.push_back({work, seconds, 2.0 * seconds});
            }
        }
    }
    return {{timings}, {}};
}

void fitProfile(benchmark::State& state) {
    const predict::Timings timings = sampledProducts();
    for (auto _ : state) {
        const auto profile = predict::makeProfile(timings, "samples");
        if (!profile.hasValue())
            return state.SkipWithError(profile.error().describe().c_str());
    }
    state.counters["samples"] = static_cast<double>(timings.operators.front().rows.size());
}

BENCHMARK(predictOne)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(predictEach)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(predictTable)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(fitProfile)->Unit(benchmark::kMillisecond)->UseRealTime();

} // namespace
