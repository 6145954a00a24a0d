#include "Inputs.h"

#include "core/store/Store.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>

namespace trainscope::bench {

namespace fs = std::filesystem;

namespace {

struct TelemetryMetric {
    const char* name;
    double start;
    double step; // largest change per sample
    double low;
    double high;
    int decimals;
    bool isCounter = false;
};
constexpr std::array<TelemetryMetric, kTelemetryMetrics> kMetrics{{
    {"gpu_power", 450.0, 40.0, 90.0, 700.0, 3},
    {"gpu_thermal", 60.0, 0.3, 30.0, 86.0, 0},
    {"mem_thermal", 65.0, 0.3, 30.0, 95.0, 0},
    {"sm_clock", 1755.0, 60.0, 345.0, 1980.0, 0},
    {"mem_clock", 2619.0, 0.0, 2619.0, 2619.0, 0},
    {"gpu_util", 95.0, 10.0, 0.0, 100.0, 0},
    {"mem_util", 40.0, 8.0, 0.0, 100.0, 0},
    {"nvlink_rx_throughput", 0.0, 40e3, 0.0, 4294967295.0, 0, true},
    {"nvlink_tx_throughput", 0.0, 40e3, 0.0, 4294967295.0, 0, true},
    {"pcie_rx_bytes", 0.0, 4e7, 0.0, 4294967295.0, 0, true},
}};

// Written beside and renamed, so that an interrupted generation is not taken for an input.
template <typename Write>
fs::path cached(const fs::path& path, Write&& write) {
    if (fs::exists(path))
        return path;
    const fs::path unfinished = path.string() + ".unfinished";
    fs::remove_all(unfinished);
    write(unfinished);
    fs::rename(unfinished, path);
    return path;
}

double wander(std::mt19937& random, const TelemetryMetric& metric, double value) {
    const double part = static_cast<double>(random()) / static_cast<double>(std::mt19937::max());
    if (metric.isCounter) {
        const double next = value + std::floor(part * metric.step);
        return next > metric.high ? next - metric.high - 1.0 : next;
    }
    return std::min(std::max(value + (2.0 * part - 1.0) * metric.step, metric.low), metric.high);
}

void writeSeries(const fs::path& file, const TelemetryMetric& metric, int rows, unsigned seed) {
    std::mt19937 random(seed);
    std::string text;
    double value = metric.start;
    for (int row = 0; row < rows; ++row) {
        std::array<char, 64> line{};
        const double jitter = static_cast<double>(random() % 1000) * 1e-6;
        const double time = 1735689600.0 + 0.1 * row + jitter;
        const int length
            = std::snprintf(line.data(), line.size(), "%.7f,%.*f\n", time, metric.decimals, value);
        text.append(line.data(), static_cast<std::size_t>(length));
        value = wander(random, metric, value);
    }
    std::ofstream(file, std::ios::binary) << text;
}

void writeKernel(std::string& text, int i, double time) {
    static constexpr std::array<const char*, 6> kNames{
        "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64",
        "void flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4, false>>(Flash_fwd_params)",
        "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevComm*, unsigned long, ncclWork*)",
        "void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float>>(int)",
        "void cunn_LayerNormForward<float, float, float>(int, float)",
        "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevComm*, unsigned long, ncclWork*)"};
    const bool communication = i % 6 == 2 || i % 6 == 5;
    std::array<char, 1024> buffer{};
    const int length = std::snprintf(buffer.data(), buffer.size(),
        "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":4242,\"tid\":4242,\"ts\":%."
        "3f,\"dur\":9.5,"
        "\"args\":{\"External id\":%d,\"Ev Idx\":%d}},\n"
        "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":4242,\"tid\":"
        "4242,\"ts\":%.3f,"
        "\"dur\":4.2,\"args\":{\"External id\":%d,\"cbid\":211,\"correlation\":%d}},\n"
        "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"%s\",\"pid\":0,\"tid\":%d,\"ts\":%.3f,\"dur\":"
        "%.3f,"
        "\"args\":{\"External "
        "id\":%d,\"queued\":0,\"device\":0,\"context\":1,\"stream\":%d,\"correlation\":%d,"
        "\"registers per thread\":168,\"shared memory\":213248,\"blocks per SM\":1.0,\"warps per "
        "SM\":12.0,"
        "\"grid\":[132,1,1],\"block\":[384,1,1],\"est. achieved occupancy %%\":19}}",
        time, i, 3 * i, time + 2.0, i, i, kNames[static_cast<std::size_t>(i % 6)],
        communication ? 20 : 7, time + 12.0, 5.0 + 0.125 * (i % 40), i, communication ? 20 : 7, i);
    text.append(buffer.data(), static_cast<std::size_t>(length));
}

void writePower(const fs::path& path, std::int64_t samples) {
    constexpr int kSeries = 64;
    constexpr std::size_t kBlock = 65536;
    auto store = store::Store::openOrCreate(path);
    auto session = store.value().beginImport({"generated", 1, {}, "power"});
    Run run;
    run.name = "power";
    const RunId id = session.value()->run(run).value();
    std::mt19937 random(42);
    for (int rank = 0; rank < kSeries; ++rank) {
        (void)session.value()->gpu(id, {rank, rank / 8, rank % 8, "NVIDIA H100", {}});
        SeriesDescription description;
        description.metric = *findMetric("gpu_power");
        description.subject = {SubjectKind::Gpu, rank, -1, {}};
        const SeriesId series = session.value()->series(id, description).value();
        std::vector<TimeNs> times;
        std::vector<double> values;
        double value = 450.0;
        for (std::int64_t i = 0; i < samples / kSeries; ++i) {
            times.push_back({1'735'689'600'000'000'000 + i * 10'000'000});
            value = wander(random, kMetrics[0], value);
            values.push_back(std::round(value * 1000.0) / 1000.0);
            if (times.size() == kBlock || i + 1 == samples / kSeries) {
                (void)session.value()->samples(series, times, values);
                times.clear();
                values.clear();
            }
        }
    }
    ImportReport report;
    report.importer = "bench 1";
    const Status status = session.value()->finish(report, "generated", 1, {});
    if (!status.hasValue())
        std::fprintf(stderr, "%s\n", status.error().describe().c_str());
}

} // namespace

fs::path cacheFolder() {
    const char* cache = std::getenv("XDG_CACHE_HOME");
    const char* home = std::getenv("HOME");
    fs::path folder = cache != nullptr && *cache != '\0'
        ? fs::path(cache)
        : fs::path(home != nullptr ? home : "/tmp") / ".cache";
    folder /= "trainscope-bench/v1";
    fs::create_directories(folder);
    return folder;
}

fs::path telemetryTree(TelemetrySize size) {
    const std::string name
        = "telemetry_" + std::to_string(size.ranks) + "x" + std::to_string(size.rows);
    return cached(cacheFolder() / name, [size](const fs::path& folder) {
        const fs::path run = folder / "gpt3-175b" / "gpt3-175b_3_00000";
        fs::create_directories(run);
        unsigned seed = 1;
        for (int rank = 0; rank < size.ranks; ++rank) {
            for (const TelemetryMetric& metric : kMetrics)
                writeSeries(run / (std::string(metric.name) + "_" + std::to_string(rank) + ".csv"),
                    metric, size.rows, ++seed);
        }
    });
}

fs::path kinetoTrace(int kernels) {
    const std::string name = "trace_" + std::to_string(kernels) + ".json";
    return cached(cacheFolder() / name, [kernels](const fs::path& path) {
        std::string text = "{\"schemaVersion\":1,\"distributedInfo\":{\"backend\":\"nccl\","
                           "\"rank\":0,\"world_size\":8},"
                           "\"baseTimeNanoseconds\":1735689600000000000,\"traceEvents\":[\n";
        for (int i = 0; i < kernels; ++i) {
            writeKernel(text, i, 1000.0 + 11.0 * i);
            text += i + 1 < kernels ? ",\n" : "\n";
        }
        std::ofstream(path, std::ios::binary) << text << "]}\n";
    });
}

fs::path powerDatabase(std::int64_t samples) {
    const std::string name = "power_" + std::to_string(samples) + ".trainscope";
    return cached(
        cacheFolder() / name, [samples](const fs::path& path) { writePower(path, samples); });
}

} // namespace trainscope::bench
