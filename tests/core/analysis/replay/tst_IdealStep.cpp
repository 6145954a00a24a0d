// The ideal step and slowdowns of ranks, stages and kinds, worked out by hand.

#include "core/analysis/replay/StepAnalyses.h"
#include "support/PlantedGraph.h"
#include "support/TestProgram.h"

using namespace trainscope::analysis;
using trainscope::test::PlantedGraph;

namespace {

// Two ranks, stages 0 and 1, an operation-level trace: forward takes 10 and 30, then a message that
// takes 4 and 6 once both have come; each with a delay of 7 that counts nowhere.
PlantedGraph twoStages() {
    PlantedGraph planted;
    std::vector<std::uint32_t> forwards;
    std::vector<std::uint32_t> messages;
    for (const int rank : {0, 1}) {
        const auto track = planted.track(rank, 0, rank);
        forwards.push_back(planted.add({.track = track,
            .name = "forward-compute",
            .durationNs = rank == 0 ? 10 : 30,
            .delayNs = 7}));
        messages.push_back(planted.add({.track = track,
            .name = rank == 0 ? "forward-send" : "forward-recv",
            .kind = OperationKind::Message,
            .durationNs = rank == 0 ? 4 : 6,
            .delayNs = 7}));
        planted.edges.push_back({.from = forwards.back(), .to = messages.back()});
    }
    planted.groups.push_back(messages);
    planted.iteration(forwards, messages);
    return planted;
}

// Kernels one after the other on a stream of each rank, in iterations 0 and 1.
PlantedGraph kernels(const std::vector<std::vector<std::int64_t>>& byRank, int iteration) {
    PlantedGraph planted;
    for (std::size_t rank = 0; rank < byRank.size(); ++rank) {
        const auto track = planted.track(static_cast<int>(rank), 0);
        for (const std::int64_t ns : byRank[rank]) {
            const auto made
                = planted.add({.track = track, .durationNs = ns, .iteration = iteration});
            if (ns != byRank[rank].front())
                planted.edges.push_back({.from = made - 1, .to = made});
        }
    }
    planted.iteration({0}, {0});
    planted.iteration({0}, {0}, false);
    return planted;
}

std::vector<std::int64_t> usualOf(PlantedGraph planted) {
    const StepGraph graph = planted.graph();
    const auto usual = usualDurations(graph);
    std::vector<std::int64_t> asAdded;
    for (std::uint32_t i = 0; i < usual.size(); ++i)
        asAdded.push_back(usual[planted.place(i)]);
    return asAdded;
}

} // namespace

class tst_IdealStep : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Usual are 20 of forwards, 4 of the send and 6 of the receive: 24 for the rank in the middle.
    void slowdownsByHand() {
        PlantedGraph planted = twoStages();
        StepGraph graph = planted.graph();
        graph.isOfOperations = true;
        const auto ideal = idealStep(graph);
        QVERIFY(ideal);
        QCOMPARE(ideal->seconds, 24e-9);
        const double slow = ideal->slowdown;
        QCOMPARE(slow, 34.0 / 24.0);
        const std::map<int, double> byRank{{0, 1.0}, {1, slow}};
        QCOMPARE(ideal->by.rank, byRank);
        QCOMPARE(ideal->by.stage, byRank);
        QCOMPARE(ideal->by.kind,
            (std::map<std::string, double>{{"forward-compute", slow}, {"forward-pp-comm", 1.0}}));
    }

    // Parts of one collective take 4, 6 and 20: usually 6, not 10.
    void transfersTakeTheMedian() {
        PlantedGraph planted;
        std::vector<std::uint32_t> parts;
        for (const int rank : {0, 1, 2})
            parts.push_back(planted.add({.track = planted.track(rank, 0),
                .name = "all_reduce",
                .kind = OperationKind::Collective,
                .durationNs = rank == 0 ? 4
                    : rank == 1         ? 6
                                        : 20,
                .category = "communication"}));
        planted.groups.push_back(parts);
        planted.iteration(parts, parts);
        const auto ideal = idealStep(planted.graph());
        QCOMPARE(usualOf(planted), (std::vector<std::int64_t>{6, 6, 6}));
        QCOMPARE(ideal->seconds, 6e-9);
        QCOMPARE(ideal->by.kind.at("communication"), 1.0);
        QCOMPARE(ideal->by.rank, (std::map<int, double>{{0, 1.0}, {1, 1.0}, {2, 1.0}}));
    }

    void kernelsAreAlikeByPlace() {
        QCOMPARE(
            usualOf(kernels({{10, 20}, {30, 40}}, 0)), (std::vector<std::int64_t>{20, 30, 20, 30}));
        // Rank 2 alone has three: they are alike among themselves.
        QCOMPARE(usualOf(kernels({{10, 20}, {30, 40}, {1, 2, 6}}, 0)),
            (std::vector<std::int64_t>{20, 30, 20, 30, 3, 3, 3}));
    }

    // The hosts of three ranks work 30, 50 and 90 before each launches its part of a collective
    // kernel of 10: usually 50, so that the step takes 60. Rank 2 alone makes it slower.
    void hostTimeBeforeCallsIsUsuallyTheMedian() {
        PlantedGraph planted;
        std::vector<std::uint32_t> begins;
        std::vector<std::uint32_t> kernels;
        for (const int rank : {0, 1, 2}) {
            const auto host = planted.track(rank);
            begins.push_back(planted.add({.track = host,
                .name = "begin",
                .kind = OperationKind::HostCall,
                .category = "host"}));
            const auto call = planted.add({.track = host,
                .name = "launch",
                .kind = OperationKind::HostCall,
                .delayNs = rank == 0 ? 30
                    : rank == 1      ? 50
                                     : 90,
                .category = "host"});
            kernels.push_back(planted.add({.track = planted.track(rank, 0), .durationNs = 10}));
            planted.edges.push_back({.from = begins.back(), .to = call, .kind = EdgeKind::Thread});
            planted.edges.push_back({.from = call, .to = kernels.back()});
        }
        planted.groups.push_back(kernels); // all end with the last: 100
        planted.iteration(begins, kernels);
        const auto ideal = idealStep(planted.graph());
        QVERIFY(ideal);
        QCOMPARE(ideal->seconds, 60e-9);
        const double slow = ideal->slowdown;
        QVERIFY(std::abs(slow - 100.0 / 60.0) < 1e-9);
        const std::map<int, double> byRank{{0, 1.0}, {1, 1.0}, {2, slow}};
        QCOMPARE(ideal->by.rank, byRank);
    }

    void iterationsThatDoNotCountKeepTheirTimes() {
        QCOMPARE(
            usualOf(kernels({{10, 20}, {30, 40}}, 1)), (std::vector<std::int64_t>{10, 20, 30, 40}));
    }

    void nothingIsIdealWithoutIterations() {
        PlantedGraph planted;
        planted.add({.track = planted.track(0, 0), .durationNs = 5});
        QVERIFY(!idealStep(planted.graph()));
    }
};

TRAINSCOPE_TEST(tst_IdealStep)
#include "tst_IdealStep.moc"
