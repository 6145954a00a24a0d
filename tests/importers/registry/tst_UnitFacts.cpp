// Facts of units before they are imported, from the first bytes of sources and the files beside
// them.
#include "importers/registry/Registry.h"
#include "support/TestProgram.h"

#include <QTest>

#include <algorithm>

using namespace trainscope;
using namespace trainscope::importers;

namespace {

using FilesOfTree = std::vector<std::pair<std::string, std::string>>;

ImportUnit plannedUnit(FilesOfTree files, const std::string& importer) {
    const auto tree = memoryTree(std::move(files));
    for (ImportUnit& unit : planImport(*tree, {}).valueOr(ImportPlan{}).units) {
        if (unit.importer == importer)
            return unit;
    }
    return {};
}

const std::string kPowerLog = "timestamp, index, power.draw [W]\n"
                              "2024/05/01 12:00:10.500, 0, 300.00 W\n"
                              "2024/05/01 12:00:10.500, 1, 310.00 W\n"
                              "2024/05/01 12:00:11.500, 0, 300.00 W\n"
                              "2024/05/01 12:00:11.500, 1, 310.00 W\n";

} // namespace

class tst_UnitFacts : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void ofALog() {
        const auto unit = plannedUnit({{"gpu.csv", kPowerLog}}, "nvsmi");
        // 2024-05-01 12:00:10.5 as if it were UTC.
        QVERIFY(unit.start == TimeNs{1'714'564'810'500'000'000});
        QCOMPARE(unit.gpusPerNode, 2);
        QVERIFY(unit.gpuModel.empty());
        const auto named = plannedUnit({{"gpu.csv",
                                           "timestamp, index, name, power.draw [W]\n"
                                           "2024/05/01 12:00:10, 0, NVIDIA H100, 300.00 W\n"}},
            "nvsmi");
        QCOMPARE(named.gpuModel, std::string("NVIDIA H100"));
    }

    void ofTelemetry() {
        const auto unit = plannedUnit(
            {{"h200/run/gpu_power_0.csv", "1700000000.25,100\n1700000001.25,101\n"}}, "charllm");
        QVERIFY(unit.start == TimeNs{1'700'000'000'250'000'000});
        QCOMPARE(unit.gpuModel, std::string("H200"));
    }

    // 100.5 µs after the base.
    void ofATrace() {
        const auto unit
            = plannedUnit({{"rank0.json",
                              R"({"schemaVersion":1,"deviceProperties":[{"id":0,"name":)"
                              R"("NVIDIA A100"},{"id":1,"name":"NVIDIA A100"}],)"
                              R"("baseTimeNanoseconds":1700000000000000000,"traceEvents":[)"
                              R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,)"
                              R"("ts":100.5,"dur":2}]})"}},
                "kineto");
        QVERIFY(unit.start == TimeNs{1'700'000'000'000'100'500});
        QCOMPARE(unit.gpuModel, std::string("NVIDIA A100"));
        QCOMPARE(unit.gpusPerNode, 2);
    }

    // Texts that lie beside name any GPU.
    void noTextBesideNamesIt() {
        for (const char* file : {"expected.txt", "train.log", "slurm-4711.out"}) {
            const auto unit = plannedUnit(
                {{"run/gpu.csv", kPowerLog},
                    {std::string("run/") + file, "[rank0]: using NVIDIA H100 80GB HBM3\n"}},
                "nvsmi");
            QVERIFY(unit.gpuModel.empty());
        }
    }
};

TRAINSCOPE_TEST(tst_UnitFacts)
#include "tst_UnitFacts.moc"
