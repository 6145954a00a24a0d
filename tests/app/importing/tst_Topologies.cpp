// Topologies as sources: which runs they describe, what does not fit, and what replaces what.

#include "app/importing/DescribedRuns.h"
#include "app/importing/Logs.h"

#include "core/layout/Cluster.h"
#include "core/layout/Topology.h"
#include "core/store/Writing.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::test;

namespace {

// One second of that many GPUs.
std::string logOf(int gpus, const std::string& model = {}) {
    std::string text = "timestamp,index,power.draw [W]" + std::string(model.empty() ? "" : ",name");
    text += "\n";
    for (int i = 0; i < 10; ++i) {
        for (int gpu = 0; gpu < gpus; ++gpu)
            text += "1735689600." + std::to_string(i) + "," + std::to_string(gpu) + ",100"
                + (model.empty() ? "" : "," + model) + "\n";
    }
    return text;
}

// GPUs on one bridge each, with a card of `gbps` beside the first.
std::string xmlOf(int gpus, int gbps) {
    std::string text = "<system version=\"1\"><cpu numaid=\"0\">";
    for (int gpu = 0; gpu < gpus; ++gpu)
        text += "<pci busid=\"0000:0" + std::to_string(gpu)
            + ":00.0\" class=\"0x030200\" link_speed=\"16.0 GT/s PCIe\" link_width=\"16\"><gpu "
              "dev=\""
            + std::to_string(gpu) + "\" sm=\"89\"/></pci>";
    text += "<pci busid=\"0000:a0:00.0\" class=\"0x020000\"><nic><net name=\"mlx5_0\" dev=\"0\" "
            "speed=\""
        + std::to_string(gbps * 1000) + "\"/></nic></pci></cpu></system>";
    return text;
}

} // namespace

class tst_Topologies : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() {
        m_dir = std::make_unique<QTemporaryDir>();
        QVERIFY(m_dir->isValid());
    }

    void besideResultsItIsASourceOfTheirRuns() {
        QVERIFY(writeFile(path("in/a.csv"), logOf(4)));
        QVERIFY(writeFile(path("in/b.csv"), logOf(4) + "\n"));
        QVERIFY(writeFile(path("in/topo.xml"), xmlOf(4, 200)));
        const auto outcomes = importAll("in");
        QCOMPARE(outcomes.size(), std::size_t{3});
        QCOMPARE(importers::runText(outcomes.back().unit), std::string("a, b"));
        QVERIFY(outcomes.back().report.has_value());
        QCOMPARE(outcomes.back().report->warningCount, std::int64_t{0});
        for (const char* name : {"a", "b"}) {
            const auto cluster = clusterOf(name);
            QVERIFY(cluster.topology.has_value());
            QCOMPARE(cluster.linksFrom, std::string("NCCL topology, topo.xml"));
            // 200 Gbit/s shared by four GPUs.
            QCOMPARE(cluster.networkBandwidth.value_or(0.0), 200e9 / 8.0 / 4.0);
        }
        QCOMPARE(open().sources().value().size(), std::size_t{3});
    }

    void importedAgainItReplaces() {
        QVERIFY(writeFile(path("in/a.csv"), logOf(4)));
        QVERIFY(writeFile(path("in/topo.xml"), xmlOf(4, 200)));
        importAll("in");
        QVERIFY(writeFile(path("in/topo.xml"), xmlOf(4, 400)));
        importAll("in");
        QCOMPARE(clusterOf("a").networkBandwidth.value_or(0.0), 400e9 / 8.0 / 4.0);
        QCOMPARE(open().sources().value().size(), std::size_t{2});
        // The telemetry alone once more: the topology stays.
        QVERIFY(QFile::remove(path("in/topo.xml")));
        importAll("in");
        QVERIFY(clusterOf("a").topology.has_value());
    }

    void whatElseWasSaidStays() {
        QVERIFY(writeFile(path("in/a.csv"), logOf(2)));
        importAll("in");
        {
            auto store = store::Store::open(
                path("db.trainscope").toStdString(), store::OpenMode::ReadWrite);
            layout::MachineFacts said;
            said.nodesPerRack = 3;
            said.networkBandwidth = 7e9;
            said.topology = layout::Topology({{layout::DeviceKind::Gpu, 0, "GPU0", {}, {}, {}},
                {layout::DeviceKind::Gpu, 1, "GPU1", {}, {}, {}}});
            said.topology->setPath(0, 1, {layout::PathKind::NvLink, 0, true, 5.0});
            QVERIFY(store::setMachine(
                store.value(), store.value().findRun("a").value().id, layout::machineToJson(said))
                        .hasValue());
        }
        QCOMPARE(clusterOf("a").scaleUp.name, std::string("NVSwitch"));
        QVERIFY(writeFile(path("in/topo.xml"), xmlOf(2, 100)));
        importAll("in");
        QCOMPARE(clusterOf("a").scaleUp.name, std::string("PCIe"));
        QCOMPARE(clusterOf("a").nodesPerRack.value_or(0), 3);
        QCOMPARE(clusterOf("a").networkBandwidth.value_or(0.0), 7e9);
    }

    void aloneItIsOfTheOnlyRun() {
        QVERIFY(writeFile(path("in/a.csv"), logOf(4)));
        importAll("in");
        // A machine of 8 GPUs that lies elsewhere is hardly that of a run of 4; by its name it is.
        QVERIFY(writeFile(path("other/topo.xml"), xmlOf(8, 200)));
        auto outcomes = importAll("other");
        QVERIFY(outcomes.front().error.has_value());
        VERIFY_SAYS(outcomes.front().error->message, "have 4 GPUs, the topology has 8");
        QVERIFY(!clusterOf("a").topology.has_value());
        outcomes = importAll("other", "a");
        QCOMPARE(outcomes.front().report->warningCount, std::int64_t{1});
        VERIFY_SAYS(outcomes.front().report->warnings.front().text, "use 4 of the 8 GPUs");
        // One of as many is taken.
        QVERIFY(writeFile(path("alone/topo.xml"), xmlOf(4, 200)));
        QVERIFY(importAll("alone").front().report.has_value());
        QVERIFY(clusterOf("a").topology.has_value());
    }

    void withoutARunItSaysWhatToDo() {
        QVERIFY(writeFile(path("alone/topo.xml"), xmlOf(4, 200)));
        const auto outcomes = importAll("alone");
        QVERIFY(outcomes.front().error.has_value());
        VERIFY_SAYS(outcomes.front().error->message, "no run yet");
        QVERIFY(!QFile::exists(path("db.trainscope")));
    }

    void ofSeveralRunsItAsksWhich() {
        QVERIFY(writeFile(path("in/a.csv"), logOf(4)));
        QVERIFY(writeFile(path("in/b.csv"), logOf(4) + "\n"));
        importAll("in");
        QVERIFY(writeFile(path("alone/topo.xml"), xmlOf(4, 200)));
        auto outcomes = importAll("alone");
        QVERIFY(outcomes.front().error.has_value());
        VERIFY_SAYS(outcomes.front().error->message, "a, b");
        outcomes = importAll("alone", "b");
        QVERIFY(outcomes.front().report.has_value());
        QVERIFY(!clusterOf("a").topology.has_value());
        QVERIFY(clusterOf("b").topology.has_value());
        // A name that is nobody's makes no run.
        outcomes = importAll("alone", "c");
        VERIFY_SAYS(outcomes.front().error->message, "\"c\"");
        QCOMPARE(open().runs().value().size(), std::size_t{2});
    }

    void otherGpusAreRefused() {
        QVERIFY(writeFile(path("in/a.csv"), logOf(8)));
        QVERIFY(writeFile(path("in/b.csv"), logOf(4) + "\n"));
        QVERIFY(writeFile(path("in/topo.xml"), xmlOf(4, 200)));
        const auto outcomes = importAll("in");
        const auto& topology = outcomes.back();
        QVERIFY(topology.report.has_value());
        QCOMPARE(importers::runText(topology.unit), std::string("b"));
        QCOMPARE(topology.report->warningCount, std::int64_t{1});
        const auto& text = topology.report->warnings.front().text;
        QCOMPARE(text,
            std::string("a: its nodes have GPU 7, which the topology of 4 GPUs does not have."));
        QVERIFY(!clusterOf("a").topology.has_value());
        // A topology without a run is an error.
        QVERIFY(writeFile(path("alone/topo.xml"), xmlOf(2, 200)));
        const auto refused = importAll("alone", "a");
        QVERIFY(refused.front().error.has_value());
        QVERIFY(refused.front().error->message.find("a: its nodes have GPU 7") == 0);
    }

    void gpusOfAnotherVendorAreNotMeant() {
        QVERIFY(writeFile(path("in/a.csv"), logOf(4, "NVIDIA H100 80GB HBM3")));
        QVERIFY(writeFile(path("in/b.csv"), logOf(4, "NVIDIA H100 80GB HBM3") + "\n"));
        QVERIFY(writeFile(path("in/c.csv"), logOf(4, "AMD Instinct MI250X")));
        std::string amd = xmlOf(4, 200);
        for (std::size_t at = 0; (at = amd.find("sm=\"89\"", at)) != std::string::npos;)
            amd.replace(at, 7, "sm=\"90\" gcn=\"910\"");
        QVERIFY(writeFile(path("in/topo.xml"), amd));
        const auto outcomes = importAll("in");
        const auto& topology = outcomes.back();
        QVERIFY(topology.report.has_value());
        QCOMPARE(importers::runText(topology.unit), std::string("c"));
        QCOMPARE(topology.report->warningCount, std::int64_t{1});
        QCOMPARE(topology.report->warnings.front().text,
            std::string("a, b: its GPUs are NVIDIA's, those of the topology AMD's."));
    }

    void itGoesWithItsRun() {
        QVERIFY(writeFile(path("in/a.csv"), logOf(4)));
        QVERIFY(writeFile(path("in/topo.xml"), xmlOf(4, 200)));
        importAll("in");
        {
            auto store = store::Store::open(
                path("db.trainscope").toStdString(), store::OpenMode::ReadWrite);
            QVERIFY(store::renameRun(store.value(), store.value().findRun("a").value().id, "x")
                        .hasValue());
        }
        // Known by the name that it was imported under.
        importAll("in");
        QVERIFY(clusterOf("x").topology.has_value());
        QCOMPARE(open().runs().value().size(), std::size_t{1});
        auto store
            = store::Store::open(path("db.trainscope").toStdString(), store::OpenMode::ReadWrite);
        const RunId id = store.value().findRun("x").value().id;
        QVERIFY(store::removeRun(store.value(), id).hasValue());
        QVERIFY(!store.value().machine(id).value().has_value());
        QVERIFY(store.value().sources().value().empty());
        VERIFY_FAILS(app::sayMachine(store.value(), "x", "NVIDIA H100", {}), "no run named \"x\"");
    }

private:
    [[nodiscard]] QString path(const char* name) const {
        return m_dir->filePath(QString::fromLatin1(name));
    }

    std::vector<app::UnitOutcome> importAll(const char* folder, const std::string& run = {}) {
        const auto tree = importers::openDiskTree(path(folder).toStdString());
        auto plan = importers::planImport(*tree.value(), {}).value();
        for (auto& unit : plan.units) {
            if (unit.machine && !run.empty())
                unit.runName = run;
        }
        return app::runImport(*tree.value(), plan, path("db.trainscope").toStdString(), {}).value();
    }

    store::Store open() {
        return std::move(
            store::Store::open(path("db.trainscope").toStdString(), store::OpenMode::ReadOnly))
            .value();
    }

    // By what the database holds of its machine alone.
    layout::Cluster clusterOf(const char* run) {
        const auto store = open();
        const RunId id = store.findRun(run).value().id;
        layout::ClusterFacts facts;
        facts.gpus = store.gpus(id).value();
        if (const auto text = store.machine(id).value()) {
            const auto said = layout::machineFromJson(*text).value();
            facts.topology = said.topology;
            facts.linksFrom = said.topologyFrom;
            facts.nodesPerRack = said.nodesPerRack;
            facts.networkBandwidth = said.networkBandwidth;
        }
        return layout::makeCluster(facts);
    }

    std::unique_ptr<QTemporaryDir> m_dir;
};

TRAINSCOPE_TEST(tst_Topologies)
#include "tst_Topologies.moc"
