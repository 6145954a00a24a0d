// Words in the boxes of nodes, and the moment of their colours.

#include <QTest>

#include "core/figures/layout/LayoutFigure.h"
#include "core/figures/support/SweepDatabase.h"
#include "core/layout/Layout.h"
#include "support/TestProgram.h"

#include <string>
#include <vector>

using namespace trainscope;
using namespace trainscope::figures;
using namespace trainscope::plot;
using namespace trainscope::test;

namespace {

layout::ClusterNode nodeOf(int number, const std::vector<int>& ranks) {
    layout::ClusterNode node;
    node.node = number;
    for (const int rank : ranks) {
        layout::ClusterGpu gpu;
        gpu.rank = rank;
        node.gpus.push_back(gpu);
    }
    return node;
}

} // namespace

class tst_LayoutNodes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // 600 W a GPU; nobody knows what rank 1 takes.
    void sumsSayOfHowManyGpusTheyAre() {
        layout::Cluster cluster;
        cluster.nodes = {nodeOf(0, {0, 1}), nodeOf(1, {2, 3}), nodeOf(2, {4})};
        const auto nodes = physicalNodes(
            cluster, nullptr, {}, {600.0, std::nullopt, 600.0, 600.0, std::nullopt});
        QCOMPARE(nodes[0].summary, std::string("600 W of 1 GPU"));
        QCOMPARE(nodes[1].summary, std::string("1.2 kW"));
        QCOMPARE(nodes[2].summary, std::string());
    }

    // Two replicas of four stages: ranks 0 and 1 have stage 0, 2 and 3 stage 1, and so on.
    void stagesAreThoseOfTheNode() {
        layout::LayoutRequest request;
        request.worldSize = 8;
        request.tensor = 1;
        request.pipeline = 4;
        const auto layout = layout::makeLayout(request).value();
        layout::Cluster cluster;
        cluster.nodes = {nodeOf(0, {0, 1, 4, 5}), nodeOf(1, {2, 3, 6, 7}), nodeOf(2, {0, 2, 4})};
        const auto nodes = physicalNodes(cluster, &layout, {}, {});
        QCOMPARE(nodes[0].summary, std::string("stages 0, 2"));
        QCOMPARE(nodes[1].summary, std::string("stages 1, 3"));
        QCOMPARE(nodes[2].summary, std::string("stages 0–2"));
    }

    void theMomentIsNotRounded() {
        SweepDatabase database;
        SweepRun planted;
        planted.name = "a";
        planted.gpus = 1;
        planted.series.push_back({"gpu_temperature", 0, {40.0, 50.0, 60.0}});
        database.add(planted);
        const Run run = database.store().findRun("a").value();
        ColourQuery query;
        query.by = RankColour::Value;
        query.at = run.range.begin + DurationNs{40'000'000};
        QCOMPARE(colourRanks({database.store(), run}, query).value().caption,
            std::string("GPU temperature at 0.04 s after the run's begin; the scale is that of the "
                        "whole run."));
    }
};

TRAINSCOPE_TEST(tst_LayoutNodes)
#include "tst_LayoutNodes.moc"
