#include "bench/inputs/TelemetryTree.h"

#include "bench/inputs/Cache.h"
#include "bench/inputs/Wander.h"

#include <array>
#include <cstdio>
#include <fstream>
#include <string>

namespace trainscope::bench {

namespace fs = std::filesystem;

namespace {

constexpr std::array<Wander, kTelemetryMetrics> kMetrics{{
    kPower,
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
constexpr std::size_t kTreePiece = std::size_t{1} << 20U;

void writeSeries(const fs::path& file, const Wander& metric, int rows, unsigned seed) {
    std::mt19937 random(seed);
    std::ofstream out(file, std::ios::binary);
    std::string text;
    double value = metric.start;
    for (int row = 0; row < rows; ++row) {
        std::array<char, 64> line{};
        const double late = static_cast<double>(random() % 1000) * 1e-6;
        const int length = std::snprintf(line.data(), line.size(), "%.7f,%.*f\n",
            1735689600.0 + 0.1 * row + late, metric.decimals, value);
        text.append(line.data(), static_cast<std::size_t>(length));
        value = next(random, metric, value);
        if (text.size() > kTreePiece) {
            out << text;
            text.clear();
        }
    }
    out << text;
}

} // namespace

fs::path telemetryTree(TelemetrySize size) {
    const std::string name
        = "telemetry_" + std::to_string(size.ranks) + "x" + std::to_string(size.rows);
    return cached(name, [size](const fs::path& folder) {
        const fs::path run = folder / "gpt3-175b" / "gpt3-175b_3_00000";
        fs::create_directories(run);
        unsigned seed = 1;
        for (int rank = 0; rank < size.ranks; ++rank) {
            for (const Wander& metric : kMetrics)
                writeSeries(
                    run / (std::string(metric.metric) + "_" + std::to_string(rank) + ".csv"),
                    metric, size.rows, ++seed);
        }
    });
}

} // namespace trainscope::bench
