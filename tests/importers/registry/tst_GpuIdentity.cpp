// Sources of the same GPUs, as they state it: by host and index, by PCI address, and where neither
// tells.

#include "importers/common/GpuIdentity.h"
#include "importers/kineto/TraceText.h"
#include "importers/registry/PlantedWork.h"
#include "importers/registry/Registry.h"
#include "support/TestProgram.h"

#include <QTest>

#include <fmt/format.h>

#include <algorithm>
#include <set>

using namespace trainscope;
using namespace trainscope::importers;

namespace {

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

class tst_GpuIdentity : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void twoLogs_data() {
        QTest::addColumn<std::string>("one");
        QTest::addColumn<std::string>("other");
        QTest::addColumn<int>("runs");
        const std::vector<LoggedGpu> indices{{0}, {1}};
        const auto row = [](const char* name, const std::string& one, const std::string& other,
                             int runs) { QTest::newRow(name) << one << other << runs; };
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

TRAINSCOPE_TEST(tst_GpuIdentity)
#include "tst_GpuIdentity.moc"
