// Senders and receivers of traffic, by hand; nothing is lost on the way.

#include "core/layout/Traffic.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::layout;

namespace {

Layout layoutOf(int nodes, int gpus, const std::function<void(LayoutRequest&)>& more = {}) {
    LayoutRequest request;
    request.nodes = nodes;
    request.gpusPerNode = gpus;
    request.tensor = 1;
    request.pipeline = 1;
    if (more)
        more(request);
    return makeLayout(request).value();
}

EdgeSums sumsOf(const Layout& layout, std::string_view group, double bytes, double replicas = 0.0) {
    EdgeSums sums(layout);
    for (int rank = 0; rank < layout.grid.worldSize(); ++rank)
        sums.add(rank, group, bytes, replicas);
    return sums;
}

} // namespace

class tst_TrafficEdges : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // 0 → 1 → 2 → 3 → 0 over two nodes of two: 1 → 2 and 3 → 0 cross.
    void rings() {
        const auto layout = layoutOf(2, 2);
        const auto sums = sumsOf(layout, "dp_cp", 100.0);
        QCOMPARE(sums.edges(), (std::vector<NodeEdge>{{0, 1, "dp_cp", 200.0}}));
        QCOMPARE(sums.nodes()[0].inside, 100.0);
        QCOMPARE(sums.nodes()[0].outside, 100.0);
        QCOMPARE(sums.nodes()[1].inside, 100.0);
    }

    // Three stages in three nodes: the ends send one way, the middle both.
    void pipelines() {
        const auto layout = layoutOf(3, 1, [](LayoutRequest& request) { request.pipeline = 3; });
        EdgeSums sums(layout);
        sums.add(0, "pp", 100.0);
        sums.add(1, "pp", 200.0);
        sums.add(2, "pp", 100.0);
        QCOMPARE(sums.edges(), (std::vector<NodeEdge>{{0, 1, "pp", 200.0}, {1, 2, "pp", 200.0}}));
        QCOMPARE(sums.nodes()[1].outside, 200.0);
    }

    // Six pieces on three stages: stage 0 has pieces 0 and 3, which send on twice to stage 1 and
    // back once, to stage 2.
    void interleavedPipelinesWrap() {
        const auto layout = layoutOf(3, 1, [](LayoutRequest& request) {
            request.pipeline = 3;
            request.virtualStages = 2;
        });
        const auto peers = peersOf(layout, 0, "pp");
        QCOMPARE(peers.size(), std::size_t{2});
        QCOMPARE(peers[0].rank, 1);
        QCOMPARE(peers[0].share, 2.0 / 3.0);
        QCOMPARE(peers[1].rank, 2);
        QCOMPARE(peers[1].share, 1.0 / 3.0);
    }

    void allToAll() {
        const auto layout = layoutOf(2, 2, [](LayoutRequest& request) { request.expert = 4; });
        const auto sums = sumsOf(layout, "ep", 90.0);
        QCOMPARE(sums.nodes()[0].inside, 2 * 30.0);
        QCOMPARE(sums.nodes()[0].outside, 2 * 60.0);
        QCOMPARE(sums.edges(), (std::vector<NodeEdge>{{0, 1, "ep", 240.0}}));
    }

    // Shards of two inside nodes: three quarters stay there, a quarter goes between replicas.
    void hybridSharding() {
        const auto layout = layoutOf(2, 2, [](LayoutRequest& request) {
            request.zeroStage = 3;
            request.shardSize = 2;
        });
        const auto sums = sumsOf(layout, "dp_cp", 100.0, 0.25);
        QCOMPARE(sums.nodes()[0].inside, 150.0);
        QCOMPARE(sums.nodes()[0].outside, 50.0);
        QCOMPARE(sums.edges(), (std::vector<NodeEdge>{{0, 1, "dp_cp", 100.0}}));
    }

    void embeddings() {
        const auto layout = layoutOf(4, 1, [](LayoutRequest& request) { request.pipeline = 4; });
        QVERIFY(peersOf(layout, 1, "embedding").empty());
        QCOMPARE(peersOf(layout, 0, "embedding").front().rank, 3);
        QCOMPARE(peersOf(layout, 3, "embedding").front().rank, 0);
        QVERIFY(peersOf(layout, 0, "nothing").empty());
    }

    // Whatever the layout, a rank's shares add up to one, peers are members of its group, and what
    // nodes send is what ranks send.
    void nothingIsLost() {
        std::mt19937 random(5);
        const auto power
            = [&](int most) { return 1 << std::uniform_int_distribution<int>(0, most)(random); };
        for (int round = 0; round < 300; ++round) {
            const int tensor = power(3);
            const int pipeline = power(2);
            const int context = power(1);
            const auto layout = layoutOf(16, 8, [&](LayoutRequest& request) {
                request.tensor = tensor;
                request.pipeline = pipeline;
                request.context = context;
                request.virtualStages = pipeline > 1 ? power(1) : 1;
            });
            for (const auto& info : communicatorKinds()) {
                EdgeSums sums(layout);
                double sent = 0.0;
                for (int rank = 0; rank < layout.grid.worldSize(); ++rank) {
                    const auto peers = peersOf(layout, rank, info.key);
                    if (layout.grid.groupSize(info.kind) == 1) {
                        QVERIFY(peers.empty());
                        continue;
                    }
                    const auto group = layout.grid.groupOf(info.kind, rank);
                    double all = 0.0;
                    for (const auto& peer : peers) {
                        all += peer.share;
                        QVERIFY(peer.rank != rank);
                        QVERIFY(std::find(group.begin(), group.end(), peer.rank) != group.end());
                    }
                    QVERIFY(std::abs(all - 1.0) < 1e-12);
                    sums.add(rank, info.key, 1000.0);
                    sent += 1000.0;
                }
                double inside = 0.0;
                double outside = 0.0;
                double edges = 0.0;
                for (const auto& node : sums.nodes()) {
                    inside += node.inside;
                    outside += node.outside;
                }
                for (const auto& edge : sums.edges()) {
                    QVERIFY(edge.a < edge.b);
                    edges += edge.bytes;
                }
                QVERIFY(std::abs(inside + outside - sent) < 1e-6);
                QVERIFY(std::abs(edges - outside) < 1e-6);
            }
        }
    }
};

TRAINSCOPE_TEST(tst_TrafficEdges)
#include "tst_TrafficEdges.moc"
