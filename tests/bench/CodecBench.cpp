// Encoding and decoding one chunk, in samples a second: values of four kinds, times of three.
#include "core/store/codec/TimeCodec.h"
#include "core/store/codec/ValueCodec.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

namespace {

using namespace trainscope::store;

double part(std::mt19937_64& random) {
    return static_cast<double>(random() >> 11U) / 9007199254740992.0;
}

std::vector<double> chunkValues(const std::string& kind) {
    std::mt19937_64 random(1);
    std::vector<double> values;
    double x = kind == "power" ? 450.0 : 0.0;
    for (std::size_t i = 0; i < kChunkSamples; ++i) {
        if (kind == "power") { // a walk with 3 decimals
            x = std::clamp(x + (2.0 * part(random) - 1.0) * 40.0, 90.0, 700.0);
            values.push_back(std::round(x * 1000.0) / 1000.0);
        } else if (kind == "counter") { // 32 bits, wrapping now and then
            x = std::fmod(x + std::floor(part(random) * 4e4), 4294967296.0);
            values.push_back(x);
        } else {
            values.push_back(kind == "utilisation"
                    ? std::round(std::min(100.0, 90.0 + part(random) * 15.0))
                    : 2619.0);
        }
    }
    return values;
}

// Every 100 ms: exactly, with a jitter of whole microseconds, or as a double's clock counts.
std::vector<std::int64_t> chunkTimes(const std::string& kind) {
    std::mt19937_64 random(2);
    std::vector<std::int64_t> times;
    for (std::size_t i = 0; i < kChunkSamples; ++i) {
        const auto even = 1'735'689'600'000'000'000 + static_cast<std::int64_t>(i) * 100'000'000;
        if (kind == "clock") {
            // Whole seconds and 2^-22 of them, rounded to 100 ns.
            constexpr std::uint64_t ticks = std::uint64_t{1} << 22U;
            const auto tick = i * (ticks / 10) + random() % 4194;
            times.push_back(1'735'689'600'000'000'000
                + static_cast<std::int64_t>(tick / ticks) * 1'000'000'000
                + std::llrint(static_cast<double>(tick % ticks) * 1e7 / static_cast<double>(ticks))
                    * 100);
        } else {
            const auto micros = static_cast<std::int64_t>(random() % 1000);
            times.push_back(even + (kind == "jitter" ? micros * 1000 : 0));
        }
    }
    return times;
}

void report(benchmark::State& state, std::size_t bytes) {
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kChunkSamples));
    state.counters["bytes_per_sample"]
        = static_cast<double>(bytes) / static_cast<double>(kChunkSamples);
}

void decodeValuesOf(benchmark::State& state, const std::string& kind) {
    Bytes bytes;
    encodeValues(chunkValues(kind), bytes);
    std::vector<double> out(kChunkSamples);
    for (auto _ : state)
        benchmark::DoNotOptimize(decodeValues(bytes, out));
    report(state, bytes.size());
}

void encodeValuesOf(benchmark::State& state, const std::string& kind) {
    const std::vector<double> values = chunkValues(kind);
    Bytes bytes;
    for (auto _ : state) {
        bytes.clear();
        encodeValues(values, bytes);
        benchmark::DoNotOptimize(bytes.data());
    }
    report(state, bytes.size());
}

void decodeTimesOf(benchmark::State& state, const std::string& kind) {
    Bytes bytes;
    encodeTimes(chunkTimes(kind), bytes);
    std::vector<std::int64_t> out(kChunkSamples);
    for (auto _ : state)
        benchmark::DoNotOptimize(decodeTimes(bytes, {}, out));
    report(state, bytes.size());
}

void encodeTimesOf(benchmark::State& state, const std::string& kind) {
    const std::vector<std::int64_t> times = chunkTimes(kind);
    Bytes bytes;
    for (auto _ : state) {
        bytes.clear();
        encodeTimes(times, bytes);
        benchmark::DoNotOptimize(bytes.data());
    }
    report(state, bytes.size());
}

BENCHMARK_CAPTURE(decodeValuesOf, power, std::string("power"));
BENCHMARK_CAPTURE(decodeValuesOf, counter, std::string("counter"));
BENCHMARK_CAPTURE(decodeValuesOf, utilisation, std::string("utilisation"));
BENCHMARK_CAPTURE(decodeValuesOf, constant, std::string("constant"));
BENCHMARK_CAPTURE(decodeTimesOf, even, std::string("even"));
BENCHMARK_CAPTURE(decodeTimesOf, jitter, std::string("jitter"));
BENCHMARK_CAPTURE(decodeTimesOf, clock, std::string("clock"));
BENCHMARK_CAPTURE(encodeValuesOf, power, std::string("power"));
BENCHMARK_CAPTURE(encodeValuesOf, counter, std::string("counter"));
BENCHMARK_CAPTURE(encodeValuesOf, utilisation, std::string("utilisation"));
BENCHMARK_CAPTURE(encodeValuesOf, constant, std::string("constant"));
BENCHMARK_CAPTURE(encodeTimesOf, even, std::string("even"));
BENCHMARK_CAPTURE(encodeTimesOf, jitter, std::string("jitter"));
BENCHMARK_CAPTURE(encodeTimesOf, clock, std::string("clock"));

} // namespace
