// Traces of operations: a small one by hand, and two published ones against what their authors
// found (result-*.json of github.com/ByteDance-Seed/StragglerAnalysis).

#include "core/analysis/replay/KernelGraph.h"
#include "core/analysis/replay/StepAnalyses.h"
#include "core/store/Writing.h"
#include "importers/common/Formats.h"
#include "importers/registry/Registry.h"
#include "importers/support/TraceLines.h"
#include "support/TestFiles.h"
#include "support/TestProgram.h"

#include <nlohmann/json.hpp>

#include <QTemporaryDir>

using namespace trainscope::test;

namespace {

std::string eventText(int process, int thread, const std::string& name, const std::string& times) {
    return R"({"name":")" + name + R"(","cat":")" + name + R"(","pid":)" + std::to_string(process)
        + R"(,"tid":)" + std::to_string(thread) + "," + times
        + R"(,"ph":"X","args":{"step":23,"model_chunk":0,"mb_id":1,"seq_id":0}})";
}
std::string threadText(int process, int thread, const std::string& name) {
    return R"({"name":"thread_name","pid":)" + std::to_string(process) + R"(,"tid":)"
        + std::to_string(thread) + R"(,"ph":"M","args":{"name":")" + name + R"("}})";
}

const std::string kSmall = eventText(0, 0, "forward-compute", R"("ts":10.5,"dur":4)") + ",\n"
    + eventText(1, 11, "forward-recv", R"("ts":12.0009765625,"dur":-3.5)") + ",\n"
    + eventText(1, 12, "forward-compute", R"("ts":"x","dur":1)") + ",\n"
    + threadText(0, 0, "PP rank 0, TP rank 0, compute") + ",\n"
    + threadText(1, 11, "PP rank 1, TP rank 0, pp-comm") + ",\n"
    + threadText(1, 12, "PP rank 1, TP rank 0, compute");

} // namespace

class tst_OperationImporter : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void smallTrace_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("array") << QByteArray::fromStdString("[" + kSmall + "]");
        QTest::newRow("object") << QByteArray::fromStdString("{\"traceEvents\":[" + kSmall + "]}");
    }

    void smallTrace() {
        QFETCH(QByteArray, text);
        const auto tree = importers::memoryTree({{"timeline.json", text.toStdString()}});
        const ImportedTraces got(importers::operations::kImporter, *tree);
        QCOMPARE(got.units.size(), std::size_t{1});
        QVERIFY(got.reports[0].hasValue());
        QCOMPARE(got.reports[0].value().skipped, std::int64_t{1});
        // With two data ranks and two stages, the second data rank of stage 1 is rank 3.
        const std::string detail = R"({"step":23,"model_chunk":0,"mb_id":1,"seq_id":0})";
        QCOMPARE(got.lines(SpanKind::Kernel),
            (std::multiset<std::string>{"0|0/compute|forward-compute|10500|4000|0|" + detail,
                "3|0/forward-recv|forward-recv|12000|0|0|" + detail}));
        QCOMPARE(got.sink.tracks.front().description.name, "compute");
        QCOMPARE(got.sink.iterations.size(), std::size_t{2});
        QCOMPARE(got.sink.iterations[1].index, std::int64_t{23});
        QCOMPARE(got.sink.iterations[1].rank, 3);
        const Run& run = got.sink.runs.begin()->second;
        QCOMPARE(run.worldSize, 4);
        QCOMPARE(run.launch.pipelineParallel, std::optional(2));
        QCOMPARE(run.launch.dataParallel, std::optional(2));
    }

    void goesBeforeKineto() {
        const std::string text = "[" + kSmall + "]";
        QVERIFY(importers::operations::kImporter.sniff(text, "t.json")
            > importers::kineto::kImporter.sniff(text, "t.json"));
        QCOMPARE(importers::operations::kImporter.sniff(R"([{"ph":"X","ts":1}])", "t.json"), 0);
    }

    void published_data() {
        QTest::addColumn<int>("ranks");
        QTest::newRow("ST") << 8;
        QTest::newRow("SE") << 64;
    }

    void published() {
        QFETCH(int, ranks);
        if (realFiles().empty())
            QSKIP("the published traces are not beside the checkout");
        const std::string folder = realFiles() + "/data/straggler_analysis/";
        const std::string name = QTest::currentDataTag();
        std::ifstream file(folder + "result-" + name + ".json");
        const auto expected = nlohmann::json::parse(file);
        const QTemporaryDir made;
        auto store = store::Store::openOrCreate(
            made.filePath(QStringLiteral("s.trainscope")).toStdString())
                         .value();
        const auto tree = importers::openDiskTree(folder + "timeline-" + name + ".json.gz").value();
        const auto units = importers::operations::kImporter.plan(*tree, tree->files());
        auto session = store::beginImport(store, {"timeline", 1, "hash", "run"}).value();
        const auto report
            = importers::operations::kImporter.import(*tree, units.at(0), *session, {}).value();
        QCOMPARE(static_cast<int>(report.ranksFound.size()), ranks);
        QCOMPARE(report.skipped, std::int64_t{0});
        QVERIFY(session->finish(report, "hash", 1, {}).hasValue());
        const analysis::RunStudy study(store, store.runs().value().front());
        analysis::StepGraph graph = analysis::operationGraph(study).value();
        for (analysis::StepIteration& each : graph.iterations) // the authors left two steps out
            each.counts = expected["step_t_base"].contains(std::to_string(each.measured.index));
        const analysis::StepTimes times = simulate(graph, measuredCosts(graph));
        double error = 0.0;
        for (const analysis::StepIteration& each : graph.iterations)
            error += std::abs(
                iterationSeconds(times, each) / each.measured.range.length().seconds() - 1.0);
        QVERIFY(error / static_cast<double>(graph.iterations.size()) < 0.001);
        const auto ideal = analysis::idealStep(graph).value();
        const auto isNear = [](double value, const nlohmann::json& other) {
            return std::abs(value / other.get<double>() - 1.0) < 0.006;
        };
        QVERIFY(isNear(ideal.slowdown, expected["blocking_slowdown"]));
        for (const auto& [rank, slowdown] : ideal.by.rank)
            QVERIFY(
                isNear(slowdown, expected["blocking_decompose_by_dp_rank"][std::to_string(rank)]));
        for (const auto& [stage, slowdown] : ideal.by.stage)
            QVERIFY(
                isNear(slowdown, expected["blocking_decompose_by_stage"][std::to_string(stage)]));
        for (const auto& [kind, slowdown] : ideal.by.kind)
            QVERIFY(isNear(slowdown, expected["blocking_decompose_by_optype"][kind]));
        QCOMPARE(ideal.by.kind.size(), expected["blocking_decompose_by_optype"].size());
        QCOMPARE(ideal.by.rank.size(), expected["blocking_decompose_by_dp_rank"].size());
    }
};

TRAINSCOPE_TEST(tst_OperationImporter)
#include "tst_OperationImporter.moc"
