// A pipeline of two stages and two micro-batches, traced by operation: its step as measured, and
// with a shorter first compute, as worked out by hand.

#include "core/analysis/replay/KernelGraph.h"
#include "core/analysis/replay/StepGraph.h"
#include "core/analysis/traces/PlantedTrace.h"
#include "core/model/SpanFacts.h"
#include "support/TestProgram.h"

using namespace trainscope::test;

namespace {

struct PlantedPipeline : PlantedTrace {
    // `isTransfer`: messages and collectives begin with the last of their parts.
    explicit PlantedPipeline(bool isTransfer) {
        process = kOperationProcess;
        run.launch.pipelineParallel = 2;
        compute(0, "forward-compute", {0, 10});
        compute(0, "backward-compute", {44, 74});
        compute(1, "forward-compute", {12, 42});
        compute(1, "backward-compute", {22, 52});
        message("forward", {10, isTransfer ? 22 : 20}, {isTransfer ? 10 : 0, 22}, {12, 24}, 0);
        message("backward", {42, 72}, {isTransfer ? 42 : 20, isTransfer ? 72 : 64}, {44, 74}, 1);
        add(0, "dp-comm", "optimizer-clip-main-grad", 94, 96, -1);
        add(1, "dp-comm", "optimizer-clip-main-grad", isTransfer ? 94 : 72, 96, -1);
        for (const int rank : {0, 1}) {
            add(rank, "compute", "optimizer", 96, 98, -1);
            iteration(rank, 3, 0, 98 * kMs);
        }
        gpus = {{0, 0, 0, {}, {}}, {1, 0, 1, {}, {}}};
    }

private:
    using Pair = std::array<int, 2>; // ms, by micro-batch

    void add(int rank, const std::string& stream, const std::string& name, int from, int to,
        int microBatch) {
        kernel(rank, stream, name, from * kMs, (to - from) * kMs, 0,
            R"({"step":3,"model_chunk":0,"mb_id":)" + std::to_string(microBatch) + "}");
    }
    void compute(int rank, const std::string& name, const Pair& from) {
        const int lasts = name == "forward-compute" ? 10 : 20;
        for (const int i : {0, 1})
            add(rank, "compute", name, from[static_cast<std::size_t>(i)],
                from[static_cast<std::size_t>(i)] + lasts, i);
    }
    // The second forward message is asked for once the first compute of the next stage is done.
    void message(const std::string& pass, const Pair& sent, const Pair& asked, const Pair& done,
        int sender) {
        for (const std::size_t i : {0U, 1U}) {
            add(sender, pass + "-send", pass + "-send", sent[i], done[i], -1);
            add(1 - sender, pass + "-recv", pass + "-recv", asked[i], done[i], -1);
        }
    }
};

} // namespace

class tst_OperationGraph : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void stepOfAPipeline_data() {
        QTest::addColumn<bool>("isTransfer");
        QTest::newRow("arrivals") << false;
        QTest::newRow("transfers alone") << true;
    }

    void stepOfAPipeline() {
        QFETCH(bool, isTransfer);
        PlantedPipeline planted(isTransfer);
        const store::Store store = planted.store();
        const Run run = store.runs().value().front();
        const analysis::RunStudy study(store, run);
        QVERIFY(analysis::isOfOperations(store.tracks(run.id).value()));
        const auto graph = analysis::operationGraph(study).value();
        QVERIFY(graph.isOfOperations);
        QCOMPARE(graph.operations.size(), std::size_t{20});
        QCOMPARE(graph.groups.size(), std::size_t{5}); // four messages, the norm of gradients
        QCOMPARE(graph.iterations.size(), std::size_t{1});
        QCOMPARE(graph.notes.size(), std::size_t{isTransfer ? 1U : 0U});
        QVERIFY(std::ranges::all_of(
            graph.operations, [](const auto& each) { return each.delay.ns >= 0; }));
        QCOMPARE(analysis::meanStepSeconds(graph, simulate(graph, measuredCosts(graph))),
            std::optional(0.098));
        // 5 ms less: the first message leaves at 5, stage 1 is done at 67, and stage 0 at 89.
        analysis::StepCosts costs = measuredCosts(graph);
        for (std::size_t i = 0; i < costs.duration.size(); ++i) {
            const analysis::StepOperation& each = graph.operations[i];
            if (graph.names[each.name] == "forward-compute" && each.start == graph.begin)
                costs.duration[i] = 5 * kMs;
        }
        QCOMPARE(analysis::meanStepSeconds(graph, simulate(graph, costs)), std::optional(0.093));
    }
};

TRAINSCOPE_TEST(tst_OperationGraph)
#include "tst_OperationGraph.moc"
