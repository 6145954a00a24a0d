// Scale-up links that reach beyond a node: two racks of 18 trays with 4 GPUs, each rack one NVLink
// domain. Ranks 0 to 71 are in the first.

#include "core/analysis/cluster/ClusterDatabase.h"
#include "core/analysis/cluster/RankValues.h"
#include "core/analysis/cluster/RunBytes.h"
#include "core/analysis/machine/RunLayout.h"
#include "core/analysis/traces/CommunicatorPlaces.h"
#include "core/layout/Layout.h"
#include "core/layout/Traffic.h"
#include "core/store/Writing.h"
#include "support/TestProgram.h"

using namespace trainscope::analysis;
using namespace trainscope::test;
using layout::CommunicatorKind;
using test::atSecond;
using test::ClusterDatabase;
using test::PlantedCluster;

namespace {

constexpr int kRanks = 144;

PlantedCluster planted() {
    PlantedCluster cluster;
    cluster.gpus = kRanks;
    cluster.perNode = 4;
    cluster.run.gpuModel = "NVIDIA GB200";
    cluster.run.launch.nodes = 36;
    cluster.run.launch.gpusPerNode = 4;
    cluster.run.launch.tensorParallel = 8;
    cluster.run.launch.pipelineParallel = 9;
    cluster.run.launch.layers = 18;
    return cluster;
}

void say(ClusterDatabase& database, int domain) {
    layout::MachineFacts facts;
    facts.linkDomain = domain;
    QVERIFY(store::setMachine(database.store(), database.run().id, layout::machineToJson(facts))
                .hasValue());
}

// Each domain as one node.
layout::Layout layoutOf(ClusterDatabase& database) {
    const auto fitting = analysis::fittingLayout({database.store(), database.run()}).value();
    const auto domain = analysis::linkDomainOf({database.store(), database.run()}).value();
    return analysis::domainsAsNodes(fitting->layout, domain);
}

bool areJoined(ClusterDatabase& database, const std::vector<int>& ranks) {
    const auto joined = analysis::domainsAsNodes({database.store(), database.run()}).value();
    return analysis::CommunicatorPlaces(joined.run, joined.gpus).linkOf(ranks)
        == analysis::LinkClass::ScaleUp;
}

layout::LinkClass linkOf(const layout::Layout& layout, int rank, CommunicatorKind kind) {
    for (const auto& group : communicatorsOf(layout, rank)) {
        if (group.kind == kind)
            return group.link;
    }
    return layout::LinkClass::None;
}

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

Subject gpu(int rank) {
    return {SubjectKind::Gpu, rank, -1, {}};
}

// Rank 0 rises from 50 by one a second for ten seconds, rank 2 is constant and misses second 4.
PlantedCluster warm() {
    PlantedCluster planted;
    planted.gpus = 3;
    planted.series.push_back({"gpu_temperature", gpu(0), {50, 51, 52, 53, 54, 55, 56, 57, 58, 59}});
    planted.series.push_back(
        {"gpu_temperature", gpu(2), {70, 70, 70, 70, kMissing, 70, 70, 70, 70, 80}});
    planted.series.push_back({"nvlink_tx", gpu(1), {0, 10, 20, 30, 40, 50, 150, 250, 350, 450}});
    return planted;
}

} // namespace

class tst_LinkDomain : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theCatalogueKnowsIt() {
        ClusterDatabase database(planted());
        QCOMPARE(
            analysis::linkDomainOf({database.store(), database.run()}).value().value_or(0), 72);
        const auto cluster
            = analysis::clusterOf({database.store(), database.run()}, nullptr).value();
        QCOMPARE(cluster.nodesPerDomain, 18);
        QCOMPARE(cluster.scaleUp.bandwidth.value_or(0.0), 900e9);
        QCOMPARE(layoutOf(database).nodes, 2);
    }

    void groupsFollow() {
        ClusterDatabase database(planted());
        const auto layout = layoutOf(database);
        // Two trays each, of one rack.
        QVERIFY(reachOf(layout, CommunicatorKind::Tensor).link() == layout::LinkClass::ScaleUp);
        // DP 2 joins r and r + 8: 0 with 8 in one rack, 64 with 72 over both.
        QVERIFY(linkOf(layout, 0, CommunicatorKind::Data) == layout::LinkClass::ScaleUp);
        QVERIFY(linkOf(layout, 64, CommunicatorKind::Data) == layout::LinkClass::ScaleOut);
        QVERIFY(reachOf(layout, CommunicatorKind::Data).link() == layout::LinkClass::ScaleOut);
        QVERIFY(linkOf(layout, 0, CommunicatorKind::Pipeline) == layout::LinkClass::ScaleOut);
    }

    void bytesFollow() {
        ClusterDatabase database(planted());
        const auto layout
            = analysis::fittingLayout({database.store(), database.run()}).value()->layout;
        layout::EdgeSums sums(layout, 18);
        sums.add(3, "tp", 10.0); // to rank 4, the next tray
        sums.add(64, "dp", 7.0); // to rank 72, the other rack
        QCOMPARE(sums.nodes()[0].inside, 10.0);
        QCOMPARE(sums.nodes()[0].outside, 0.0);
        QCOMPARE(sums.nodes()[16].inside, 0.0);
        QCOMPARE(sums.nodes()[16].outside, 7.0);
        QCOMPARE(sums.edges().size(), std::size_t{2}); // between trays as before
    }

    // A rank's groups in the inspector follow the domain.
    void groupsOfTheRunFollow() {
        auto cluster = planted();
        auto& launch = cluster.run.launch;
        launch.hiddenSize = 64;
        launch.attentionHeads = 4;
        launch.vocabulary = 128;
        launch.sequenceLength = 16;
        launch.microBatch = 1;
        launch.globalBatch = 8;
        ClusterDatabase database(cluster);
        const auto layout
            = analysis::fittingLayout({database.store(), database.run()}).value()->layout;
        const auto bytes = analysis::runBytes({database.store(), database.run()}, layout).value();
        const auto linkOfRank = [&](std::size_t rank, const char* group) {
            for (const auto& one : bytes.ranks[rank]) {
                if (one.group == group)
                    return one.link;
            }
            return layout::LinkClass::None;
        };
        QVERIFY(linkOfRank(0, "tp") == layout::LinkClass::ScaleUp);
        QVERIFY(linkOfRank(0, "dp_cp") == layout::LinkClass::ScaleUp);
        QVERIFY(linkOfRank(64, "dp_cp") == layout::LinkClass::ScaleOut);
        // Node 1 passes on to its rack alone; node 16 to the other one as well.
        QVERIFY(*bytes.nodes[0].scaleUp.computed > 0.0);
        QCOMPARE(bytes.nodes[0].scaleOut.computed.value_or(-1.0), 0.0);
        QVERIFY(*bytes.nodes[16].scaleOut.computed > 0.0);
    }

    // Groups by which the causes of a verdict and the bandwidths of collectives go.
    void tracedGroupsFollow() {
        ClusterDatabase database(planted());
        QVERIFY(areJoined(database, {0, 3}));
        QVERIFY(areJoined(database, {0, 71}));
        QVERIFY(!areJoined(database, {71, 72}));
        say(database, 4);
        QVERIFY(areJoined(database, {0, 3}));
        QVERIFY(!areJoined(database, {0, 4}));
    }

    void whatIsSaidGoesBefore() {
        ClusterDatabase database(planted());
        say(database, 144);
        QCOMPARE(layoutOf(database).nodes, 1);
        QVERIFY(linkOf(layoutOf(database), 0, CommunicatorKind::Pipeline)
            == layout::LinkClass::ScaleUp);
        say(database, 4);
        QVERIFY(
            linkOf(layoutOf(database), 0, CommunicatorKind::Tensor) == layout::LinkClass::ScaleOut);
    }

    void brokenNodesAreNoDomain() {
        ClusterDatabase database(planted());
        for (const int domain : {73, 2, 0, -4}) {
            say(database, domain);
            QCOMPARE(layoutOf(database).nodes, 36);
            QVERIFY(!areJoined(database, {0, 4}));
        }
    }

    void othersEndAtTheNode() {
        auto cluster = planted();
        cluster.run.gpuModel = "NVIDIA B200";
        ClusterDatabase database(cluster);
        QVERIFY(!analysis::linkDomainOf({database.store(), database.run()}).value());
        QCOMPARE(layoutOf(database).nodes, 36);
    }

    // Values of all ranks at moments: held, missing, rates of counters, and frames for playback.
    void valuesHoldUntilTheNextSample() {
        ClusterDatabase database(warm());
        const auto series
            = RankSeries::open({database.store(), database.run()}, "gpu_temperature").value();
        QCOMPARE(series.ranks(), 3);
        auto values = series.at(database.store(), atSecond(3.9)).value();
        QCOMPARE(values, (RankValues{53.0, std::nullopt, 70.0}));
        values = series.at(database.store(), atSecond(4.5)).value();
        QCOMPARE(values, (RankValues{54.0, std::nullopt, std::nullopt}));
        // The last sample for a period, a second.
        values = series.at(database.store(), atSecond(9.9)).value();
        QCOMPARE(values, (RankValues{59.0, std::nullopt, 80.0}));
        // Neither before the recording nor after it.
        values = series.at(database.store(), atSecond(-1.0)).value();
        QCOMPARE(values, (RankValues{std::nullopt, std::nullopt, std::nullopt}));
        values = series.at(database.store(), atSecond(20.0)).value();
        QCOMPARE(values, (RankValues{std::nullopt, std::nullopt, std::nullopt}));
    }

    void boundsAreThoseOfTheRun() {
        ClusterDatabase database(warm());
        const auto bounds = RankSeries::open({database.store(), database.run()}, "gpu_temperature")
                                .value()
                                .bounds(database.store())
                                .value();
        QCOMPARE(bounds->low, 50.0);
        QCOMPARE(bounds->high, 80.0);
    }

    // 10 B/s for five seconds, then 100.
    void countersGiveRates() {
        ClusterDatabase database(warm());
        const auto series
            = RankSeries::open({database.store(), database.run()}, "nvlink_tx").value();
        QCOMPARE(series.ranks(), 2);
        QCOMPARE(series.at(database.store(), atSecond(2.5)).value()[1].value_or(0.0), 10.0);
        QCOMPARE(series.at(database.store(), atSecond(7.5)).value()[1].value_or(0.0), 100.0);
        QCOMPARE(series.at(database.store(), atSecond(9.5)).value()[1].value_or(0.0), 100.0);
        const auto bounds = series.bounds(database.store()).value();
        QCOMPARE(bounds->low, 10.0);
        QCOMPARE(bounds->high, 100.0);
    }

    void framesAreMeansOfTheirParts() {
        ClusterDatabase database(warm());
        const auto series
            = RankSeries::open({database.store(), database.run()}, "gpu_temperature").value();
        const auto frames = series.frames(database.store(), {atSecond(0), atSecond(8)}, 4).value();
        QCOMPARE(frames.count, 4);
        QCOMPARE(frames.ranks, 3);
        QCOMPARE(frames.at(0), (RankValues{50.5, std::nullopt, 70.0}));
        QCOMPARE(frames.at(3), (RankValues{56.5, std::nullopt, 70.0}));
        QCOMPARE(frames.frameAt(atSecond(0)), 0);
        QCOMPARE(frames.frameAt(atSecond(3.9)), 1);
        QCOMPARE(frames.frameAt(atSecond(4)), 2);
        QCOMPARE(frames.frameAt(atSecond(-5)), 0);
        QCOMPARE(frames.frameAt(atSecond(99)), 3);
    }

    // Frames of one sample each are what is held at that moment.
    void framesAgreeWithMoments() {
        std::mt19937 random(3);
        PlantedCluster planted;
        planted.gpus = 16;
        for (int rank = 0; rank < 16; ++rank) {
            std::vector<double> values;
            for (int i = 0; i < 200; ++i)
                values.push_back(std::uniform_int_distribution<int>(30, 95)(random));
            planted.series.push_back({"gpu_temperature", gpu(rank), values});
        }
        ClusterDatabase database(planted);
        const auto series
            = RankSeries::open({database.store(), database.run()}, "gpu_temperature").value();
        const auto frames
            = series.frames(database.store(), {atSecond(20), atSecond(120)}, 100).value();
        for (int frame = 0; frame < 100; frame += 7) {
            const auto at = series.at(database.store(), atSecond(20.5 + frame)).value();
            QCOMPARE(frames.at(frame), at);
        }
    }

    void whatThereIsNot() {
        ClusterDatabase database(warm());
        const auto none = RankSeries::open({database.store(), database.run()}, "fan_speed");
        QVERIFY(!none.hasValue() && none.error().code == ErrorCode::NotFound);
        VERIFY_SAYS(none.error().message, "gpu_temperature, nvlink_tx");
    }

    void canBeStopped() {
        ClusterDatabase database(warm());
        const auto series
            = RankSeries::open({database.store(), database.run()}, "gpu_temperature").value();
        const auto frames = series.frames(database.store(), {atSecond(0), atSecond(8)}, 4,
            [](const ProgressState&) { return false; });
        QVERIFY(!frames.hasValue() && frames.error().code == ErrorCode::Cancelled);
    }
};

TRAINSCOPE_TEST(tst_LinkDomain)
#include "tst_LinkDomain.moc"
