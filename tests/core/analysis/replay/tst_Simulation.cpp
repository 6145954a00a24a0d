// A step graph is finished and simulated as its definitions say: against a solver that applies them
// until nothing changes, and against cases worked out by hand.

#include "core/analysis/replay/StepGraph.h"
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
            return QStringLiteral("operation %1: %2 to %3 rather than %4 to %5")
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

// Operations of a track each, from and to these times.
StepGraph ofTimes(const std::vector<std::pair<std::int64_t, std::int64_t>>& times) {
    StepGraph graph;
    graph.tracks.resize(1);
    for (const auto& [start, end] : times)
        graph.operations.push_back({{start}, {end - start}, {}});
    return graph;
}

std::vector<std::int64_t> durationsOf(const StepGraph& graph) {
    std::vector<std::int64_t> durations;
    for (const StepOperation& operation : graph.operations)
        durations.push_back(operation.duration.ns);
    return durations;
}

} // namespace

class tst_Simulation : public QObject {
    Q_OBJECT

private Q_SLOTS:
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

    // One kernel that overlaps its successor by less than times are rounded, one by more, one that
    // comes later than what it should hold; and a lag that is longer than the gap.
    void contradictingEdgesAreDroppedOrCut() {
        StepGraph graph
            = ofTimes({{0, 10'000}, {9'500, 20'000}, {15'000, 40'000}, {50'000, 60'000}});
        graph.edges = {{.from = 2, .to = 3, .lagNs = 11'000}, {.from = 0, .to = 1},
            {.from = 1, .to = 2}, {.from = 3, .to = 2}};
        finishGraph(graph);
        QCOMPARE(graph.edges.size(), std::size_t{2});
        QCOMPARE(graph.edgesTo(1).front().lagNs, -500);
        QCOMPARE(graph.edgesTo(3).front().lagNs, 10'000);
        QCOMPARE(graph.operations[3].delay.ns, std::int64_t{0});
        QCOMPARE(graph.operations[2].delay.ns, std::int64_t{15'000});
        QCOMPARE(simulate(graph, measuredCosts(graph)).start,
            (std::vector<std::int64_t>{0, 9'500, 15'000, 50'000}));
    }

    // The last part comes at 20; the first had ended before.
    void partsThatEndedBeforeTheLastBeganLeaveTheirGroup() {
        StepGraph graph = ofTimes({{0, 15}, {5, 50}, {20, 48}});
        graph.members = {0, 1, 2};
        graph.groups = {{0, 3, 0}};
        for (StepOperation& operation : graph.operations)
            operation.group = 0;
        finishGraph(graph);
        QCOMPARE(graph.groups[0].count, 2U);
        QCOMPARE(graph.operations[0].group, kNone32);
        QCOMPARE(durationsOf(graph), (std::vector<std::int64_t>{15, 30, 28}));
    }

    // A call waits from 10 to 62 for a kernel that begins later and ends at 60, a second one for
    // the first call and itself for 3; what begins as they end is behind them in order.
    // The host marks the end of a step at 100; its work ends 30 later, and would at 60 if the host
    // were free. Marks of a host as it was stay.
    void stepsOfAFasterHostLastAsLongAsTheirWork() {
        StepBoundary end{.operation = 0, .offsetNs = 100, .isOfHost = true};
        end.work = 1;
        end.workLagNs = 30;
        StepTimes times{{0, 20}, {0, 60}};
        QCOMPARE(momentOf(times, end), 100);
        times.hostEdges = 0.0;
        QCOMPARE(momentOf(times, end), 30);
        times.hostEdges = 0.5;
        QCOMPARE(momentOf(times, end), 50);
    }

    void callsThatWaitTakeWhatIsLeft() {
        StepGraph graph = ofTimes({{65, 70}, {5, 65}, {10, 62}, {20, 60}, {20, 20}});
        graph.edges = {{.from = 3, .to = 2, .toEnd = true}, {.from = 2, .to = 1, .toEnd = true},
            {.from = 1, .to = 0}, {.from = 4, .to = 3}};
        finishGraph(graph);
        QCOMPARE(durationsOf(graph), (std::vector<std::int64_t>{3, 2, 0, 40, 5}));
        StepCosts costs = measuredCosts(graph);
        costs.duration[3] = 10;
        const StepTimes times = simulate(graph, costs);
        QCOMPARE(times.end, (std::vector<std::int64_t>{35, 32, 20, 30, 40}));
    }
};

TRAINSCOPE_TEST(tst_Simulation)
#include "tst_Simulation.moc"
