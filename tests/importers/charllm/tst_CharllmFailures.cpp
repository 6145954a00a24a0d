// Cut, damaged and dying sources, a full disk, and the user's stop.

#include "importers/common/Formats.h"
#include "importers/support/BrokenTree.h"
#include "importers/support/RecordingSink.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::importers;
using namespace trainscope::importers::charllm;
using trainscope::test::BrokenTree;
using trainscope::test::RecordingSink;

namespace {

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

std::int64_t recorded(const RecordingSink& sink) {
    std::int64_t count = 0;
    for (const auto& series : sink.allSeries)
        count += static_cast<std::int64_t>(series.values.size());
    return count;
}

} // namespace

class tst_CharllmFailures : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyCutIsConsistent() {
        const std::string whole = telemetry(60, 1);
        for (std::size_t length = 0; length <= whole.size(); ++length) {
            const auto tree = memoryTree({{"r/gpu_power_0.csv", whole.substr(0, length)},
                {"r/gpu_power_1.csv", telemetry(60, 2)}});
            RecordingSink sink;
            const auto report
                = importers::charllm::kImporter.import(*tree, unitOf(*tree), sink, {});
            QVERIFY(report.hasValue());
            QCOMPARE(report.value().samples, recorded(sink));
            const auto* cut = sink.ofGpu("gpu_power", 0);
            QVERIFY(cut == nullptr || cut->values.size() <= 60);
        }
    }

    void randomDamageIsConsistent() {
        std::mt19937 random(9);
        for (int round = 0; round < 300; ++round) {
            std::string text = telemetry(100, round);
            for (auto i = random() % 30; i > 0; --i)
                text[random() % text.size()] = static_cast<char>(random() % 256);
            const auto tree = memoryTree({{"r/gpu_power_0.csv", text}});
            RecordingSink sink;
            const auto report
                = importers::charllm::kImporter.import(*tree, unitOf(*tree), sink, {});
            QVERIFY(!report.hasValue() || report.value().samples == recorded(sink));
        }
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

TRAINSCOPE_TEST(tst_CharllmFailures)
#include "tst_CharllmFailures.moc"
