// Runs that a topology in a tree belongs to.
#include "importers/registry/Registry.h"
#include "support/TestFiles.h"
#include "support/TestProgram.h"

#include <QTest>

#include <algorithm>
#include <fstream>
#include <sstream>

using namespace trainscope;
using namespace trainscope::importers;

namespace {

using Names = std::vector<std::string>;
using Files = std::vector<std::pair<std::string, std::string>>;

const std::string kXml
    = "<?xml version=\"1.0\"?>\n<!-- <html> of a node -->\n<system version=\"1\">"
      "<cpu numaid=\"0\"><pci busid=\"0000:01:00.0\" class=\"0x030200\">"
      "<gpu dev=\"0\"/></pci></cpu></system>";
const std::string kMatrix = "\tGPU0\tGPU1\tNIC0\tCPU Affinity\nGPU0\t X \tNV4\tPIX\t0-7\n"
                            "GPU1\tNV4\t X \tSYS\t0-7\nNIC0\tPIX\tSYS\t X \n\nLegend:\n";

std::pair<std::string, std::string> telemetry(const std::string& run) {
    return {run + "/gpu_power_0.csv", "1700000000.1,100\n1700000000.2,101\n"};
}

std::vector<ImportUnit> machinesOf(Files files) {
    const auto tree = memoryTree(std::move(files));
    auto units = planImport(*tree, {}).valueOr(ImportPlan{}).units;
    std::erase_if(units, [](const ImportUnit& unit) { return !unit.machine; });
    return units;
}

// A run, and the topologies of that folder.
Files filesOf(const std::string& root, const std::vector<const char*>& names) {
    Files files{telemetry("run")};
    for (const char* name : names) {
        std::ifstream file(root + "/data/topology/" + name);
        std::ostringstream text;
        text << file.rdbuf();
        files.emplace_back(name, text.str());
    }
    return files;
}

Names runsOf(const std::vector<ImportUnit>& units, const std::string& path) {
    for (const ImportUnit& unit : units) {
        if (unit.path == path)
            return unit.machine->runs;
    }
    return {"(no such unit)"};
}

} // namespace

class tst_Machines : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void byPlace() {
        const auto units = machinesOf({telemetry("east/a"), telemetry("east/b"),
            telemetry("west/c"), {"east/topo.txt", kMatrix}, {"west/c/hw/t.xml", kXml}});
        QCOMPARE(runsOf(units, "east/topo.txt"), (Names{"east/a", "east/b"}));
        QCOMPARE(runsOf(units, "west/c/hw/t.xml"), (Names{"west/c"}));
    }

    void besideTheRunsFoldersItIsOfNone() {
        const auto units = machinesOf(
            {telemetry("results/a"), telemetry("results/b"), {"machines/t.xml", kXml}});
        QCOMPARE(runsOf(units, "machines/t.xml"), (Names{}));
        QVERIFY(units.front().notes.back().find("say of which") != std::string::npos);
    }

    void theNearerOneIsTaken() {
        const auto units = machinesOf(
            {telemetry("a"), telemetry("b"), {"a/topo.txt", kMatrix}, {"topo.xml", kXml}});
        QCOMPARE(runsOf(units, "a/topo.txt"), (Names{"a"}));
        QCOMPARE(runsOf(units, "topo.xml"), (Names{"b"}));
        for (const ImportUnit& unit : units)
            QVERIFY(unit.enabled);
    }

    void ofTwoTheOneWithSpeedsIsTaken() {
        const auto units = machinesOf({telemetry("a"), {"m.txt", kMatrix}, {"n.xml", kXml}});
        QCOMPARE(units.size(), std::size_t{2});
        QCOMPARE(units[0].path, std::string("m.txt"));
        QVERIFY(!units[0].enabled);
        QVERIFY(units[0].notes.back().find("n.xml") != std::string::npos);
        QVERIFY(units[1].enabled);
        QCOMPARE(units[1].machine->runs, (Names{"a"}));
    }

    void aloneItIsOfNoRun() {
        const auto units = machinesOf({{"n.xml", kXml}});
        QCOMPARE(units.size(), std::size_t{1});
        QVERIFY(units[0].enabled);
        QVERIFY(units[0].machine->runs.empty());
        QVERIFY(units[0].runName.empty());
        QCOMPARE(units[0].machine->gpus, (std::vector<int>{0}));
        QCOMPARE(units[0].summary, std::string("NCCL topology: 1 GPU, no network cards"));
    }

    void byContent() {
        const auto* topology = findImporter("topology");
        QVERIFY(topology != nullptr);
        QCOMPARE(topology->sniff(kXml, "a.csv"), 95);
        QCOMPARE(topology->sniff(kMatrix, "a.json"), 95);
        QCOMPARE(topology->sniff("+ nvidia-smi topo -m\n" + kMatrix, "job.out"), 40);
        // Cut in the middle of its last line.
        QCOMPARE(topology->sniff(kMatrix.substr(0, kMatrix.size() - 20), ""), 95);
        for (const char* other : {"<html><body><system></body></html>", "<?xml version=\"1.0\"?>",
                 "<system>no machine</system>", "<!-- never closed <system><cpu>", "GPU0 is hot\n",
                 "timestamp, GPU0, GPU1\n1, 2, 3\n", "", "<"})
            QVERIFY2(topology->sniff(other, "topo.xml") == 0, other);
    }

    void realFiles() {
        const auto small = machinesOf(filesOf(
            test::standIns(), {"cards.xml", "matrix.txt", "nvlink_pair.xml", "xgmi_pair.xml"}));
        QCOMPARE(small.size(), std::size_t{4});
        QCOMPARE(std::count_if(small.begin(), small.end(),
                     [](const ImportUnit& unit) { return unit.enabled; }),
            std::ptrdiff_t{1});
        QCOMPARE(
            small[1].summary, std::string("nvidia-smi topo -m: 2 GPUs, 2 network cards, NVLink"));
        if (test::realFiles().empty())
            QSKIP("the real topologies are not here (TRAINSCOPE_SHARED)");
        const auto units = machinesOf(filesOf(test::realFiles(),
            {"glm_nvidia-smi_topo_m.txt", "nccl_ndv4-topo.xml", "nccl_ndv5-topo.xml",
                "nccl_test_rtx4090_topo_dump.xml", "rccl_topo_8p_rome.xml",
                "yccl_l20_nccl_topo_dump.xml"}));
        QCOMPARE(units.size(), std::size_t{6});
        // One of six in one folder is taken.
        QCOMPARE(std::count_if(units.begin(), units.end(),
                     [](const ImportUnit& unit) { return unit.enabled; }),
            std::ptrdiff_t{1});
        for (const ImportUnit& unit : units)
            QVERIFY2(!unit.summary.empty(), unit.path.c_str());
        QCOMPARE(units.front().summary,
            std::string("nvidia-smi topo -m: 8 GPUs, 10 network cards, NVLink"));
    }
};

TRAINSCOPE_TEST(tst_Machines)
#include "tst_Machines.moc"
