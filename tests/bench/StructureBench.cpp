// Text to structure: execution traces, NCCL logs and the flight recorder, and members of a
// compressed archive that are read in any order. Everything lies in memory.
#include "bench/ForgettingSink.h"
#include "importers/common/ArchiveTree.h"
#include "importers/common/Formats.h"
#include "importers/support/Compress.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <string>
#include <vector>

namespace {

using namespace trainscope;
using namespace trainscope::importers;

void importText(
    benchmark::State& state, const Importer& importer, const std::string& name, std::string text) {
    const auto bytes = static_cast<std::int64_t>(text.size());
    const auto tree = memoryTree({{name, std::move(text)}});
    const auto units = importer.plan(*tree, tree->files());
    for (auto _ : state) {
        for (const ImportUnit& unit : units) {
            bench::ForgettingSink sink;
            if (!importer.import(*tree, unit, sink, {}).hasValue())
                return state.SkipWithError("the import failed");
        }
    }
    state.SetBytesProcessed(bytes * state.iterations());
}

void executionTrace(benchmark::State& state) {
    std::string text = R"({"schema": "1.1.0-chakra.0.0.4", "pid": 1, "nodes": [)";
    for (int i = 2; i < 20'000; ++i)
        text += fmt::format(
            R"json({}{{"id": {}, "name": "aten::mm", "ctrl_deps": 1, "inputs": {{"values": [[{},415,0,)json"
            R"json(6144,4,"cuda:0"],[356,446,0,216,4,"cuda:0"]], "shapes": [[512,12],[12,18]], )json"
            R"json("types": ["Tensor(float)","Tensor(float)"]}}, "outputs": {{"values": [[180,425,0,)json"
            R"json(9216,4,"cuda:0"]], "shapes": [[512,18]], "types": ["Tensor(float)"]}}, "attrs": [)json"
            R"json({{"name": "rf_id", "type": "uint64", "value": {}}}, {{"name": "tid", "type": )json"
            R"json("uint64", "value": 1}}, {{"name": "op_schema", "type": "string", "value": )json"
            R"json("aten::mm(Tensor self, Tensor mat2) -> Tensor"}}]}})json",
            i == 2 ? "" : ",\n", i, i, i);
    importText(state, exectrace::kImporter, "et_0.json", text + "]}");
}

void ncclLog(benchmark::State& state) {
    std::string text;
    for (int i = 0; i < 40'000; ++i)
        text += fmt::format("{0}: node-{1}:77{0}:99 [{2}] NCCL INFO Channel {3:02}/0 : {0}[{2}] -> "
                            "{4}[0] [send] via NET/IB/{2}/GDRDMA\n",
            i % 512, i % 512 / 8, i % 8, i % 16, (i + 1) % 512);
    importText(state, nccl::kImporter, "nccl.log", std::move(text));
}

void flightRecorder(benchmark::State& state) {
    std::string text = R"({"version": "2.10", "entries": [)";
    for (int i = 0; i < 20'000; ++i)
        text += fmt::format(
            R"json({}{{"record_id": {}, "pg_id": 0, "process_group": ["0", "default_pg"], )json"
            R"json("collective_seq_id": {}, "profiling_name": "nccl:all_reduce", "time_created_ns": )json"
            R"json({}, "input_sizes": [[4096, 4096]], "input_dtypes": ["BFloat16"], "output_sizes": )json"
            R"json([[4096, 4096]], "state": "completed", "is_p2p": false}})json",
            i == 0 ? "" : ",\n", i, i, 1'700'000'000'000'000'000 + i * 1'000'000LL);
    importText(state, flightrecorder::kImporter, "dump_0", text + "]}");
}

// A tar header by POSIX.1-1988.
std::string tarHeader(const std::string& name, std::size_t size) {
    std::string header(512, '\0');
    header.replace(0, name.size(), name);
    header.replace(100, 7, "0000644");
    header.replace(124, 11, fmt::format("{:011o}", size));
    header[156] = '0';
    header.replace(257, 5, "ustar");
    header.replace(148, 8, "        ");
    unsigned sum = 0;
    for (const char c : header)
        sum += static_cast<unsigned char>(c);
    return header.replace(148, 6, fmt::format("{:06o}", sum)).replace(154, 1, 1, '\0');
}

// 64 members of 1 MiB in one tar.gz, from the last to the first: listing it and reading all.
void archiveBackwards(benchmark::State& state) {
    constexpr int kMembers = 64;
    constexpr std::size_t kSize = std::size_t{1} << 20;
    std::string tar;
    for (int m = 0; m < kMembers; ++m) {
        std::string text;
        for (int i = m; text.size() < kSize; ++i)
            text += fmt::format("{},{}\n", 1'755'000'000 + i, i * 7919 % 700);
        text.resize(kSize);
        tar += tarHeader(fmt::format("m{:02}", m), kSize) + text;
    }
    const std::string stored = test::gzipped(tar + std::string(1024, '\0'));
    for (auto _ : state) {
        const auto tree = withArchives(memoryTree({{"a.tar.gz", stored}}));
        for (int m = kMembers; m-- > 0;) {
            const auto stream = tree->open(fmt::format("a.tar.gz/m{:02}", m));
            if (!stream.hasValue() || stream.value()->skip(kSize).valueOr(0) != kSize)
                return state.SkipWithError("a member is not whole");
        }
    }
    state.SetBytesProcessed(static_cast<std::int64_t>(kMembers * kSize) * state.iterations());
}

BENCHMARK(executionTrace)->Unit(benchmark::kMillisecond)->MinTime(0.5)->UseRealTime();
BENCHMARK(ncclLog)->Unit(benchmark::kMillisecond)->MinTime(0.5)->UseRealTime();
BENCHMARK(flightRecorder)->Unit(benchmark::kMillisecond)->MinTime(0.5)->UseRealTime();
BENCHMARK(archiveBackwards)->Unit(benchmark::kMillisecond)->MinTime(0.5)->UseRealTime();

} // namespace
