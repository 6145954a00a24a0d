// The critical path tiles the step and holds what it holds up; gains and slack are those of brute
// force on planted graphs, and of cases worked out by hand.

#include "core/analysis/replay/StepAnalyses.h"
#include "support/PlantedGraph.h"
#include "support/TestProgram.h"

using namespace trainscope::analysis;
using trainscope::test::PlantedGraph;
using trainscope::test::PlantedTimes;
using trainscope::test::randomPlantedGraph;

namespace {

// Planted, as a graph, simulated as measured.
struct Simulated {
    explicit Simulated(PlantedGraph made, std::uint64_t seed = 0)
        : planted(std::move(made))
        , graph(planted.graph(seed))
        , costs(measuredCosts(graph))
        , times(simulate(graph, costs))
        , number(graph.operations.size()) {
        for (std::uint32_t i = 0; i < number.size(); ++i)
            number[planted.place(i)] = i;
    }

    PlantedGraph planted;
    StepGraph graph;
    StepCosts costs;
    StepTimes times;
    std::vector<std::uint32_t> number; // as added, by place
};

std::int64_t middleOf(std::vector<std::int64_t> moments) {
    std::ranges::sort(moments);
    return moments[(moments.size() - 1) / 2];
}
std::int64_t endOf(const StepIteration& iteration, const PlantedTimes& times) {
    std::vector<std::int64_t> ends;
    for (const StepBoundary& end : iteration.ends)
        ends.push_back(times.end[end.operation]);
    return middleOf(ends);
}
double stepSeconds(const PlantedGraph& planted) {
    const PlantedTimes times = planted.solve();
    std::int64_t ns = 0;
    for (const StepIteration& iteration : planted.iterations) {
        std::vector<std::int64_t> begins;
        for (const StepBoundary& begin : iteration.begins)
            begins.push_back(times.start[begin.operation]);
        ns += endOf(iteration, times) - middleOf(begins);
    }
    return static_cast<double>(ns) * 1e-9 / static_cast<double>(planted.iterations.size());
}

// True: a rank that ended an iteration in time ends behind what its end was.
bool endsLater(const PlantedGraph& planted, const PlantedTimes& before, const PlantedTimes& after) {
    return std::ranges::any_of(planted.iterations, [&](const StepIteration& iteration) {
        const std::int64_t last = endOf(iteration, before);
        return std::ranges::any_of(iteration.ends, [&](const StepBoundary& end) {
            return before.end[end.operation] <= last && after.end[end.operation] > last;
        });
    });
}

// The planted graph without what a row of the top stands for.
PlantedGraph without(const PlantedGraph& planted, const PathRow& row) {
    PlantedGraph changed = planted;
    for (std::uint32_t i = 0; i < planted.operations.size(); ++i) {
        const auto& operation = planted.operations[i];
        const std::string category
            = operation.kind == OperationKind::HostCall ? "host" : operation.category;
        if (operation.name != row.name || planted.rankOf(i) != row.rank)
            continue;
        if (category == row.category) {
            changed.operations[i].durationNs = 0;
            for (const auto& group : planted.groups) {
                if (std::ranges::find(group, i) == group.end())
                    continue;
                for (const std::uint32_t part : group)
                    changed.operations[part].durationNs = 0;
            }
        }
        if ((row.category == "delay" && category != "host")
            || (row.category == "host" && category == "host")) {
            changed.operations[i].delayNs = 0;
            for (StepEdge& edge : changed.edges)
                edge.lagNs = edge.to == i && !edge.toEnd ? 0 : edge.lagNs;
        }
    }
    return changed;
}

template <typename Key>
double sumOf(const std::map<Key, double>& parts) {
    return std::accumulate(parts.begin(), parts.end(), 0.0,
        [](double sum, const auto& part) { return sum + part.second; });
}
bool isClose(double a, double b) {
    return std::abs(a - b) < 1e-15;
}
template <typename Key>
bool areNear(const std::map<Key, double>& a, const std::map<Key, double>& b) {
    return std::ranges::equal(a, b, [](const auto& one, const auto& other) {
        return one.first == other.first && isClose(one.second, other.second);
    });
}

// Two ranks, each a call, a product and a part of a collective:
//   rank 0: call 3 to 8, product 5 to 45, part 46 to 72 (10 from 62 on)
//   rank 1: call 0 to 5, product 2 to 62, part 62 to 74 (12 from 62 on)
PlantedGraph twoRanks() {
    PlantedGraph planted;
    std::vector<std::uint32_t> calls;
    std::vector<std::uint32_t> parts;
    for (const int rank : {0, 1}) {
        const bool isFirst = rank == 0;
        const auto host = planted.track(rank);
        const auto stream = planted.track(rank, rank);
        calls.push_back(planted.add({.track = host,
            .name = "launch",
            .kind = OperationKind::HostCall,
            .durationNs = 5,
            .delayNs = isFirst ? 3 : 0,
            .category = "host"}));
        const auto product = planted.add({.track = stream,
            .durationNs = isFirst ? 40 : 60,
            .phase = Phase::Forward,
            .operatorName = "aten::mm"});
        parts.push_back(planted.add({.track = stream,
            .name = "all_reduce",
            .kind = OperationKind::Collective,
            .durationNs = isFirst ? 10 : 12,
            .delayNs = isFirst ? 1 : 0,
            .category = "communication",
            .phase = Phase::CommunicationExposed}));
        planted.edges.push_back({.from = calls.back(),
            .to = product,
            .lagNs = 2,
            .kind = EdgeKind::Launch,
            .fromStart = true});
        planted.edges.push_back({.from = product, .to = parts.back()});
    }
    planted.groups.push_back(parts);
    planted.iteration(calls, parts);
    return planted;
}

} // namespace

class tst_CriticalPath : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void pathByHand() {
        const Simulated two(twoRanks());
        const CriticalPath path = criticalPath(two.graph, two.times, two.costs);
        QCOMPARE(path.seconds, 72e-9);
        QCOMPARE(path.pieces.size(), std::size_t{3});
        QCOMPARE(path.pieces[0].isDelay, true);
        QCOMPARE(path.pieces[1].when.begin, PlantedGraph::kBegin + DurationNs{2});
        QCOMPARE(path.pieces[2].operation, two.planted.place(2));
        QVERIFY(areNear(path.byRank, {{0, 10e-9}, {1, 62e-9}}));
        QVERIFY(
            areNear(path.byCategory, {{"communication", 10e-9}, {"delay", 2e-9}, {"gemm", 60e-9}}));
        QCOMPARE(path.byPhase.at("forward"), 60e-9);
        QCOMPARE(path.byOperator.at("aten::mm"), 60e-9);
        QCOMPARE(path.hostS, 0.0);
        QCOMPARE(path.exposedOnPathS, 10e-9);
        QCOMPARE(path.top.size(), std::size_t{3});
        QCOMPARE(path.top[0].name, std::string("gemm"));
        QCOMPARE(path.top[0].rank, 1);
        QVERIFY(isClose(*path.top[0].gainS, 16e-9)); // rank 0 comes at 46
        QVERIFY(isClose(*path.top[1].gainS, 10e-9));
        QVERIFY(isClose(*path.top[2].gainS, 2e-9));
        QVERIFY(!criticalPath(two.graph, two.times, two.costs, 1).top[1].gainS);
        QVERIFY(criticalPath(two.graph, two.times, two.costs, 0).off.empty());
        QCOMPARE(path.off.size(), std::size_t{1}); // nothing waits for rank 1's collective
        QCOMPARE(path.off[0].name, std::string("gemm"));
        QCOMPARE(path.off[0].rank, 0);
        QVERIFY(isClose(path.off[0].seconds, 40e-9));
        QVERIFY(isClose(*path.off[0].slackS, 16e-9)); // as slackByHand
    }

    void slackByHand() {
        const Simulated two(twoRanks());
        const auto slack = slackOf(two.graph, two.times, two.costs);
        const auto of = [&](std::uint32_t i) { return slack[two.planted.place(i)]; };
        QCOMPARE(of(0), kAnySlack); // nothing waits for the end of a launch
        QCOMPARE(of(1), std::int64_t{16}); // from 45 to 61, a delay of 1 before 62
        QCOMPARE(of(2), std::int64_t{0});
        QCOMPARE(of(4), std::int64_t{0});
        QCOMPARE(of(5), kAnySlack); // ends behind the rank in the middle
    }

    void piecesTileTheStep() {
        for (std::uint64_t seed = 1; seed <= 300; ++seed) {
            const Simulated one(randomPlantedGraph(seed), seed);
            const CriticalPath path = criticalPath(one.graph, one.times, one.costs, 0);
            QVERIFY(isClose(path.seconds, stepSeconds(one.planted)));
            DurationNs length;
            for (std::size_t i = 0; i < path.pieces.size(); ++i) {
                const PathPiece& piece = path.pieces[i];
                length = length + piece.when.length();
                if (i > 0 && path.pieces[i - 1].iteration == piece.iteration)
                    QCOMPARE(path.pieces[i - 1].when.end, piece.when.begin);
            }
            QVERIFY(isClose(length.seconds() / 2.0, path.seconds));
            QVERIFY(isClose(sumOf(path.byCategory), path.seconds));
            QVERIFY(isClose(sumOf(path.byRank), path.seconds));
            QVERIFY(isClose(sumOf(path.byPhase), path.seconds));
        }
    }

    void longerPiecesLengthenTheStep() {
        for (std::uint64_t seed = 1; seed <= 60; ++seed) {
            const Simulated one(randomPlantedGraph(seed), seed);
            const PlantedTimes before = one.planted.solve();
            for (const PathPiece& piece : criticalPath(one.graph, one.times, one.costs, 0).pieces) {
                PlantedGraph longer = one.planted;
                auto& operation = longer.operations[one.number[piece.operation]];
                (piece.isDelay ? operation.delayNs : operation.durationNs) += 5;
                const StepIteration& its
                    = one.graph.iterations[static_cast<std::size_t>(piece.iteration)];
                const std::uint32_t last
                    = one.number[trainscope::analysis::middleOf(one.times, its.ends).operation];
                QCOMPARE(longer.solve().end[last], before.end[last] + 5);
            }
        }
    }

    void gainsAreWhatTheNextPathLeaves() {
        for (std::uint64_t seed = 1; seed <= 60; ++seed) {
            const Simulated one(randomPlantedGraph(seed), seed);
            const CriticalPath path = criticalPath(one.graph, one.times, one.costs);
            for (const PathRow& row : path.top) {
                if (row.gainS)
                    QVERIFY(
                        isClose(*row.gainS, path.seconds - stepSeconds(without(one.planted, row))));
            }
        }
    }

    void slackIsTheMostThatMovesNoEnd() {
        for (std::uint64_t seed = 1; seed <= 60; ++seed) {
            const Simulated one(randomPlantedGraph(seed), seed);
            const PlantedTimes before = one.planted.solve();
            const auto slack = slackOf(one.graph, one.times, one.costs);
            for (std::uint32_t i = 0; i < slack.size(); ++i) {
                const bool isAny = slack[one.planted.place(i)] == kAnySlack;
                PlantedGraph longer = one.planted;
                longer.operations[i].durationNs += isAny ? 1'000'000 : slack[one.planted.place(i)];
                QVERIFY(!endsLater(one.planted, before, longer.solve()));
                longer.operations[i].durationNs += 1;
                QCOMPARE(endsLater(one.planted, before, longer.solve()), !isAny);
            }
        }
    }
};

TRAINSCOPE_TEST(tst_CriticalPath)
#include "tst_CriticalPath.moc"
