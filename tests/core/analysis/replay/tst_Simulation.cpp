// A step graph is finished and simulated as its definitions say: against a solver that applies them
// until nothing changes, and against cases worked out by hand.

#include "core/analysis/replay/Simulation.h"
#include "support/PlantedGraph.h"
#include "support/TestProgram.h"

using namespace trainscope::analysis;
using trainscope::test::PlantedGraph;
using trainscope::test::PlantedTimes;
using trainscope::test::randomPlantedGraph;

namespace {

// Empty where the times are those that the planted graph has.
QString differenceOf(
    const PlantedGraph& planted, const PlantedTimes& expected, const StepTimes& times) {
    for (std::uint32_t i = 0; i < planted.operations.size(); ++i) {
        const std::uint32_t at = planted.place(i);
        if (times.start[at] != expected.start[i] || times.end[at] != expected.end[i])
            return QString("operation %1: %2 to %3 rather than %4 to %5")
                .arg(i)
                .arg(times.start[at])
                .arg(times.end[at])
                .arg(expected.start[i])
                .arg(expected.end[i]);
    }
    return {};
}

// Other durations, delays and lags, in the planted graph and in the costs alike.
void changeAll(
    PlantedGraph& planted, const StepGraph& graph, StepCosts& costs, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    for (std::uint32_t i = 0; i < planted.operations.size(); ++i) {
        auto& operation = planted.operations[i];
        operation.durationNs = static_cast<std::int64_t>(random() % 90);
        operation.delayNs = static_cast<std::int64_t>(random() % 9);
        costs.duration[planted.place(i)] = operation.durationNs;
        costs.delay[planted.place(i)] = operation.delayNs;
    }
    for (StepEdge& edge : planted.edges) {
        const std::uint32_t to = planted.place(edge.to);
        for (std::uint32_t e = graph.firstEdge[to]; e < graph.firstEdge[to + 1]; ++e) {
            const StepEdge& same = graph.edges[e];
            if (same.from == planted.place(edge.from) && same.kind == edge.kind)
                costs.lag[e] = edge.lagNs = static_cast<std::int32_t>(random() % 7);
        }
    }
}

} // namespace

class tst_Simulation : public QObject {
    Q_OBJECT

private slots:
    void measuredCostsGiveMeasuredTimes() {
        for (std::uint64_t seed = 1; seed <= 400; ++seed) {
            PlantedGraph planted = randomPlantedGraph(seed);
            const StepGraph graph = planted.graph(seed);
            QCOMPARE(graph.edges.size(), planted.edges.size());
            const StepTimes times = simulate(graph, measuredCosts(graph));
            QCOMPARE(differenceOf(planted, planted.solve(), times), QString());
            for (std::size_t i = 0; i < graph.operations.size(); ++i)
                QCOMPARE(times.start[i], (graph.operations[i].start - graph.begin).ns);
            for (const StepIteration& iteration : graph.iterations)
                QCOMPARE(iterationSeconds(times, iteration),
                    iteration.measured.range.length().seconds());
        }
    }

    void changedCostsAgreeWithBruteForce() {
        for (std::uint64_t seed = 1; seed <= 400; ++seed) {
            PlantedGraph planted = randomPlantedGraph(seed);
            const StepGraph graph = planted.graph(seed);
            StepCosts costs = measuredCosts(graph);
            changeAll(planted, graph, costs, seed);
            QCOMPARE(differenceOf(planted, planted.solve(), simulate(graph, costs)), QString());
        }
    }

    void droppedEdgesHoldNothing() {
        for (std::uint64_t seed = 1; seed <= 200; ++seed) {
            PlantedGraph planted = randomPlantedGraph(seed);
            const StepGraph graph = planted.graph(seed);
            StepCosts costs = measuredCosts(graph);
            costs.isDropped.resize(graph.edges.size());
            for (std::size_t e = 0; e < graph.edges.size(); ++e)
                costs.isDropped[e] = graph.edges[e].kind == EdgeKind::Event;
            std::erase_if(
                planted.edges, [](const StepEdge& edge) { return edge.kind == EdgeKind::Event; });
            QCOMPARE(differenceOf(planted, planted.solve(), simulate(graph, costs)), QString());
        }
    }
};

TRAINSCOPE_TEST(tst_Simulation)
#include "tst_Simulation.moc"
