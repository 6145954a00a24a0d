// Facts of a machine come back from their text as they were.

#include "core/layout/Topology.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::layout;

namespace {

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

class tst_MachineFacts : public QObject {
    Q_OBJECT

private Q_SLOTS:
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

TRAINSCOPE_TEST(tst_MachineFacts)
#include "tst_MachineFacts.moc"
