// GPUs by what their makers publish, and by names as drivers and people write them.

#include "core/catalogue/GpuGuess.h"
#include "core/catalogue/GpuModel.h"
#include "core/catalogue/Tables.h"
#include "support/TestProgram.h"

using namespace trainscope::catalogue;

namespace {

std::string guessed(const GpuTraces& traces) {
    const auto guess = guessGpuModel(traces);
    return guess ? guess->model->name : std::string();
}

GpuTraces named(const std::string& name) {
    GpuTraces traces;
    traces.names = {name};
    return traces;
}

// 80 GiB of HBM, 1.98 GHz, 700 W: what eight H100 SXM showed while they trained.
GpuTraces trained() {
    GpuTraces traces;
    traces.memoryUsedBytes = 80401.0 * 1024.0 * 1024.0;
    traces.topClockHz = 1.98e9;
    traces.peakPowerW = 703.9;
    return traces;
}

} // namespace

class tst_GpuModel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theBuiltInTextIsWhole() {
        const auto models = parseGpuModels(builtInHardware()).value();
        QCOMPARE(models.size(), std::size_t{45});
    }
    // TPUs have peaks for what was traced on them, and are no GPUs to predict for.
    void tpusAreNoGpus() {
        QVERIFY(findGpuModel("TPU v5 lite") == nullptr);
        QVERIFY(findAccelerator("TPU v9") == nullptr);
        QCOMPARE(findAccelerator("TPU v5 lite")->name, std::string("TPU v5e"));
        QCOMPARE(findAccelerator("TPU v5p")->bf16Flops, std::optional(459e12));
        QCOMPARE(findAccelerator("TPU v4")->memoryBandwidth, std::optional(1.228e12));
        QCOMPARE(findAccelerator("NVIDIA H100 PCIe"), findGpuModel("H100 PCIe"));
    }
    void namesAsDriversWriteThem_data() {
        // model: empty: none
        const auto row = test::columns<QByteArray, QByteArray>("device", "model");
        row("H100", "NVIDIA H100 80GB HBM3", "H100 SXM5");
        row("H100 PCIe", "NVIDIA H100 PCIe", "H100 PCIe");
        row("H200", "NVIDIA H200", "H200 SXM");
        row("GH200", "NVIDIA GH200 120GB", "GH200");
        row("A100", "NVIDIA A100-SXM4-80GB", "A100 SXM4 80GB");
        row("A100 40", "NVIDIA A100-SXM4-40GB", "A100 SXM4 40GB");
        row("V100", "Tesla V100-SXM2-32GB", "V100 SXM2");
        // Cards are no modules: less power, other links.
        row("A100 80 PCIe", "NVIDIA A100 80GB PCIe", "A100 PCIe");
        row("A100 40 PCIe", "NVIDIA A100-PCIE-40GB", "A100 PCIe 40GB");
        row("H100 NVL", "NVIDIA H100 NVL", "H100 NVL");
        row("H200 NVL", "NVIDIA H200 NVL", "H200 NVL");
        row("GH200 NVL32", "GH200 NVL32", "GH200 NVL32");
        row("V100 16", "Tesla V100-SXM2-16GB", "V100 SXM2 16GB");
        row("V100 PCIe", "Tesla V100-PCIE-32GB", "V100 PCIe");
        // As clouds, clusters and people write them.
        row("A100 40, hyphen", "A100-40GB", "A100 SXM4 40GB");
        row("A100 40, underscore", "a100_40gb", "A100 SXM4 40GB");
        row("A100 40, SXM", "A100-SXM-40GB", "A100 SXM4 40GB");
        row("A100 40, PCIe last", "NVIDIA A100 40GB PCIe", "A100 PCIe 40GB");
        row("A100 80, underscore", "a100_80gb", "A100 SXM4 80GB");
        row("V100 16, hyphen", "v100-16gb", "V100 SXM2 16GB");
        row("MI250", "AMD Instinct MI250", "MI250");
        row("MI250X", "AMD Instinct MI250X", "MI250X");
        row("lower case", "h200", "H200 SXM");
        row("another", "NVIDIA RTX A4500", QByteArray());
        row("nothing", QByteArray(), QByteArray());
    }
    void namesAsDriversWriteThem() {
        QFETCH(const QByteArray, device);
        QFETCH(const QByteArray, model);
        const GpuModel* found = findGpuModel(device.toStdString());
        QCOMPARE(found == nullptr ? QByteArray() : QByteArray::fromStdString(found->name), model);
    }
    // Makers' data sheets: dense teraflops of 16 bits, gigabytes a second, watts.
    void knownByDataSheet_data() {
        test::columns<QByteArray, double, double, double>(
            "device", "teraflops", "bandwidth", "watts");
        QTest::addRow("H800") << QByteArray("NVIDIA H800") << 989.0 << 3350.0 << 700.0;
        QTest::addRow("H20") << QByteArray("NVIDIA H20") << 148.0 << 4000.0 << 500.0;
        QTest::addRow("A800") << QByteArray("NVIDIA A800-SXM4-80GB") << 312.0 << 2039.0 << 400.0;
        QTest::addRow("L40S") << QByteArray("NVIDIA L40S") << 362.0 << 864.0 << 350.0;
        QTest::addRow("RTX PRO") << QByteArray("NVIDIA RTX PRO 6000 Blackwell Server Edition")
                                 << 480.0 << 1597.0 << 600.0;
        QTest::addRow("MI308X") << QByteArray("AMD Instinct MI308X") << 188.4 << 5300.0 << 650.0;
        QTest::addRow("MI325X") << QByteArray("AMD Instinct MI325X") << 1307.4 << 6000.0 << 1000.0;
        QTest::addRow("MI350X") << QByteArray("AMD Instinct MI350X") << 2306.9 << 8000.0 << 1000.0;
        QTest::addRow("MI355X") << QByteArray("AMD Instinct MI355X") << 2516.6 << 8000.0 << 1400.0;
    }
    void knownByDataSheet() {
        QFETCH(const QByteArray, device);
        const GpuModel* found = findGpuModel(device.toStdString());
        QVERIFY(found != nullptr && found->isFromDataSheet);
        QTEST(found->bf16Flops.value() / 1e12, "teraflops");
        QTEST(found->memoryBandwidth.value() / 1e9, "bandwidth");
        QTEST(found->powerLimitW.value(), "watts");
        QVERIFY(!findGpuModel("H100")->isFromDataSheet && !findGpuModel("H200")->isFromDataSheet);
    }
    void numbersAreSi() {
        const GpuModel* h100 = findGpuModel("H100");
        QCOMPARE(h100->bf16Flops.value(), 989e12);
        QCOMPARE(h100->memoryBandwidth.value(), 3.35e12);
        QCOMPARE(h100->linkBandwidth.value(), 450e9);
        QCOMPARE(h100->pcieBandwidth.value(), 63e9);
        QCOMPARE(findGpuModel("A100")->pcieBandwidth.value(), 31.5e9);
        QVERIFY(!findGpuModel("GH200")->pcieBandwidth);
        QCOMPARE(h100->powerLimitW.value(), 700.0);
        QCOMPARE(h100->slowdownC.value(), 89.0);
        QVERIFY(!findGpuModel("B200")->slowdownC);
    }
    // The makers' data sheets; dense, of which those of Hopper print twice as much with sparsity.
    void cardsAreNotModules() {
        QCOMPARE(findGpuModel("NVIDIA A100 80GB PCIe")->powerLimitW.value(), 300.0);
        const GpuModel* small = findGpuModel("NVIDIA A100-PCIE-40GB");
        QCOMPARE(small->powerLimitW.value(), 250.0);
        QCOMPARE(small->memoryBytes.value(), 40.0 * 1024 * 1024 * 1024);
        QCOMPARE(small->memoryBandwidth.value(), 1.555e12);
        const GpuModel* nvl = findGpuModel("NVIDIA H100 NVL");
        QCOMPARE(nvl->bf16Flops.value(), 1671e12 / 2);
        QCOMPARE(nvl->linkBandwidth.value(), 300e9);
        QCOMPARE(findGpuModel("NVIDIA H200 NVL")->powerLimitW.value(), 600.0);
        QVERIFY(!findGpuModel("Tesla V100-PCIE-16GB")->linkBandwidth);
    }
    // nvidia-smi shows MiB: 0MiB / 275040MiB of a B300 SXM6 AC.
    void memoryIsThatOfTheDriver() {
        constexpr double kMebibyte = 1024.0 * 1024.0;
        QCOMPARE(findGpuModel("NVIDIA B300 SXM6 AC")->memoryBytes.value(), 275040.0 * kMebibyte);
        QCOMPARE(findGpuModel("NVIDIA GB300")->memoryBytes.value(), 284208.0 * kMebibyte);
        QCOMPARE(findGpuModel("NVIDIA GB200")->memoryBytes.value(), 189471.0 * kMebibyte);
        QCOMPARE(findGpuModel("NVIDIA B200")->memoryBytes.value(), 183359.0 * kMebibyte);
        // 4.5 TB of HBM3e for 32 GPUs.
        const double rack = 32.0 * findGpuModel("GH200 NVL32")->memoryBytes.value();
        QVERIFY(rack > 4.5e12 && rack < 5e12);
    }
    void brokenCataloguesSayWhy() {
        QVERIFY(!parseGpuModels("{").hasValue());
        const auto noName = parseGpuModels(R"({"gpus":[{"match":["x"]}]})");
        VERIFY_FAILS(noName, "name");
    }

    // The GPU of a recording, guessed from names and from what was reached.
    void fromNames() {
        QCOMPARE(guessed(named("pgolf_8xH100_019b_diag_nvsmi.csv")), std::string("H100 SXM5"));
        QCOMPARE(guessed(named("mi300x-node4")), std::string("MI300X"));
        QCOMPARE(guessed(named("runs/GH200/power.csv")), std::string("GH200"));
        QCOMPARE(guessed(named("a100-sxm4-40gb.csv")), std::string("A100 SXM4 40GB"));
        QCOMPARE(guessed(named("8xA100_40GB_run1")), std::string("A100 SXM4 40GB"));
    }

    void notFromPartsOfWords() {
        for (const char* name :
            {"data100.csv", "h1000.csv", "alpha100", "sha100ab", "power.csv", ""})
            QCOMPARE(guessed(named(name)), std::string());
    }

    // Two models have 1.98 GHz and 700 W, H200 and H100; only an H100 would be full.
    void fromWhatWasReached() {
        const auto guess = guessGpuModel(trained());
        QVERIFY(guess.has_value());
        QCOMPARE(guess->model->name, std::string("H100 SXM5"));
        // Memory used 1, clock 2, power 2 of 12 points.
        QVERIFY(std::abs(guess->confidence - 5.0 / 12.0) < 1e-12);
        VERIFY_SAYS(guess->evidence, "clocks up to 1.98 GHz");
    }

    void moreThanOneFits() {
        GpuTraces traces = trained();
        traces.memoryUsedBytes.reset();
        QCOMPARE(guessed(traces), std::string());
        traces.memoryTotalBytes = 150.75e9;
        QCOMPARE(guessed(traces), std::string("H200 SXM"));
    }

    // 143771 MiB of an H200 and 145920 MiB of a GH200 of 144 GB lie within five per cent of each
    // other, and both reach 1.98 GHz.
    void theNearerMemoryCounts() {
        GpuTraces traces;
        traces.topClockHz = 1.98e9;
        traces.memoryTotalBytes = 143771.0 * 1024.0 * 1024.0;
        QCOMPARE(guessed(traces), std::string("H200 SXM"));
        traces.memoryTotalBytes = 145920.0 * 1024.0 * 1024.0;
        QCOMPARE(guessed(traces), std::string("GH200 NVL32"));
    }

    void whatANameSaysMustBePossible() {
        GpuTraces traces = named("a100-node");
        traces.peakPowerW = 690.0;
        QCOMPARE(guessed(traces), std::string());
        traces.peakPowerW = 410.0;
        QCOMPARE(guessed(traces), std::string("A100 SXM4 80GB"));
    }

    void neighboursName() {
        GpuTraces traces;
        traces.neighbours = {"NVIDIA H200"};
        QCOMPARE(guessed(traces), std::string("H200 SXM"));
    }

    void namesInLogs() {
        const std::vector<std::string> one{"NVIDIA H100 80GB HBM3"};
        QCOMPARE(
            deviceNamesIn("| NVIDIA-SMI 550.54 |\n|   0  NVIDIA H100 80GB HBM3          On  |"),
            one);
        QCOMPARE(deviceNamesIn("device 0: NVIDIA H100 80GB HBM3, 81559 MiB\n"
                               "device 1: NVIDIA H100 80GB HBM3, 81559 MiB\n"),
            one);
        QCOMPARE(deviceNamesIn("{\"name\": \"AMD Instinct MI300X\"}"),
            std::vector<std::string>{"AMD Instinct MI300X"});
        QVERIFY(deviceNamesIn("faster than on an H100; NVIDIA driver 550").empty());
        QCOMPARE(deviceNamesIn("NVIDIA A100-SXM4-80GB, NVIDIA H200").size(), std::size_t(2));
    }

    void theMarkTravelsWithTheName() {
        for (const GpuModel& model : gpuModels()) {
            QVERIFY(isInferredName(inferredName(model)));
            QCOMPARE(findGpuModel(inferredName(model)), &model);
            QCOMPARE(findGpuModel(model.name), &model);
            QVERIFY(!isInferredName(model.name));
        }
    }
};

TRAINSCOPE_TEST(tst_GpuModel)
#include "tst_GpuModel.moc"
