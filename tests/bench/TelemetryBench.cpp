// Reading telemetry without storing it: the importers into a sink that forgets. With all threads,
// and with one where TRAINSCOPE_THREADS=1; the ceiling beside them is lineEnds.
#include "ForgettingSink.h"

#include "core/parallel/WorkerPool.h"
#include "importers/charllm/FileImport.h"
#include "importers/common/Formats.h"

#include <benchmark/benchmark.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>

namespace {

using namespace trainscope;
using namespace trainscope::importers;
using bench::ForgettingSink;

constexpr std::size_t kReadBytes = std::size_t{64} << 20U;

// 10 Hz with jitter; `valueDigits` behind the point.
std::string telemetry(std::size_t bytes, int valueDigits) {
    std::mt19937 random(7);
    std::string text;
    text.reserve(bytes + 128);
    for (std::int64_t i = 0; text.size() < bytes; ++i) {
        std::array<char, 96> line{};
        const double jitter = 1e-9 * static_cast<double>(random() % 1'000'000);
        const double watts = 100.0 + 600.0 * static_cast<double>(random()) / 4294967296.0;
        const int length = std::snprintf(line.data(), line.size(), "%.7f,%.*f\n",
            1735689600.0 + 0.1 * static_cast<double>(i) + jitter, valueDigits, watts);
        text.append(line.data(), static_cast<std::size_t>(length));
    }
    return text;
}

// Eight GPUs at 10 Hz.
std::string smiLog(std::size_t bytes) {
    std::mt19937 random(8);
    std::string text = "timestamp, index, name, power.draw [W], temperature.gpu, utilization.gpu "
                       "[%], clocks.current.sm [MHz], memory.used [MiB], pstate\n";
    text.reserve(bytes + 256);
    for (unsigned i = 0; text.size() < bytes; ++i) {
        const unsigned s = i / 80;
        std::array<char, 160> line{};
        const int length = std::snprintf(line.data(), line.size(),
            "2026/04/%02u %02u:%02u:%02u.%03u, %u, NVIDIA H100 80GB HBM3, %u.%02u W, %u, %u %%, "
            "%u MHz, %u MiB, P0\n",
            1 + s / 86400 % 28, s / 3600 % 24, s / 60 % 60, s % 60, i / 8 % 10 * 100, i % 8,
            static_cast<unsigned>(100 + random() % 600), static_cast<unsigned>(random() % 100),
            static_cast<unsigned>(30 + random() % 60), static_cast<unsigned>(random() % 101),
            static_cast<unsigned>(300 + random() % 1680), static_cast<unsigned>(random() % 80'000));
        text.append(line.data(), static_cast<std::size_t>(length));
    }
    return text;
}

void import(benchmark::State& state, const Importer& importer, const SourceTree& tree) {
    const auto units = importer.plan(tree, tree.files());
    for (auto _ : state) {
        ForgettingSink sink;
        for (const ImportUnit& unit : units) {
            if (!importer.import(tree, unit, sink, {}).hasValue())
                return state.SkipWithError("the import failed");
        }
    }
    std::int64_t bytes = 0;
    for (const SourceFile& file : tree.files())
        bytes += static_cast<std::int64_t>(file.size);
    state.SetBytesProcessed(bytes * state.iterations());
    state.counters["threads"] = static_cast<double>(WorkerPool::shared().workers() + 1);
}

void charllmFile(benchmark::State& state) {
    const auto tree = memoryTree({{"r/gpu_power_0.csv", telemetry(kReadBytes, 3)}});
    import(state, importers::charllm::kImporter, *tree);
}

void charllmManyDigits(benchmark::State& state) {
    const auto tree = memoryTree({{"r/gpu_power_0.csv", telemetry(kReadBytes, 14)}});
    import(state, importers::charllm::kImporter, *tree);
}

void charllmSmallFiles(benchmark::State& state) {
    constexpr int kFiles = 768;
    const std::string text = telemetry(kReadBytes / kFiles, 3);
    std::vector<std::pair<std::string, std::string>> files;
    for (int i = 0; i < kFiles; ++i)
        files.emplace_back("r/gpu_power_" + std::to_string(i) + ".csv", text);
    const auto tree = memoryTree(std::move(files));
    import(state, importers::charllm::kImporter, *tree);
}

// The parser alone, in one thread.
void charllmBlock(benchmark::State& state) {
    const std::string text = telemetry(LineBlocks::kBlock, 3);
    LineBlock block;
    block.bytes = std::make_unique<char[]>(text.size() + LineBlocks::kPadding);
    block.size = text.size();
    std::memcpy(block.bytes.get(), text.data(), text.size());
    for (auto _ : state)
        benchmark::DoNotOptimize(charllm::readSamples(block, true).times.size());
    state.SetBytesProcessed(static_cast<std::int64_t>(text.size()) * state.iterations());
}

void nvsmiLog(benchmark::State& state) {
    const auto tree = memoryTree({{"smi.csv", smiLog(kReadBytes)}});
    import(state, importers::meters::kLogImporter, *tree);
}

// Lines of iterations, each among nine others, as Megatron and DeepSpeed write them.
std::string trainingLog(std::size_t bytes) {
    std::string text;
    text.reserve(bytes + 4096);
    for (unsigned i = 1; text.size() < bytes; ++i) {
        std::array<char, 512> line{};
        const int length = std::snprintf(line.data(), line.size(),
            " [2024-10-24 %02u:%02u:%02u] iteration %8u/ 1000000 | consumed samples: %12u | "
            "elapsed "
            "time per iteration (ms): %u.%u | throughput per GPU (TFLOP/s/GPU): 478.0 | learning "
            "rate: 1.5E-04 | global batch size:   256 | lm loss: %u.%06uE+00 | loss scale: 1.0 | "
            "grad norm: 0.532 | number of skipped iterations:   0 |\n",
            i / 3600 % 24, i / 60 % 60, i % 60, i, i * 256, 900 + i % 100, i % 10, 2 + i % 8, i);
        text.append(line.data(), static_cast<std::size_t>(length));
        for (int k = 0; k < 9; ++k)
            text += "time (ms) | forward-compute: 349.79 | backward-compute: 263.45 | optimizer: "
                    "309.28 | batch-generator: 11.05\n";
    }
    return text;
}

void trainingLogFile(benchmark::State& state) {
    const auto tree = memoryTree({{"train.log", trainingLog(kReadBytes)}});
    import(state, importers::trainlog::kImporter, *tree);
}

// Scrapes of eight GPUs, four metrics each.
std::string exposition(std::size_t bytes) {
    std::mt19937 random(9);
    std::string text;
    text.reserve(bytes + 256);
    constexpr std::array kNames{"POWER_USAGE", "GPU_TEMP", "GPU_UTIL", "SM_CLOCK"};
    for (unsigned i = 0; text.size() < bytes; ++i) {
        std::array<char, 240> line{};
        const int length = std::snprintf(line.data(), line.size(),
            "DCGM_FI_DEV_%s{gpu=\"%u\",UUID=\"GPU-%u\",device=\"nvidia%u\",modelName=\"NVIDIA "
            "H100 80GB HBM3\",Hostname=\"node-1\"} %u.%02u %llu\n",
            kNames[i % 4], i / 4 % 8, i / 4 % 8, i / 4 % 8,
            static_cast<unsigned>(100 + random() % 600), static_cast<unsigned>(random() % 100),
            1'700'000'000'000ULL + i / 32 * 1000ULL);
        text.append(line.data(), static_cast<std::size_t>(length));
    }
    return text;
}

std::string dcgmCsv(std::size_t bytes) {
    std::mt19937 random(10);
    std::string text = "GPUId,TimeStampUs,Field,Values\n";
    text.reserve(bytes + 128);
    for (unsigned i = 0; text.size() < bytes; ++i) {
        std::array<char, 96> line{};
        const int length = std::snprintf(line.data(), line.size(), "%u,%llu,%s,%u.%02u\n",
            i / 2 % 8, 1'700'000'000'000'000ULL + i / 16 * 100'000ULL,
            i % 2 == 0 ? "power_usage_instant" : "gpu_temp",
            static_cast<unsigned>(100 + random() % 600), static_cast<unsigned>(random() % 100));
        text.append(line.data(), static_cast<std::size_t>(length));
    }
    return text;
}

void meterTable(benchmark::State& state) {
    const auto tree = memoryTree({{"dcgm.csv", dcgmCsv(kReadBytes)}});
    import(state, importers::meters::kGpuImporter, *tree);
}

void meterExposition(benchmark::State& state) {
    const auto tree = memoryTree({{"scrapes.prom", exposition(kReadBytes)}});
    import(state, importers::meters::kGpuImporter, *tree);
}

BENCHMARK(meterTable)->Unit(benchmark::kMillisecond)->MinTime(0.5)->UseRealTime();
BENCHMARK(meterExposition)->Unit(benchmark::kMillisecond)->MinTime(0.5)->UseRealTime();
BENCHMARK(charllmBlock)->Unit(benchmark::kMicrosecond)->MinTime(0.5);
BENCHMARK(charllmFile)->Unit(benchmark::kMillisecond)->MinTime(0.5)->UseRealTime();
BENCHMARK(charllmManyDigits)->Unit(benchmark::kMillisecond)->MinTime(0.5)->UseRealTime();
BENCHMARK(charllmSmallFiles)->Unit(benchmark::kMillisecond)->MinTime(0.5)->UseRealTime();
BENCHMARK(trainingLogFile)->Unit(benchmark::kMillisecond)->MinTime(0.5)->UseRealTime();
BENCHMARK(nvsmiLog)->Unit(benchmark::kMillisecond)->MinTime(0.5)->UseRealTime();

} // namespace
