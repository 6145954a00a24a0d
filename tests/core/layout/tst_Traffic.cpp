// Bytes of a step against sums by hand, message by message.

#include "core/layout/Traffic.h"
#include "support/TestProgram.h"

using namespace trainscope::layout;

namespace {

TrafficModel smallModel() {
    TrafficModel model;
    model.hidden = 8;
    model.keyWidth = 4;
    model.sequence = 16;
    model.microBatch = 2;
    model.attentionParameters = 100;
    model.mlpParameters = 400;
    model.embeddingParameters = 1000;
    model.sequenceParallel = false;
    return model;
}

struct Shape {
    int nodes, gpus, tp, cp, pp, layers, microbatches;
};

Layout layoutOf(const Shape& shape, const std::function<void(LayoutRequest&)>& more = {}) {
    LayoutRequest request;
    request.nodes = shape.nodes;
    request.gpusPerNode = shape.gpus;
    request.tensor = shape.tp;
    request.context = shape.cp;
    request.pipeline = shape.pp;
    request.layers = shape.layers;
    request.microbatches = shape.microbatches;
    if (more)
        more(request);
    return makeLayout(request).value();
}

std::map<std::string, CommunicatorTraffic> byGroup(
    const Layout& layout, const TrafficModel& model, int rank) {
    std::map<std::string, CommunicatorTraffic> result;
    for (auto& one : trafficOf(layout, model, rank).value())
        result.emplace(one.group, one);
    return result;
}

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

class tst_Traffic : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Activations of a micro-batch: 16 · 2 · 8 · 2 B = 512 B. 3 layers, 4 micro-batches, TP 4: four
    // all-reduces of 2 · 3/4 · 512 B = 768 B each.
    void tensorParallelism() {
        const auto layout = layoutOf({1, 4, 4, 1, 1, 3, 4});
        auto model = smallModel();
        auto traffic = byGroup(layout, model, 0);
        QCOMPARE(traffic.at("tp").bytes, 3 * 4 * 4 * 768.0);
        QVERIFY(traffic.at("tp").link == LinkClass::ScaleUp);
        QCOMPARE(traffic.size(), std::size_t{1});
        // Two more gathers of 3/4 · 512 B.
        model.sequenceParallel = true;
        traffic = byGroup(layout, model, 0);
        QCOMPARE(traffic.at("tp").bytes, 3 * 4 * (4 * 768.0 + 2 * 384.0));
    }

    // Three stages in three nodes: the ends send one way, the middle both.
    void pipelines() {
        const auto layout = layoutOf({3, 2, 2, 1, 3, 3, 5});
        auto model = smallModel();
        QCOMPARE(byGroup(layout, model, 0).at("pp").bytes, 5 * 512.0);
        QCOMPARE(byGroup(layout, model, 2).at("pp").bytes, 5 * 2 * 512.0);
        QVERIFY(byGroup(layout, model, 2).at("pp").link == LinkClass::ScaleOut);
        model.sequenceParallel = true;
        QCOMPARE(byGroup(layout, model, 4).at("pp").bytes, 5 * 256.0);
        // Two chunks per stage: 6 pieces, all but the last send on, all but the first send back.
        const auto interleaved = layoutOf(
            {1, 3, 1, 1, 3, 6, 3}, [](LayoutRequest& request) { request.virtualStages = 2; });
        QCOMPARE(byGroup(interleaved, smallModel(), 0).at("pp").bytes, 3 * 3 * 512.0);
        QCOMPARE(byGroup(interleaved, smallModel(), 1).at("pp").bytes, 3 * 4 * 512.0);
    }

    // A pipeline over two nodes, two stages in each: only the middle crosses.
    void onlyNeighboursTalk() {
        const auto layout = layoutOf({2, 2, 1, 1, 4, 4, 1});
        QVERIFY(byGroup(layout, smallModel(), 0).at("pp").link == LinkClass::ScaleUp);
        QVERIFY(byGroup(layout, smallModel(), 1).at("pp").link == LinkClass::ScaleOut);
    }

    // DP 4 on one stage with 2 layers: 2 · 500 + two tables of 1000 = 3000 parameters, 12,000 B of
    // gradients, 6,000 B of weights.
    void gradients() {
        const Shape shape{1, 4, 1, 1, 1, 2, 3};
        const auto model = smallModel();
        QCOMPARE(byGroup(layoutOf(shape), model, 0).at("dp_cp").bytes, 2 * 0.75 * 12'000);
        const auto zero1 = layoutOf(shape, [](LayoutRequest& request) { request.zeroStage = 1; });
        QCOMPARE(byGroup(zero1, model, 0).at("dp_cp").bytes, 0.75 * (12'000 + 6'000));
        const auto zero3 = layoutOf(shape, [](LayoutRequest& request) { request.zeroStage = 3; });
        QCOMPARE(byGroup(zero3, model, 0).at("dp_cp").bytes, 3 * 0.75 * (12'000 + 2 * 6'000));
        // Shards over 2, and all-reduce of half the gradients between the 2 replicas.
        const auto hybrid = layoutOf(shape, [](LayoutRequest& request) {
            request.zeroStage = 1;
            request.shardSize = 2;
        });
        QCOMPARE(byGroup(hybrid, model, 0).at("dp_cp").bytes, 0.5 * 18'000 + 6'000);
    }

    void tiedEmbeddings() {
        auto model = smallModel();
        model.tiedEmbeddings = true;
        const auto one = layoutOf({1, 2, 1, 1, 1, 1, 1});
        QCOMPARE(byGroup(one, model, 0).at("dp_cp").bytes, (500 + 1000) * 4.0);
        const auto two = layoutOf({1, 2, 1, 1, 2, 2, 1});
        QCOMPARE(byGroup(two, model, 1).at("embedding").bytes, 4000.0);
        QVERIFY(!byGroup(layoutOf({1, 3, 1, 1, 3, 3, 1}), model, 1).contains("embedding"));
    }

    // CP 4, TP 1: 4 tokens · 2 samples of keys and values, 4 wide: 2 · 4 · 2 · 4 · 2 B = 128 B,
    // sent on 3 times forward and 6 times backward.
    void contextParallelism() {
        const auto traffic = byGroup(layoutOf({1, 4, 1, 4, 1, 2, 1}), smallModel(), 0);
        QCOMPARE(traffic.at("cp").bytes, 2 * 9 * 128.0);
        QVERIFY(traffic.contains("dp_cp"));
    }

    // 4 experts on EP 4, top-2: 512 B of tokens go twice, three quarters of them to others, 4
    // times.
    void experts() {
        auto model = smallModel();
        model.experts = 4;
        model.expertsPerToken = 2;
        const auto layout
            = layoutOf({1, 8, 1, 1, 1, 1, 1}, [](LayoutRequest& request) { request.expert = 4; });
        const auto traffic = byGroup(layout, model, 0);
        QCOMPARE(traffic.at("ep").bytes, 4 * 0.75 * 1024);
        QCOMPARE(traffic.at("edp").bytes, 400 * 4.0); // one expert, twice there
        QCOMPARE(traffic.at("dp_cp").bytes, 2 * 7.0 / 8 * (100 + 2000) * 4);
        QVERIFY(!traffic.contains("tp"));
        QVERIFY(!traffic.contains("etp"));
    }

    // EP 2 of 4 experts, two stages of two layers: the first layer is dense, the last stage has a
    // layer more. Tokens go on four times, half of 512 B each; a shared expert is as an MLP in tp.
    void layersOfBothKinds() {
        auto model = smallModel();
        model.experts = 4;
        model.besideExperts = 50;
        model.hasSharedExperts = true;
        model.denseLayers = 1;
        model.denseMlpParameters = 700;
        model.nextTokenLayers = 1;
        const auto layout
            = layoutOf({1, 4, 1, 1, 2, 4, 1}, [](LayoutRequest& request) { request.expert = 2; });
        const auto first = byGroup(layout, model, 0);
        QCOMPARE(first.at("ep").bytes, 4 * 0.5 * 512);
        QCOMPARE(first.at("dp_cp").bytes, (2 * 100 + 700 + 50 + 1000) * 4.0);
        const auto last = byGroup(layout, model, 2);
        QCOMPARE(last.at("ep").bytes, 3 * 4 * 0.5 * 512);
        QCOMPARE(last.at("dp_cp").bytes, (3 * (100 + 50) + 1000) * 4.0);
        const auto cut = layoutOf({1, 4, 2, 1, 2, 4, 1}, [](LayoutRequest& request) {
            request.expert = 2;
            request.expertTensor = 1;
        });
        // Two all-reduces of 2 · 1/2 · 512 B forward and backward in each half of a layer.
        QCOMPARE(byGroup(cut, model, 0).at("tp").bytes, 2 * 2 * 2 * 512.0);
        model.hasSharedExperts = false;
        QCOMPARE(byGroup(cut, model, 0).at("tp").bytes, (2 + 1) * 2 * 512.0);
    }

    // Two heads of keys, 4 wide together, on TP 4: a rank has one of them, 2 wide. CP 2: 8 tokens ·
    // 2 samples, 2 · 8 · 2 · 2 · 2 B = 128 B, once forward and twice backward.
    void fewerHeadsOfKeysThanRanks() {
        auto model = smallModel();
        model.keyHeads = 2;
        const auto traffic = byGroup(layoutOf({1, 8, 4, 2, 1, 1, 1}), model, 0);
        QCOMPARE(traffic.at("cp").bytes, 3 * 128.0);
    }

    void whatIsNotKnown() {
        LayoutRequest request;
        request.nodes = 1;
        request.gpusPerNode = 2;
        QVERIFY(!trafficOf(makeLayout(request).value(), smallModel(), 0).hasValue());
    }

    // Senders and receivers of traffic, by hand; nothing is lost on the way.

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
    void pipelinesOfEdges() {
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

TRAINSCOPE_TEST(tst_Traffic)
#include "tst_Traffic.moc"
