// Result trees from end to end: what is planned, what reaches the sink, what the report says. Cut,
// damaged and dying sources, a full disk, and the user's stop.

#include "importers/common/Formats.h"
#include "importers/support/BrokenTree.h"
#include "importers/support/Compress.h"
#include "importers/support/RecordingSink.h"
#include "support/TestProgram.h"

using namespace trainscope::importers;
using namespace trainscope::importers::charllm;
using trainscope::test::BrokenTree;
using trainscope::test::RecordingSink;

namespace {

using Files = std::vector<std::pair<std::string, std::string>>;

constexpr std::int64_t kStart = 1755000000'000000000;

// One line per value, 0.1 s apart.
std::string lines(const std::vector<double>& values) {
    std::string text;
    for (std::size_t i = 0; i < values.size(); ++i)
        text += std::to_string(1755000000 + i / 10) + "." + std::to_string(i % 10) + ","
            + std::to_string(values[i]) + "\n";
    return text;
}

std::string steady(double value, std::size_t count = 20) {
    return lines(std::vector<double>(count, value));
}

std::vector<ImportUnit> planOf(const SourceTree& tree) {
    const importers::Importer& importer = importers::charllm::kImporter;
    std::vector<SourceFile> mine;
    for (const SourceFile& file : tree.files()) {
        const auto head = readHead(tree, file.path, 65536);
        if (importer.sniff(head.hasValue() ? head.value() : std::string(), file.path) > 0)
            mine.push_back(file);
    }
    return importer.plan(tree, mine);
}

struct Imported {
    RecordingSink sink;
    std::vector<ImportReport> reports;
    std::vector<Error> errors;

    explicit Imported(const SourceTree& tree, const Progress& progress = {}) {
        for (const ImportUnit& unit : planOf(tree)) {
            auto report = importers::charllm::kImporter.import(tree, unit, sink, progress);
            if (report.hasValue())
                reports.push_back(report.value());
            else
                errors.push_back(report.error());
        }
    }
};

bool anyWarning(const ImportReport& report, const std::string& text) {
    return std::any_of(report.warnings.begin(), report.warnings.end(),
        [&](const ImportWarning& warning) { return warning.text.find(text) != std::string::npos; });
}

std::string telemetry(int rows, int seed) {
    std::string text;
    for (int i = 0; i < rows; ++i)
        text += std::to_string(1755000000 + i) + ".25," + std::to_string((i * 37 + seed) % 700)
            + "\n";
    return text;
}

ImportUnit unitOf(const SourceTree& tree) {
    const auto units = importers::charllm::kImporter.plan(tree, tree.files());
    return units.empty() ? ImportUnit{} : units.front();
}

} // namespace

class tst_CharllmImporter : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void sniffing_data() {
        const auto row = test::columns<std::string, std::string, int>("head", "path", "expected");
        row("telemetry", steady(5), "a/b/gpu_power_0.csv", 99);
        row("other suffix", steady(5), "gpu_power_0.log", 99);
        row("with header", "t,v\n" + steady(5), "gpu_power_0.csv", 99);
        row("empty", std::string(), "gpu_power_0.csv", 40);
        row("picture", "\xff\xd8\xff\xe0", "gpu_power_0.csv", 40);
        row("unknown metric", steady(5), "foo_0.csv", 20);
        row("unknown, no telemetry", "a,b\n", "foo_0.csv", 0);
        row("json", "{\"traceEvents\":[]}", "rank_0.json", 0);
        row("other name", steady(5), "results.csv", 0);
    }
    void sniffing() {
        QFETCH(std::string, head);
        QFETCH(std::string, path);
        QFETCH(int, expected);
        QCOMPARE(importers::charllm::kImporter.sniff(head, path), expected);
    }

    void nestedSweepsInOnePlan() {
        const std::string a = "optimization-sweep-h200/gpt3-175b/gpt3-175b_3_00000";
        const std::string b = "optimization-sweep-h200/llama3-70b/llama3-70b_1_01000";
        const auto tree = memoryTree({{a + "/gpu_power_0.csv", steady(1)},
            {a + "/gpu_power_1.csv", steady(1)}, {a + "/gpu_thermal_0.csv", steady(1)},
            {a + "/10_kineto/gpu_power_0.csv.json", "{}"}, {b + "/sm_clock_0.csv", steady(1)},
            {"foo_0.csv", steady(1)}, {a + "/extra_0.csv", steady(1)}});
        const auto units = planOf(*tree);
        QCOMPARE(units.size(), std::size_t{2});
        QCOMPARE(units[0].runName, a);
        QCOMPARE(units[0].path, a);
        QCOMPARE(units[0].files.size(), std::size_t{4});
        QCOMPARE(units[0].worldSize, 2);
        QCOMPARE(units[0].summary, std::string("2 GPUs, 3 metrics"));
        QCOMPARE(units[0].bytes, std::uint64_t{4 * steady(1).size()});
        QCOMPARE(units[1].runName, b);
    }

    void valuesUnitsAndNodes() {
        Files files{{"r/system_ib_rx_bytes_rank_8_id_ib0.csv", lines({1, 5})}};
        for (int rank = 0; rank < 10; ++rank)
            files.emplace_back("r/gpu_power_" + std::to_string(rank) + ".csv", steady(rank * 10));
        files.emplace_back(
            "r/nvlink_rx_throughput_9.csv", lines({4294967290.0, 4294967295.0, 4, 4}));
        const Imported imported(*memoryTree(files));
        QCOMPARE(imported.errors.size(), std::size_t{0});
        const auto* power = imported.sink.ofGpu("gpu_power", 9);
        QVERIFY(power != nullptr);
        QCOMPARE(power->values, std::vector<double>(20, 90.0));
        QCOMPARE(qint64{power->times[3].ns}, qint64{kStart + 300'000'000});
        QCOMPARE((imported.sink.gpus.at({1, 9})), (Gpu{9, 1, 1, {}, {}}));
        const auto* nvlink = imported.sink.ofGpu("nvlink_rx", 9);
        QCOMPARE(nvlink->description.counterBits, 32);
        QCOMPARE(imported.reports[0].counterFalls, std::int64_t{1});
        const auto* ib = imported.sink.find("ib_rx", {SubjectKind::Link, -1, 1, "ib0"});
        QVERIFY(ib != nullptr);
        QCOMPARE(ib->values, (std::vector<double>{1, 5}));
        QCOMPARE(imported.sink.runs[0].worldSize, 10);
        QVERIFY(imported.sink.runs[0].status == RunStatus::Ok);
        QCOMPARE(imported.reports[0].rows, std::int64_t{206});
        QCOMPARE(imported.reports[0].ranksFound.size(), std::size_t{10});
        QCOMPARE(imported.reports[0].facts.at("power_kind"), std::string("instant"));
        QCOMPARE(imported.reports[0].facts.at("sampling_period"), std::string("0.1 s"));
        QCOMPARE(imported.reports[0].counts.at("files of gpu_power"), std::int64_t{10});
    }

    void counterWidths() {
        const Imported imported(*memoryTree({{"r/pcie_rx_bytes_0.csv", lines({1, 5e9, 6e9})},
            {"r/system_ib_rx_bytes_rank_0_id_a.csv", lines({4.2e9, 4.29e9, 1000})},
            {"r/system_ib_rx_bytes_rank_0_id_b.csv", lines({4.2e9, 5e9, 1000})}}));
        QCOMPARE(imported.sink.ofGpu("pcie_rx", 0)->description.counterBits, 64);
        QCOMPARE(
            imported.sink.find("ib_rx", {SubjectKind::Link, -1, 0, "a"})->description.counterBits,
            32);
        QCOMPARE(
            imported.sink.find("ib_rx", {SubjectKind::Link, -1, 0, "b"})->description.counterBits,
            64);
    }

    void failedReadsAreMissing() {
        const Imported imported(
            *memoryTree({{"r/gpu_power_0.csv", lines({5, -1, 7, -1, -1, 9, 9, 9, 9, 9, 9})},
                {"r/pcie_rx_bytes_0.csv", lines({100, -1, 200})}}));
        const auto* power = imported.sink.ofGpu("gpu_power", 0);
        QCOMPARE(power->values.size(), std::size_t{11});
        QVERIFY(std::isnan(power->values[1]));
        QCOMPARE(power->missing(), std::int64_t{3});
        QCOMPARE(imported.reports[0].missing, std::int64_t{4});
        QCOMPARE(imported.reports[0].samples, std::int64_t{14});
        QCOMPARE(imported.reports[0].counterFalls, std::int64_t{0});
        QVERIFY(imported.sink.runs[0].status == RunStatus::Ok);
    }

    void missingRanksAreNamed() {
        const Imported imported(*memoryTree({{"r/gpu_power_0.csv", steady(1)},
            {"r/gpu_power_5.csv", steady(1)}, {"r/sm_clock_0.csv", steady(1)}}));
        const ImportReport& report = imported.reports.at(0);
        QCOMPARE(report.ranksExpected, 6);
        QCOMPARE(report.ranksFound, (std::vector<int>{0, 5}));
        QVERIFY(anyWarning(report, "missing: 1-4."));
        QVERIFY(anyWarning(report, "Nothing of sm_clock for rank 5."));
    }

    void outOfMemory_data() {
        const auto row = test::columns<Files, int>("files", "expected");
        const int oom = static_cast<int>(RunStatus::Oom);
        const int ok = static_cast<int>(RunStatus::Ok);
        row("nine", Files{{"r/gpu_power_0.csv", steady(1, 9)}}, oom);
        row("ten", Files{{"r/gpu_power_0.csv", steady(1, 10)}}, ok);
        row("another rank",
            Files{{"r/gpu_power_0.csv", steady(1)}, {"r/gpu_power_1.csv", steady(1, 3)}}, ok);
        row("rank 0 is missing", Files{{"r/gpu_power_1.csv", steady(1)}}, ok);
        row("rank 0 is empty",
            Files{{"r/gpu_power_0.csv", ""}, {"r/gpu_power_1.csv", steady(1, 3)}}, oom);
        row("all empty", Files{{"r/gpu_power_0.csv", ""}, {"r/gpu_power_1.csv", ""}}, oom);
    }
    void outOfMemory() {
        QFETCH(Files, files);
        QFETCH(int, expected);
        const Imported imported(*memoryTree(files));
        QCOMPARE(imported.errors.size(), std::size_t{0});
        QCOMPARE(static_cast<int>(imported.sink.runs.at(0).status), expected);
    }

    void launchYamlSaysTheNodes() {
        const std::string yaml
            = "trainer: {devices: 4, num_nodes: 2, precision: bf16}\n"
              "model: {tensor_model_parallel_size: 2, pipeline_model_parallel_size: 4}\n";
        const std::string run = "res/sweep-h200/gpt3/gpt3_1_10000";
        const auto tree = memoryTree(
            {{run + "/gpu_power_0.csv", steady(1)}, {run + "/gpu_power_6.csv", steady(1)},
                {"scripts/sweep-h200/gpt3/gpt3_1_10000.yaml", yaml}});
        const auto units = planOf(*tree);
        QCOMPARE(
            units.at(0).files.back(), std::string("scripts/sweep-h200/gpt3/gpt3_1_10000.yaml"));
        QCOMPARE(units.at(0).worldSize, 8);
        const Imported imported(*tree);
        QCOMPARE((imported.sink.gpus.at({1, 6})), (Gpu{6, 1, 2, {}, {}}));
        const Run& stored = imported.sink.runs.at(0);
        QCOMPARE(stored.worldSize, 8);
        QCOMPARE(stored.launch.pipelineParallel.value_or(0), 4);
        QCOMPARE(stored.launch.dataParallel.value_or(0), 1);
        QCOMPARE(stored.launch.model.value_or(""), std::string("gpt3"));
        QVERIFY(stored.launch.overlap.value_or(false));
        QCOMPARE(stored.launch.origin, std::string("scripts/sweep-h200/gpt3/gpt3_1_10000.yaml"));
        QVERIFY(anyWarning(imported.reports.at(0), "missing: 1-5, 7."));
    }

    void amdRuns() {
        const Imported imported(
            *memoryTree({{"r/power_0.csv", steady(300)}, {"r/gpu_util_0.csv", steady(50)}}));
        QCOMPARE(imported.sink.ofGpu("gpu_power", 0)->values[0], 300.0);
        QCOMPARE(imported.reports[0].facts.at("power_kind"), std::string("not said"));
        const Imported both(
            *memoryTree({{"r/power_0.csv", steady(1)}, {"r/gpu_power_0.csv", steady(2)}}));
        QCOMPARE(both.sink.ofGpu("gpu_power", 0)->values[0], 2.0);
        QCOMPARE(both.sink.ofGpu("power", 0)->values[0], 1.0);
    }

    void sameSeriesTwiceIsReadOnce() {
        const Imported imported(*memoryTree({{"r/gpu_power_0.csv", steady(1)},
            {"r/gpu_power_0.csv.gz", trainscope::test::gzipped(steady(2))},
            {"r/system_ib_tx_bytes_rank_0_id_ib0.csv", steady(1)},
            {"r/system_ib_tx_bytes_rank_1_id_ib0.csv", steady(2)}}));
        QCOMPARE(imported.sink.allSeries.size(), std::size_t{2});
        QVERIFY(anyWarning(imported.reports.at(0), "Not read"));
    }

    void compressedFilesAndTruncatedOnes() {
        std::vector<double> values;
        for (int i = 0; i < 20000; ++i)
            values.push_back((i * 7919) % 1000);
        const std::string whole = trainscope::test::gzipped(lines(values));
        const Imported imported(*memoryTree({{"r/gpu_power_0.csv.gz", whole},
            {"r/gpu_power_1.csv", whole.substr(0, whole.size() / 2)}}));
        QVERIFY(imported.sink.ofGpu("gpu_power", 0)->values == values);
        const auto& cut = imported.sink.ofGpu("gpu_power", 1)->values;
        QVERIFY(cut.size() > 5000 && std::equal(cut.begin(), cut.end(), values.begin()));
        QVERIFY(imported.sink.runs[0].status == RunStatus::Partial);
        QVERIFY(anyWarning(imported.reports[0], "cut short"));
    }

    void timesOutOfOrderAreKept() {
        const Imported imported(
            *memoryTree({{"r/gpu_power_0.csv", "10,1\n11,2\n11,3\n9,4\n12,5\n"}}));
        QCOMPARE(imported.sink.ofGpu("gpu_power", 0)->values, (std::vector<double>{1, 2, 3, 4, 5}));
        QCOMPARE(imported.reports[0].counts.at("repeated time stamps"), std::int64_t{1});
        QCOMPARE(imported.reports[0].counts.at("decreasing time stamps"), std::int64_t{1});
        QVERIFY(anyWarning(imported.reports[0], "goes back"));
    }

    void nothingUsableIsAnError_data() {
        const auto row = test::columns<std::string>("content");
        row("empty", std::string());
        row("picture", "\xff\xd8\xff\xe0 JFIF");
        row("words", "hello,world\nhow,are you\n");
    }
    void nothingUsableIsAnError() {
        QFETCH(std::string, content);
        const Imported imported(*memoryTree({{"r/gpu_power_0.csv", content}}));
        QCOMPARE(imported.errors.size(), std::size_t{1});
        QVERIFY(imported.errors[0].code == ErrorCode::Unrecognised);
        VERIFY_SAYS(imported.errors[0].message, "expected");
        QCOMPARE(imported.errors[0].where, std::string("r"));
    }

    void oneBadFileAmongGood() {
        const Imported imported(
            *memoryTree({{"r/gpu_power_0.csv", steady(1)}, {"r/sm_clock_0.csv", "\xff\xd8 \n\n"}}));
        QCOMPARE(imported.errors.size(), std::size_t{0});
        QVERIFY(imported.sink.runs[0].status == RunStatus::Partial);
        QVERIFY(anyWarning(imported.reports[0], "No line of this file"));
        QCOMPARE(imported.sink.allSeries.size(), std::size_t{1});
    }

    void dyingDisk() {
        const BrokenTree tree(
            {{"r/gpu_power_0.csv", telemetry(60, 1)}, {"r/gpu_power_1.csv", telemetry(60, 2)}},
            500);
        RecordingSink sink;
        const auto report = importers::charllm::kImporter.import(tree, unitOf(tree), sink, {});
        QVERIFY(report.hasValue());
        QVERIFY(sink.runs[0].status == RunStatus::Partial);
        QVERIFY(sink.ofGpu("gpu_power", 0)->values.size() > 20);
        QCOMPARE(report.value().warningCount, std::int64_t{2});
    }

    void unreadableFilesAreAnError() {
        const BrokenTree tree({{"r/gpu_power_0.csv", telemetry(60, 1)}}, 0);
        RecordingSink sink;
        const auto report = importers::charllm::kImporter.import(tree, unitOf(tree), sink, {});
        QVERIFY(!report.hasValue());
        QVERIFY(report.error().code == ErrorCode::Unrecognised);
    }

    void sinkFailuresEndTheImport() {
        const auto tree = memoryTree(
            {{"r/gpu_power_0.csv", telemetry(60, 1)}, {"r/sm_clock_0.csv", telemetry(60, 1)}});
        RecordingSink counting;
        QVERIFY(
            importers::charllm::kImporter.import(*tree, unitOf(*tree), counting, {}).hasValue());
        QVERIFY(counting.calls >= 7);
        for (int call = 1; call <= counting.calls; ++call) {
            RecordingSink sink;
            sink.failAt = call;
            const auto report
                = importers::charllm::kImporter.import(*tree, unitOf(*tree), sink, {});
            QVERIFY(!report.hasValue());
            QVERIFY(report.error().code == ErrorCode::Io);
            QCOMPARE(sink.calls, call);
        }
    }

    void stopsWhenAsked() {
        const auto tree = memoryTree(
            {{"r/gpu_power_0.csv", telemetry(200000, 1)}, {"r/gpu_power_1.csv", telemetry(9, 1)}});
        for (int stopAt = 1; stopAt < 20; ++stopAt) {
            int calls = 0;
            RecordingSink sink;
            const auto report = importers::charllm::kImporter.import(
                *tree, unitOf(*tree), sink, [&](const ProgressState&) { return ++calls < stopAt; });
            QVERIFY(!report.hasValue());
            QVERIFY(report.error().code == ErrorCode::Cancelled);
            QCOMPARE(calls, stopAt);
        }
    }

    void progressReachesTheTotal() {
        const auto tree = memoryTree({{"r/gpu_power_0.csv", telemetry(50000, 1)},
            {"r/gpu_power_1.csv", telemetry(50000, 1)}});
        const ImportUnit unit = unitOf(*tree);
        std::uint64_t last = 0;
        std::set<std::string> phases;
        RecordingSink sink;
        const auto report = importers::charllm::kImporter.import(
            *tree, unit, sink, [&](const ProgressState& state) {
                if (state.bytesDone < last || state.bytesTotal != unit.bytes)
                    return false;
                last = state.bytesDone;
                phases.emplace(state.phase);
                return true;
            });
        QVERIFY(report.hasValue());
        QCOMPARE(last, unit.bytes);
        QCOMPARE(phases, (std::set<std::string>{"Reading rank 0", "Reading rank 1"}));
    }

    void longFilesArriveWhole() {
        // More than one batch, with the only value above 32 bits near the end: the width is still
        // right.
        std::string text = telemetry(1'200'000, 1);
        text += "1756300000.5,5000000000\n";
        const auto tree = memoryTree({{"r/pcie_rx_bytes_0.csv", text}});
        RecordingSink sink;
        const auto report = importers::charllm::kImporter.import(*tree, unitOf(*tree), sink, {});
        QVERIFY(report.hasValue());
        QCOMPARE(report.value().samples, std::int64_t{1'200'001});
        QCOMPARE(sink.ofGpu("pcie_rx", 0)->values.size(), std::size_t{1'200'001});
        QCOMPARE(sink.ofGpu("pcie_rx", 0)->description.counterBits, 64);
    }
};

TRAINSCOPE_TEST(tst_CharllmImporter)
#include "tst_CharllmImporter.moc"
