// Reading a Kineto trace without storing it, and what bounds that: copying the text, counting its
// lines, simdjson's on-demand front end with the same few fields, decompression alone.
#include "ForgettingSink.h"
#include "inputs/KinetoTrace.h"

#include "importers/common/Formats.h"
#include "importers/kineto/TraceSyntax.h"

#include <benchmark/benchmark.h>
#include <simdjson.h>
#include <zlib.h>
#include <zstd.h>

#include <cstring>
#include <fstream>
#include <iterator>

namespace {

using namespace trainscope;
using namespace trainscope::importers;

constexpr std::int64_t kKernels = 200'000;

const std::string& plain() {
    static const std::string text = [] {
        std::ifstream file(bench::kinetoTrace(kKernels), std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(file), {});
    }();
    return text;
}

std::string gzipped(std::string text) {
    z_stream zlib{};
    deflateInit2(&zlib, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
    std::string out(deflateBound(&zlib, text.size()), '\0');
    zlib.next_in = reinterpret_cast<Bytef*>(text.data());
    zlib.avail_in = static_cast<uInt>(text.size());
    zlib.next_out = reinterpret_cast<Bytef*>(out.data());
    zlib.avail_out = static_cast<uInt>(out.size());
    deflate(&zlib, Z_FINISH);
    out.resize(zlib.total_out);
    deflateEnd(&zlib);
    return out;
}

std::string zstded(const std::string& text) {
    std::string out(ZSTD_compressBound(text.size()), '\0');
    out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
    return out;
}

enum Storage { Plain, Gzip, Zstd };

const SourceTree& treeOf(std::int64_t storage) {
    static const auto trees = [] {
        std::vector<std::unique_ptr<SourceTree>> all;
        for (const std::string& stored : {plain(), gzipped(plain()), zstded(plain())})
            all.push_back(memoryTree({{"trace_0.json", stored}}));
        return all;
    }();
    return *trees[static_cast<std::size_t>(storage)];
}

void countBytes(benchmark::State& state) {
    state.SetBytesProcessed(static_cast<std::int64_t>(plain().size()) * state.iterations());
}

// The importer as it is, by all threads.
void kinetoRead(benchmark::State& state) {
    const SourceTree& tree = treeOf(state.range(0));
    ImportUnit unit;
    unit.path = "trace_0.json";
    unit.files = {unit.path};
    unit.runName = "run";
    for (auto _ : state) {
        bench::ForgettingSink sink;
        const auto report = importers::kineto::kImporter.import(tree, unit, sink, {});
        if (!report.hasValue())
            return state.SkipWithError(report.error().message.c_str());
    }
    countBytes(state);
}

class ForgettingVisitor final : public kineto::TraceVisitor {
public:
    void header(std::string_view, const JsonToken&) override { }
    void broken(std::int64_t, const std::string&, bool) override { }
    Status events(const kineto::EventBatch& batch, const kineto::TraceSyntax&) override {
        benchmark::DoNotOptimize(batch.records.data());
        return {};
    }
};

// Text to records, by one thread.
void kinetoParse(benchmark::State& state) {
    for (auto _ : state) {
        auto stream = treeOf(Plain).open("trace_0.json");
        ForgettingVisitor visitor;
        kineto::TraceReader reader(*stream.value(), 0, "bench", nullptr);
        benchmark::DoNotOptimize(reader.run(visitor, {}).hasValue());
    }
    countBytes(state);
}

void kinetoDecompress(benchmark::State& state) {
    std::vector<std::byte> block(std::size_t{1} << 20U);
    for (auto _ : state) {
        auto stream = treeOf(state.range(0)).open("trace_0.json");
        while (stream.value()->read(block).valueOr(0) > 0)
            benchmark::DoNotOptimize(block.data());
    }
    countBytes(state);
}

void kinetoCopy(benchmark::State& state) {
    std::string copy(plain().size(), '\0');
    for (auto _ : state) {
        std::memcpy(copy.data(), plain().data(), copy.size());
        benchmark::ClobberMemory();
    }
    countBytes(state);
}

void kinetoCountLines(benchmark::State& state) {
    for (auto _ : state)
        benchmark::DoNotOptimize(
            kineto::countLines(plain().data(), plain().data() + plain().size()));
    countBytes(state);
}

// Kind, name and times of every event and nothing else, in the order that is fastest.
void kinetoSimdjson(benchmark::State& state) {
    const simdjson::padded_string text(plain());
    simdjson::ondemand::parser parser;
    for (auto _ : state) {
        auto document = parser.iterate(text);
        std::size_t bytes = 0;
        for (auto event : document["traceEvents"].get_array()) {
            bytes += std::string_view(event["ph"].get_string()).size();
            bytes += std::string_view(event["cat"].get_string()).size();
            bytes += std::string_view(event["name"].get_string()).size();
            bytes += std::string_view(event["ts"].raw_json_token()).size();
            bytes += std::string_view(event["dur"].raw_json_token()).size();
        }
        benchmark::DoNotOptimize(bytes);
    }
    countBytes(state);
}

// As above, and what a span needs besides: where it ran, its correlation, all its arguments.
void kinetoSimdjsonSpans(benchmark::State& state) {
    const simdjson::padded_string text(plain());
    simdjson::ondemand::parser parser;
    for (auto _ : state) {
        auto document = parser.iterate(text);
        std::size_t bytes = 0;
        for (auto event : document["traceEvents"].get_array()) {
            for (auto member : event.get_object()) {
                const std::string_view key = member.unescaped_key();
                if (key != "args") {
                    bytes += std::string_view(member.value().raw_json_token()).size();
                    continue;
                }
                for (auto argument : member.value().get_object()) {
                    bytes += std::string_view(argument.unescaped_key()).size();
                    bytes += std::string_view(argument.value().raw_json_token()).size();
                }
            }
        }
        benchmark::DoNotOptimize(bytes);
    }
    countBytes(state);
}

BENCHMARK(kinetoRead)
    ->Arg(Plain)
    ->Arg(Gzip)
    ->Arg(Zstd)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK(kinetoParse)->Unit(benchmark::kMillisecond);
BENCHMARK(kinetoDecompress)->Arg(Gzip)->Arg(Zstd)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(kinetoCopy)->Unit(benchmark::kMillisecond);
BENCHMARK(kinetoCountLines)->Unit(benchmark::kMillisecond);
BENCHMARK(kinetoSimdjson)->Unit(benchmark::kMillisecond);
BENCHMARK(kinetoSimdjsonSpans)->Unit(benchmark::kMillisecond);

} // namespace
