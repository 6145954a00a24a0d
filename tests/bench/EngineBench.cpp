// Answers of monitoring engines: text to samples, and tiles to the columns of a window.
#include "app/engine/TileColumns.h"
#include "importers/engine/Answer.h"

#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>

namespace {

using namespace trainscope;

// 64 GPUs, a sample a second, as Prometheus writes them.
const std::string& answer() {
    static const std::string text = [] {
        std::string body = R"({"status":"success","data":{"resultType":"matrix","result":[)";
        for (int gpu = 0; gpu < 64; ++gpu) {
            body += (gpu == 0 ? "" : ",");
            body += R"({"metric":{"__name__":"DCGM_FI_DEV_POWER_USAGE","gpu":"0","UUID":"GPU-)"
                + std::to_string(gpu) + R"(","Hostname":"node-0"},"values":[)";
            for (int i = 0; i < 3600; ++i)
                body += (i == 0 ? "[" : ",[") + std::to_string(1'795'341'600 + i) + ".184,\""
                    + std::to_string(300 + i % 97) + ".5\"]";
            body += "]}";
        }
        return body + "]}}";
    }();
    return text;
}

void engineAnswer(benchmark::State& state) {
    std::int64_t samples = 0;
    for (auto step : state) {
        auto read = importers::engine::readSamples(
            answer(), [&samples](importers::engine::AnsweredSeries& series) -> Status {
                samples += static_cast<std::int64_t>(series.times.size());
                return {};
            });
        benchmark::DoNotOptimize(read);
    }
    state.SetBytesProcessed(
        static_cast<std::int64_t>(answer().size()) * static_cast<std::int64_t>(state.iterations()));
    state.SetItemsProcessed(samples);
}
BENCHMARK(engineAnswer)->Unit(benchmark::kMillisecond);

// A lane of 64 GPUs, 1920 columns of 15 tiles.
void engineColumns(benchmark::State& state) {
    app::LaneTile tile;
    for (std::int64_t gpu = 0; gpu < 64; ++gpu) {
        const std::vector<float> values(app::LaneTile::kColumns, 300.0F);
        tile.rows[gpu] = {values, values, values};
    }
    constexpr std::int64_t second = 1'000'000'000;
    for (auto step : state) {
        app::TileColumns columns({{0}, {1920 * second}}, 1920);
        for (std::int64_t index = 0; index < 15; ++index)
            columns.add(tile, 1000, index);
        for (std::int64_t gpu = 0; gpu < 64; ++gpu)
            benchmark::DoNotOptimize(columns.buckets(gpu, 1000));
    }
}
BENCHMARK(engineColumns)->Unit(benchmark::kMillisecond);

} // namespace
