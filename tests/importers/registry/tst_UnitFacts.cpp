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
        QVERIFY(unit.gpuModel.empty() && unit.gpuBeside.empty());
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

    void namedInALogBeside() {
        const std::string log = "[rank0]: using NVIDIA H100 80GB HBM3, 81559 MiB\n";
        const auto unit
            = plannedUnit({{"run/gpu.csv", kPowerLog}, {"run/train.log", log}}, "nvsmi");
        QCOMPARE(unit.gpuBeside, std::string("NVIDIA H100 80GB HBM3"));
        QCOMPARE(unit.gpuBesideFile, std::string("train.log"));
        // A file of another folder tells nothing; two models tell nothing either.
        QVERIFY(plannedUnit({{"run/gpu.csv", kPowerLog}, {"other/train.log", log}}, "nvsmi")
                    .gpuBeside.empty());
        QVERIFY(plannedUnit({{"run/gpu.csv", kPowerLog}, {"run/train.log", log},
                                {"run/old.log", "[rank0]: using NVIDIA A100-SXM4-80GB\n"}},
            "nvsmi")
                    .gpuBeside.empty());
        // So does a GPU that is not in the catalogue.
        QVERIFY(plannedUnit({{"run/gpu.csv", kPowerLog}, {"run/train.log", log},
                                {"run/rank0.json",
                                    R"({"schemaVersion":1,"deviceProperties":[{"id":0,"name":)"
                                    R"("Tesla P100-PCIE-16GB"}],"traceEvents":[{"ph":"X",)"
                                    R"("cat":"kernel","name":"k","pid":0,"tid":7,)"
                                    R"("ts":100.5,"dur":2}]})"}},
            "nvsmi")
                    .gpuBeside.empty());
    }

    // Notes of people name any GPU: only what a machine printed, or a source, says which is
    // there.
    void namedByAMachine_data() {
        QTest::addColumn<std::string>("file");
        QTest::addColumn<std::string>("text");
        QTest::addColumn<bool>("isTold");
        const std::string name = "NVIDIA H100 80GB HBM3";
        const auto row = [](const char* file, const std::string& text, bool isTold) {
            QTest::newRow(file) << std::string(file) << text << isTold;
        };
        row("expected.txt", "The mean power of the " + name + " is 305 W.\n", false);
        row("README.md", "Recorded on an " + name + "\n", false);
        row("plot.py", "title('" + name + "')\n", false);
        row("results.json", R"({"baseline": ")" + name + R"("})", false);
        row("gpus.txt", "GPU 0: " + name + " (UUID: GPU-5d7e3c0a-0000-4000-8000-000000000000)\n",
            true);
        row("smi.txt",
            "| NVIDIA-SMI 550.54.15    Driver Version: 550.54.15 |\n|   0  " + name
                + "          On  | 00000000:1B:00.0 Off |\n",
            true);
        row("environment.txt",
            "PyTorch version: 2.5.1\nGPU models and configuration: \nGPU 0: " + name + "\n", true);
        row("slurm-4711.out", "[rank0]: using " + name + "\n", true);
        row("run.sh",
            "#SBATCH --nodes=1\n# on " + name + "\ntorchrun --nproc-per-node 2 train.py\n", false);
    }
    void namedByAMachine() {
        QFETCH(std::string, file);
        QFETCH(std::string, text);
        QFETCH(bool, isTold);
        const auto unit = plannedUnit({{"run/gpu.csv", kPowerLog}, {"run/" + file, text}}, "nvsmi");
        QCOMPARE(unit.gpuBeside, std::string(isTold ? "NVIDIA H100 80GB HBM3" : ""));
    }
};

TRAINSCOPE_TEST(tst_UnitFacts)
#include "tst_UnitFacts.moc"
