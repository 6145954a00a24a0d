// The machine in the order of its air, and the links of its nodes.

#include "core/layout/Cluster.h"
#include "core/layout/Topology.h"
#include "support/TestProgram.h"

using namespace trainscope::layout;

namespace {

ClusterFacts factsOf(int nodes, int gpus) {
    ClusterFacts facts;
    for (int rank = nodes * gpus - 1; rank >= 0; --rank)
        facts.gpus.push_back({rank, rank / gpus, rank % gpus, {}, {}});
    return facts;
}

std::vector<int> ranksOf(const ClusterNode& node) {
    std::vector<int> ranks;
    for (const auto& gpu : node.gpus)
        ranks.push_back(gpu.rank);
    return ranks;
}

Topology topologyOf(std::vector<std::optional<double>> nics) {
    std::vector<TopologyDevice> devices;
    for (int i = 0; i < 4; ++i)
        devices.push_back({DeviceKind::Gpu, i, {}, {}, std::nullopt, std::nullopt});
    for (std::size_t i = 0; i < nics.size(); ++i)
        devices.push_back({DeviceKind::Nic, static_cast<int>(i), {}, {}, std::nullopt, nics[i]});
    Topology topology(devices);
    for (std::size_t a = 0; a < 4; ++a) {
        for (std::size_t b = 0; b < a; ++b)
            topology.setPath(a, b, {PathKind::NvLink, 4, false, 100e9});
    }
    return topology;
}

bool isSame(const Topology& a, const Topology& b) {
    if (a.devices() != b.devices())
        return false;
    for (std::size_t from = 0; from < a.devices().size(); ++from) {
        for (std::size_t to = 0; to < a.devices().size(); ++to) {
            if (a.path(from, to) != b.path(from, to))
                return false;
        }
    }
    return true;
}

} // namespace

class tst_Cluster : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void ascendingUnlessSaid() {
        auto facts = factsOf(2, 4);
        auto cluster = makeCluster(facts);
        QVERIFY(cluster.isAirflowAssumed);
        QCOMPARE(cluster.gpuCount(), std::size_t{8});
        QCOMPARE(ranksOf(cluster.nodes[1]), (std::vector<int>{4, 5, 6, 7}));
        QVERIFY(!cluster.nodes[1].gpus[1].isRear && cluster.nodes[1].gpus[2].isRear);
        facts.airflow = {2, 3, 0, 1};
        cluster = makeCluster(facts);
        QVERIFY(!cluster.isAirflowAssumed);
        QCOMPARE(ranksOf(cluster.nodes[1]), (std::vector<int>{6, 7, 4, 5}));
        QCOMPARE(cluster.nodes[1].gpus[0].slot, 0);
        QVERIFY(cluster.nodes[1].gpus[2].isRear); // local 0
    }

    // Five GPUs: three in front, two in the rear.
    void oddNodes() {
        const auto cluster = makeCluster(factsOf(1, 5));
        int rear = 0;
        for (const auto& gpu : cluster.nodes[0].gpus)
            rear += gpu.isRear ? 1 : 0;
        QCOMPARE(rear, 2);
        QVERIFY(!makeCluster(factsOf(1, 1)).nodes[0].gpus[0].isRear);
    }

    void gpusThatTheOrderLeavesOut() {
        auto facts = factsOf(1, 4);
        facts.airflow = {3};
        QCOMPARE(ranksOf(makeCluster(facts).nodes[0]), (std::vector<int>{3, 0, 1, 2}));
    }

    void racks() {
        auto facts = factsOf(6, 1);
        QCOMPARE(makeCluster(facts).nodes[5].rack, 0);
        facts.nodesPerRack = 4;
        const auto cluster = makeCluster(facts);
        QCOMPARE(cluster.nodes[3].rack, 0);
        QCOMPARE(cluster.nodes[4].rack, 1);
    }

    // Each of four GPUs has links of 100 GB/s to three others; without one of them 200 GB/s;
    // without any PCIe remains.
    void linksOfATopology() {
        auto topology = topologyOf({50e9, 50e9});
        auto link = scaleUpOf(topology);
        QCOMPARE(link.name, std::string("NVLink"));
        QCOMPARE(link.bandwidth.value(), 300e9);
        QVERIFY(!link.isSwitched);
        QCOMPARE(networkBandwidthOf(topology).value(), 25e9);
        topology.setPath(0, 3, {PathKind::Phb, 0, false, 16e9});
        link = scaleUpOf(topology);
        QCOMPARE(link.name, std::string("NVLink"));
        QCOMPARE(link.bandwidth.value(), 200e9);
        for (const std::size_t peer : {1U, 2U})
            topology.setPath(peer, 3, {PathKind::Phb, 0, false, 16e9});
        link = scaleUpOf(topology);
        QCOMPARE(link.name, std::string("PCIe"));
        QCOMPARE(link.bandwidth.value(), 16e9);
        QVERIFY(!networkBandwidthOf(topologyOf({})).has_value());
        QVERIFY(scaleUpOf(Topology({})).kind == PathKind::Unknown);
    }

    void topologyReplacesTheUsual() {
        auto facts = factsOf(1, 4);
        facts.scaleUp = {"NVSwitch", PathKind::NvLink, true, 450e9};
        QCOMPARE(makeCluster(facts).scaleUp.bandwidth.value(), 450e9);
        facts.topology = topologyOf({});
        QCOMPARE(makeCluster(facts).scaleUp.name, std::string("NVLink"));
        QCOMPARE(makeCluster(facts).scaleUp.bandwidth.value(), 300e9);
    }

    // Files of makers list PCIe alone: an NVSwitch that is soldered in stays, a bridge does not.
    void whatATopologyDoesNotTell() {
        auto facts = factsOf(1, 4);
        facts.topology = topologyOf({});
        for (std::size_t a = 0; a < 4; ++a) {
            for (std::size_t b = 0; b < a; ++b)
                facts.topology->setPath(a, b, {PathKind::Sys, 0, false, 31.5e9});
        }
        facts.scaleUp = {"NVSwitch", PathKind::NvLink, true, 450e9};
        QCOMPARE(makeCluster(facts).scaleUp.name, std::string("NVSwitch"));
        facts.scaleUp = {"NVLink bridge", PathKind::NvLink, false, 300e9};
        QCOMPARE(makeCluster(facts).scaleUp.name, std::string("PCIe"));
        // A matrix without speeds.
        facts.topology->setPath(0, 1, {PathKind::NvLink, 18, false, std::nullopt});
        for (const std::size_t a : {2U, 3U}) {
            for (const std::size_t b : {0U, 1U})
                facts.topology->setPath(a, b, {PathKind::NvLink, 18, false, std::nullopt});
        }
        facts.scaleUp = {"NVSwitch", PathKind::NvLink, true, 450e9};
        QCOMPARE(makeCluster(facts).scaleUp.bandwidth.value(), 450e9);
    }

    // Two pairs of GPUs with links, over the CPUs to each other: what joins a group is its worst
    // way, not the best of the node.
    void groupsThatLinksDoNotJoin() {
        auto facts = factsOf(2, 4);
        facts.scaleUp = {"NVSwitch", PathKind::NvLink, true, 300e9};
        auto cluster = makeCluster(facts);
        QCOMPARE(linkBetween(cluster, {0, 1, 2, 3}).name, std::string("NVSwitch"));
        auto topology = topologyOf({});
        for (const std::size_t a : {0U, 1U}) {
            for (const std::size_t b : {2U, 3U})
                topology.setPath(a, b, {PathKind::Sys, 0, false, 12e9});
        }
        facts.topology = topology;
        cluster = makeCluster(facts);
        QCOMPARE(linkBetween(cluster, {0, 1}).name, std::string("NVLink"));
        QCOMPARE(linkBetween(cluster, {4, 5}).bandwidth.value_or(0.0), 100e9);
        const auto all = linkBetween(cluster, {4, 5, 6, 7});
        QCOMPARE(all.name, std::string("PCIe between CPUs"));
        QCOMPARE(all.bandwidth.value_or(0.0), 12e9);
        // The last of its three ways is a link.
        QCOMPARE(linkBetween(cluster, {4, 6, 5}).name, std::string("PCIe between CPUs"));
        // Over nodes, of ranks that are not there, of one: the node's own.
        for (const auto& ranks : {std::vector<int>{3, 4}, std::vector<int>{90, 91}, {2}, {}})
            QCOMPARE(linkBetween(cluster, ranks).name, cluster.scaleUp.name);
    }

    // Makers' files list PCIe devices alone; the GPU's own switch is not in them.
    void pcieFilesKeepTheSwitch() {
        auto facts = factsOf(1, 4);
        facts.scaleUp = {"NVSwitch", PathKind::NvLink, true, 300e9};
        auto topology = topologyOf({});
        for (std::size_t a = 0; a < 4; ++a) {
            for (std::size_t b = 0; b < a; ++b)
                topology.setPath(a, b, {PathKind::Phb, 0, false, 12e9});
        }
        facts.topology = topology;
        QCOMPARE(linkBetween(makeCluster(facts), {0, 3}).name, std::string("NVSwitch"));
        facts.scaleUp = {};
        QCOMPARE(linkBetween(makeCluster(facts), {0, 3}).name, std::string("PCIe over a CPU"));
    }

    void whetherATopologyFits() {
        const auto gpus = factsOf(2, 4).gpus;
        QVERIFY(machineFit({0, 1, 2, 3}, gpus).text.empty());
        QVERIFY(machineFit({}, {}).text.empty());
        const auto more = machineFit({0, 1, 2, 3, 4, 5, 6, 7}, gpus);
        QVERIFY(!more.isRefused);
        QCOMPARE(more.text, std::string("its nodes use 4 of the 8 GPUs of the topology."));
        // As many, but others: GPU 1 of the run is not in it.
        const auto others = machineFit({0, 2, 3, 4}, gpus);
        QVERIFY(others.isRefused);
        QCOMPARE(others.text,
            std::string("its nodes have GPU 1, which the topology of 4 GPUs does not have."));
    }

    // Facts of a machine come back from their text as they were.
    void nothing() {
        QVERIFY(MachineFacts{}.isEmpty());
        QVERIFY(machineFromJson(machineToJson({})).value().isEmpty());
    }

    void everythingComesBack() {
        std::mt19937 random(9);
        const auto upTo
            = [&](int most) { return std::uniform_int_distribution<int>(0, most)(random); };
        for (int round = 0; round < 50; ++round) {
            std::vector<TopologyDevice> devices;
            for (int i = 0; i < 2 + upTo(6); ++i)
                devices.push_back({DeviceKind::Gpu, i, "GPU" + std::to_string(i), "0000:41:00.0",
                    upTo(1) ? std::optional(upTo(3)) : std::nullopt, std::nullopt});
            for (int i = 0; i < upTo(4); ++i)
                devices.push_back({DeviceKind::Nic, i, "mlx5_" + std::to_string(i), "",
                    std::nullopt, upTo(1) ? std::optional(25e9) : std::nullopt});
            MachineFacts facts;
            facts.topology = Topology(devices);
            facts.topologyFrom = "NCCL topology, a \"b\".xml";
            facts.nodesPerRack = 1 + upTo(7);
            facts.networkBandwidth = 50e9;
            for (std::size_t a = 0; a < devices.size(); ++a) {
                for (std::size_t b = 0; b < devices.size(); ++b) {
                    if (a != b)
                        facts.topology->setOneWay(a, b,
                            {static_cast<PathKind>(1 + upTo(7)), upTo(18), upTo(1) == 1,
                                upTo(1) ? std::optional(1e9 * upTo(900)) : std::nullopt});
                }
            }
            const auto back = machineFromJson(machineToJson(facts)).value();
            QVERIFY(isSame(*back.topology, *facts.topology));
            QCOMPARE(back.topologyFrom, facts.topologyFrom);
            QCOMPARE(back.nodesPerRack, facts.nodesPerRack);
            QCOMPARE(back.networkBandwidth, facts.networkBandwidth);
        }
    }

    void brokenTexts() {
        for (const char* text : {"", "{", "[]", R"({"topology":{}})",
                 R"({"topology":{"devices":3}})", R"({"nodes_per_rack":"x"})"}) {
            const auto facts = machineFromJson(text);
            QVERIFY2(!facts.hasValue() || facts.value().isEmpty(), text);
        }
        // Paths between devices that are not there are left out.
        QVERIFY(machineFromJson(
            R"({"topology":{"devices":[],"paths":[{"from":3,"to":9,"kind":"sys"}]}})")
                    .hasValue());
    }
};

TRAINSCOPE_TEST(tst_Cluster)
#include "tst_Cluster.moc"
