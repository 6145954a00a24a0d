// Runs that a topology in a tree belongs to.

#include "importers/common/GpuIdentity.h"
#include "importers/kineto/TraceText.h"
#include "importers/registry/PlantedWork.h"
#include "importers/registry/Registry.h"
#include "support/TestFiles.h"
#include "support/TestProgram.h"

#include <fmt/format.h>

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

struct LoggedGpu {
    int index = 0;
    const char* address = nullptr; // not logged
    double watts = 300.0;
};

// A minute of readings, one a second, from so many seconds after midnight.
std::string namedLog(const std::string& host, const std::vector<LoggedGpu>& gpus, int second = 0) {
    const bool hasAddress = gpus.front().address != nullptr;
    std::string text = "timestamp, " + std::string(host.empty() ? "" : "hostname, ") + "index, "
        + (hasAddress ? "pci.bus_id, " : "") + "name, power.draw [W]\n";
    for (int i = second; i < second + 60; ++i) {
        for (const LoggedGpu& gpu : gpus)
            text += fmt::format("2026/04/22 {:02}:{:02}:{:02}.000, {}{}, {}NVIDIA H100 80GB HBM3, "
                                "{:.1f} W\n",
                i / 3600, i / 60 % 60, i % 60, host.empty() ? "" : host + ", ", gpu.index,
                hasAddress ? std::string(gpu.address) + ", " : std::string(), gpu.watts);
    }
    return text;
}

using NamedFiles = std::vector<std::pair<std::string, std::string>>;
std::vector<ImportUnit> plannedUnits(NamedFiles files) {
    const auto tree = memoryTree(std::move(files));
    return planImport(*tree, {}).valueOr(ImportPlan{}).units;
}

int distinctRuns(const std::vector<ImportUnit>& units) {
    std::set<std::string> names;
    for (const ImportUnit& unit : units)
        names.insert(unit.runName);
    return static_cast<int>(names.size());
}

// Half a minute after midnight a trace of the H100 at 0000:1b:00.0.
std::string traceAtAddress() {
    return test::traceText(
        {test::kernelText("k", std::to_string((test::kLogMidnight + 30) * 1'000'000), "1000")},
        R"(, "deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3", )"
        R"("pciBusId": "0000:1b:00.0"}])");
}

const std::vector<LoggedGpu> kNamedNode{{0, "00000000:0A:00.0", 300}, {1, "00000000:1B:00.0", 400},
    {2, "00000000:2C:00.0", 500}, {3, "00000000:3D:00.0", 600}};

std::vector<LoggedGpu> otherWatts(std::vector<LoggedGpu> gpus) {
    for (LoggedGpu& gpu : gpus)
        gpu.watts *= 1.1;
    return gpus;
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
        VERIFY_SAYS(units.front().notes.back(), "say of which");
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
        VERIFY_SAYS(units[0].notes.back(), "n.xml");
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

    // Sources of the same GPUs, as they state it: by host and index, by PCI address, and where
    // neither tells.
    void twoLogs_data() {
        const auto row = test::columns<std::string, std::string, int>("one", "other", "runs");
        const std::vector<LoggedGpu> indices{{0}, {1}};
        row("index on one host", namedLog("alpha", indices), namedLog("alpha", indices, 5), 1);
        row("host by its whole name", namedLog("alpha", indices),
            namedLog("Alpha.cluster.local", indices), 1);
        row("index on two hosts", namedLog("alpha", indices), namedLog("beta", indices), 2);
        row("hosts without a name", namedLog("localhost", indices), namedLog("localhost", indices),
            2);
        row("index on one host, later", namedLog("alpha", indices),
            namedLog("alpha", indices, 3600), 2);
        row("address on one host", namedLog("alpha", kNamedNode), namedLog("alpha", kNamedNode), 1);
        // Nodes of one type have the same addresses.
        row("address on two hosts", namedLog("alpha", kNamedNode), namedLog("beta", kNamedNode), 2);
        row("address, later", namedLog("alpha", kNamedNode), namedLog("alpha", kNamedNode, 3600),
            2);
        row("other addresses on one host", namedLog("alpha", {kNamedNode[0], kNamedNode[1]}),
            namedLog("alpha", {{0, kNamedNode[2].address, 300}, {1, kNamedNode[3].address, 400}}),
            2);
        row("address without a host", namedLog("", kNamedNode),
            namedLog("", otherWatts(kNamedNode)), 2);
        row("address without a host, and power", namedLog("", kNamedNode), namedLog("", kNamedNode),
            1);
        row("neither", namedLog("", indices), namedLog("", indices), 2);
    }
    void twoLogs() {
        QFETCH(std::string, one);
        QFETCH(std::string, other);
        QFETCH(int, runs);
        const auto units
            = plannedUnits({{"first/smi.csv", one}, {"second/other.csv", other + "\n"}});
        QCOMPARE(units.size(), std::size_t{2});
        QCOMPARE(distinctRuns(units), runs);
    }
    // A container sees GPUs 2 and 3 as its 0 and 1, of other power than those of the host.
    void aContainersNumbersBecomeTheHosts() {
        const auto units = plannedUnits({{"host/smi.csv", namedLog("alpha", kNamedNode)},
            {"job/smi_job.csv",
                namedLog(
                    "alpha", {{0, kNamedNode[2].address, 500}, {1, kNamedNode[3].address, 600}})}});
        QCOMPARE(units.size(), std::size_t{2});
        QCOMPARE(distinctRuns(units), 1);
        const auto own = std::ranges::find(units, "job/smi_job.csv", &ImportUnit::path);
        QCOMPARE(own->place, (PlaceInRun{2, 0, 2}));
    }
    void aTraceByTheAddressOfItsGpu() {
        auto units = plannedUnits(
            {{"log/smi.csv", namedLog("", kNamedNode)}, {"trace/t.json", traceAtAddress()}});
        QCOMPARE(distinctRuns(units), 1);
        QCOMPARE(
            std::ranges::find(units, "trace/t.json", &ImportUnit::path)->rank, std::optional(1));
        // Two nodes: either could be its own.
        units = plannedUnits({{"a/smi.csv", namedLog("", kNamedNode)},
            {"b/smi.csv", namedLog("", otherWatts(kNamedNode))},
            {"trace/t.json", traceAtAddress()}});
        QCOMPARE(distinctRuns(units), 3);
    }
    // The facts of a second node, whose GPUs stand behind those of the first.
    void factsMoveWithTheirSource() {
        ImportReport report;
        tellGpus(report, {{0, "alpha"}, {1, "beta"}}, {{0, "0000:1b:00.0"}, {1, "0000:2c:00.0"}});
        QCOMPARE(report.facts.at("hosts"), std::string("0=alpha, 1=beta"));
        moveTold(report.facts, 8);
        QCOMPARE(report.facts.at("hosts"), std::string("8=alpha, 9=beta"));
        QCOMPARE(report.facts.at("PCI addresses"), std::string("8=0000:1b:00.0, 9=0000:2c:00.0"));
        GpuIds ids;
        identify({{8, 1, 0, {}, "GPU-5D7E"}}, report.facts, ids);
        const PlaceInRun place{8, 1, 0};
        QCOMPARE(ids[0], (std::map<std::string, PlaceInRun>{{"5d7e", place}}));
        QCOMPARE(ids[1], (std::map<std::string, PlaceInRun>{{"alpha 1b000", place}}));
        QCOMPARE(ids[2], (std::map<std::string, PlaceInRun>{{"alpha 0", place}}));
        QCOMPARE(ids[3], (std::map<std::string, PlaceInRun>{{"1b000", place}}));
    }
    // A recording names its GPUs by their index in the node, whatever their ranks are.
    void addressesOfARecording() {
        GpuIds ids;
        identify({{8, 1, 0, {}, {}}, {9, 1, 1, {}, {}}},
            {{"host", "alpha.cluster"}, {"GPU 0 pci", "00000000:1B:00.0"},
                {"GPU 1 pci", "00000000:2C:00.0"}},
            ids);
        const std::map<std::string, PlaceInRun> onHost{
            {"alpha 1b000", {8, 1, 0}}, {"alpha 2c000", {9, 1, 1}}};
        QCOMPARE(ids[static_cast<std::size_t>(GpuId::AddressOnHost)], onHost);
        QCOMPARE(ids[static_cast<std::size_t>(GpuId::Address)].at("2c000"), (PlaceInRun{9, 1, 1}));
    }
    void writtenOtherwise() {
        QVERIFY(areSameGpu("00000000:1B:00.0", "0000:1b:00.0"));
        QVERIFY(areSameGpu("GPU-A0-1", "a01"));
        QVERIFY(!areSameGpu("0000:1b:00.0", "0000:1c:00.0"));
        QVERIFY(!areSameGpu("", ""));
    }
};

TRAINSCOPE_TEST(tst_Machines)
#include "tst_Machines.moc"
