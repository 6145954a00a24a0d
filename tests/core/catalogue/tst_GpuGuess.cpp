// The GPU of a recording, guessed from names and from what was reached.

#include "core/catalogue/GpuGuess.h"
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

class tst_GpuGuess : public QObject {
    Q_OBJECT

private Q_SLOTS:
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

TRAINSCOPE_TEST(tst_GpuGuess)
#include "tst_GpuGuess.moc"
