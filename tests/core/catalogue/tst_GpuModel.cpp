#include <QtTest>

#include "core/catalogue/GpuModel.h"
#include "core/catalogue/Tables.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::catalogue;

class tst_GpuModel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theBuiltInTextIsWhole() {
        const auto models = parseGpuModels(builtInHardware());
        QVERIFY(models.hasValue());
        QCOMPARE(models.value().size(), std::size_t{45});
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
        QTest::addColumn<QByteArray>("device");
        QTest::addColumn<QByteArray>("model"); // empty: none
        QTest::newRow("H100") << QByteArray("NVIDIA H100 80GB HBM3") << QByteArray("H100 SXM5");
        QTest::newRow("H100 PCIe") << QByteArray("NVIDIA H100 PCIe") << QByteArray("H100 PCIe");
        QTest::newRow("H200") << QByteArray("NVIDIA H200") << QByteArray("H200 SXM");
        QTest::newRow("GH200") << QByteArray("NVIDIA GH200 120GB") << QByteArray("GH200");
        QTest::newRow("A100") << QByteArray("NVIDIA A100-SXM4-80GB")
                              << QByteArray("A100 SXM4 80GB");
        QTest::newRow("A100 40") << QByteArray("NVIDIA A100-SXM4-40GB")
                                 << QByteArray("A100 SXM4 40GB");
        QTest::newRow("V100") << QByteArray("Tesla V100-SXM2-32GB") << QByteArray("V100 SXM2");
        // Cards are no modules: less power, other links.
        QTest::newRow("A100 80 PCIe")
            << QByteArray("NVIDIA A100 80GB PCIe") << QByteArray("A100 PCIe");
        QTest::newRow("A100 40 PCIe")
            << QByteArray("NVIDIA A100-PCIE-40GB") << QByteArray("A100 PCIe 40GB");
        QTest::newRow("H100 NVL") << QByteArray("NVIDIA H100 NVL") << QByteArray("H100 NVL");
        QTest::newRow("H200 NVL") << QByteArray("NVIDIA H200 NVL") << QByteArray("H200 NVL");
        QTest::newRow("GH200 NVL32") << QByteArray("GH200 NVL32") << QByteArray("GH200 NVL32");
        QTest::newRow("V100 16") << QByteArray("Tesla V100-SXM2-16GB")
                                 << QByteArray("V100 SXM2 16GB");
        QTest::newRow("V100 PCIe") << QByteArray("Tesla V100-PCIE-32GB") << QByteArray("V100 PCIe");
        // As clouds, clusters and people write them.
        QTest::newRow("A100 40, hyphen") << QByteArray("A100-40GB") << QByteArray("A100 SXM4 40GB");
        QTest::newRow("A100 40, underscore")
            << QByteArray("a100_40gb") << QByteArray("A100 SXM4 40GB");
        QTest::newRow("A100 40, SXM")
            << QByteArray("A100-SXM-40GB") << QByteArray("A100 SXM4 40GB");
        QTest::newRow("A100 40, PCIe last")
            << QByteArray("NVIDIA A100 40GB PCIe") << QByteArray("A100 PCIe 40GB");
        QTest::newRow("A100 80, underscore")
            << QByteArray("a100_80gb") << QByteArray("A100 SXM4 80GB");
        QTest::newRow("V100 16, hyphen") << QByteArray("v100-16gb") << QByteArray("V100 SXM2 16GB");
        QTest::newRow("MI250") << QByteArray("AMD Instinct MI250") << QByteArray("MI250");
        QTest::newRow("MI250X") << QByteArray("AMD Instinct MI250X") << QByteArray("MI250X");
        QTest::newRow("lower case") << QByteArray("h200") << QByteArray("H200 SXM");
        QTest::newRow("another") << QByteArray("NVIDIA RTX A4500") << QByteArray();
        QTest::newRow("nothing") << QByteArray() << QByteArray();
    }
    void namesAsDriversWriteThem() {
        QFETCH(const QByteArray, device);
        QFETCH(const QByteArray, model);
        const GpuModel* found = findGpuModel(device.toStdString());
        QCOMPARE(found == nullptr ? QByteArray() : QByteArray::fromStdString(found->name), model);
    }
    // Makers' data sheets: dense teraflops of 16 bits, gigabytes a second, watts.
    void knownByDataSheet_data() {
        QTest::addColumn<QByteArray>("device");
        QTest::addColumn<double>("teraflops");
        QTest::addColumn<double>("bandwidth");
        QTest::addColumn<double>("watts");
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
        QVERIFY(!noName.hasValue());
        QVERIFY(noName.error().message.find("name") != std::string::npos);
    }
};

TRAINSCOPE_TEST(tst_GpuModel)
#include "tst_GpuModel.moc"
