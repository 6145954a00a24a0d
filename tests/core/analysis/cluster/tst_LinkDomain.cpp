// Scale-up links that reach beyond a node: two racks of 18 trays with 4 GPUs, each rack one NVLink
// domain. Ranks 0 to 71 are in the first.

#include "core/analysis/cluster/ClusterDatabase.h"

#include "core/analysis/cluster/RunBytes.h"
#include "core/analysis/machine/RunLayout.h"
#include "core/analysis/machine/RunMachine.h"
#include "core/analysis/traces/CommunicatorPlaces.h"
#include "core/layout/Layout.h"
#include "core/layout/Traffic.h"
#include "core/store/Writing.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::test;
using layout::CommunicatorKind;

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
};

TRAINSCOPE_TEST(tst_LinkDomain)
#include "tst_LinkDomain.moc"
