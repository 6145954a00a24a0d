// Limits of the machine itself, measured in the same run: copying memory, finding line ends,
// hashing, inflating.
#include <benchmark/benchmark.h>
#include <xxhash.h>
#include <zlib.h>

#include <cstring>
#include <string>
#include <vector>

namespace {

constexpr std::size_t kLimitBytes = std::size_t{256} << 20U;
constexpr std::size_t kLine = 28;

// Lines as a telemetry file has them.
const std::string& text() {
    static const std::string lines = [] {
        std::string out;
        out.reserve(kLimitBytes);
        std::uint64_t state = 1;
        while (out.size() + kLine <= kLimitBytes) {
            state = state * 6364136223846793005U + 1442695040888963407U;
            std::string digits = std::to_string(1'000'000'000'000'000'000U + (state >> 8U));
            out += "1735689600." + digits.substr(0, 9) + ",450." + digits.substr(9, 3) + "\n";
        }
        return out;
    }();
    return lines;
}

void memoryCopy(benchmark::State& state) {
    const std::string& from = text();
    std::vector<char> to(from.size());
    for (auto _ : state) {
        std::memcpy(to.data(), from.data(), from.size());
        benchmark::ClobberMemory();
    }
    state.SetBytesProcessed(static_cast<std::int64_t>(from.size()) * state.iterations());
}

void lineEnds(benchmark::State& state) {
    const std::string& from = text();
    for (auto _ : state) {
        std::size_t lines = 0;
        const char* end = from.data() + from.size();
        for (const char* at = from.data(); at < end; ++lines) {
            const void* found = std::memchr(at, '\n', static_cast<std::size_t>(end - at));
            if (found == nullptr)
                break;
            at = static_cast<const char*>(found) + 1;
        }
        benchmark::DoNotOptimize(lines);
    }
    state.SetBytesProcessed(static_cast<std::int64_t>(from.size()) * state.iterations());
}

void hashing(benchmark::State& state) {
    const std::string& from = text();
    for (auto _ : state)
        benchmark::DoNotOptimize(XXH3_128bits(from.data(), from.size()).low64);
    state.SetBytesProcessed(static_cast<std::int64_t>(from.size()) * state.iterations());
}

// zlib, the ceiling of .gz files without a faster library.
void zlibInflate(benchmark::State& state) {
    const std::string plain = text().substr(0, std::size_t{16} << 20U);
    uLongf size = compressBound(plain.size());
    std::vector<Bytef> packed(size);
    compress2(packed.data(), &size, reinterpret_cast<const Bytef*>(plain.data()), plain.size(), 6);
    std::vector<Bytef> out(plain.size());
    for (auto _ : state) {
        uLongf length = out.size();
        benchmark::DoNotOptimize(uncompress(out.data(), &length, packed.data(), size));
    }
    state.SetBytesProcessed(static_cast<std::int64_t>(plain.size()) * state.iterations());
}

BENCHMARK(memoryCopy)->Unit(benchmark::kMillisecond)->MinTime(0.5);
BENCHMARK(lineEnds)->Unit(benchmark::kMillisecond)->MinTime(0.5);
BENCHMARK(hashing)->Unit(benchmark::kMillisecond)->MinTime(0.5);
BENCHMARK(zlibInflate)->Unit(benchmark::kMillisecond)->MinTime(0.5);

} // namespace
