// Kernels that ran above the power limit, on a trace whose joules are worked out by hand.

#include "core/analysis/energy/KernelsAboveLimit.h"
#include "core/analysis/traces/PlantedTrace.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::analysis;
using test::kMs;

namespace {

// The limit is 700 W; power is above it from 10 to 30 ms and from 40 to 50 ms. The time after the
// missing sample counts nowhere.
void plantPower(test::PlantedTrace& trace) {
    trace.run.gpuModel = "NVIDIA H100 80GB HBM3";
    const double watts[] = {500, 800, 900, std::nan(""), 750, 600, 600};
    for (int i = 0; i < 7; ++i)
        trace.power(0, i * 10 * kMs, watts[i]);
}

const KernelAboveLimit* find(const std::vector<KernelAboveLimit>& rows, const std::string& name) {
    for (const auto& row : rows) {
        if (row.name == name)
            return &row;
    }
    return nullptr;
}

} // namespace

class tst_KernelsAboveLimit : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void secondsShareAndHighest() {
        test::PlantedTrace trace;
        plantPower(trace);
        const auto store = trace.store();
        const auto run = store.findRun("run").value();
        const auto gpus = aboveLimits({store, run}, kAllTime, KeepSteps::Yes);
        QVERIFY(gpus.hasValue());
        QCOMPARE(gpus.value().size(), std::size_t{1});
        const AboveLimit& gpu = gpus.value().front();
        QCOMPARE(gpu.limitW, 700.0);
        QCOMPARE(gpu.source, std::string("catalogue"));
        QCOMPARE(gpu.seconds, 0.030);
        QCOMPARE(gpu.coveredSeconds, 0.050);
        QCOMPARE(gpu.share, 0.6);
        QCOMPARE(gpu.highestW, 900.0);
        QCOMPARE(gpu.joules, 24.5); // 8 + 9 + 7.5
        const auto stays = staysAbove(gpu.steps);
        QCOMPARE(
            stays, (std::vector<TimeRange>{{{10 * kMs}, {30 * kMs}}, {{40 * kMs}, {50 * kMs}}}));
        // From 15 to 25 ms it is above all the time, from the sample before the window on.
        const auto part
            = aboveLimits({store, run}, {{15 * kMs}, {25 * kMs}}, KeepSteps::No).value().front();
        QCOMPARE(part.seconds, 0.010);
        QCOMPARE(part.share, 1.0);
        QCOMPARE(part.highestW, 900.0);
        QVERIFY(part.steps.empty());
    }

    // gemm alone at 12 to 14 ms, beside relu until 16; relu alone until 18; gemm again from 25 to
    // 45 ms, of which 30 to 40 are not above; a copy from 46 to 48.
    void whatRanThen() {
        test::PlantedTrace trace;
        plantPower(trace);
        trace.kernel(0, "7", "a_gemm", 12 * kMs, 4 * kMs);
        trace.kernel(0, "8", "a_relu", 14 * kMs, 4 * kMs);
        trace.kernel(0, "7", "a_gemm", 25 * kMs, 20 * kMs);
        trace.work(0, "8", SpanKind::Copy, "Memcpy DtoD", 46 * kMs, 2 * kMs);
        const auto store = trace.store();
        const auto found = kernelsAboveLimit(
            {store, store.findRun("run").value()}, KernelCategories::builtIn(), kAllTime);
        QVERIFY(found.hasValue());
        QCOMPARE(found.value().size(), std::size_t{1});
        const DeviceAboveLimit& device = found.value().front();
        QCOMPARE(device.gpu.seconds, 0.030);
        QCOMPARE(device.traced.ns, 26 * kMs);
        QVERIFY(std::abs(device.tracedJoules - 21.4) < 1e-9); // 6.4 + 9 + 6
        QCOMPARE(device.none.ns, 8 * kMs);
        QVERIFY(std::abs(device.noneJoules - 6.85) < 1e-9); // 1.6 + 4.5 + 0.75
        QCOMPARE(device.kernels.size(), std::size_t{3});
        QCOMPARE(device.kernels.front().name, std::string("a_gemm"));
        const auto* gemm = find(device.kernels, "a_gemm");
        QCOMPARE(gemm->count, std::int64_t{2});
        QCOMPARE(gemm->time.ns, 14 * kMs);
        QVERIFY(std::abs(gemm->joules - 10.65) < 1e-9); // 1.6 + 0.8, 4.5, 3.75
        QVERIFY(std::abs(find(device.kernels, "a_relu")->joules - 2.4) < 1e-9);
        const auto* copy = find(device.kernels, "Memcpy DtoD");
        QCOMPARE(copy->category, std::string("copy"));
        QVERIFY(std::abs(copy->joules - 1.5) < 1e-9);
    }

    void neverAbove() {
        test::PlantedTrace trace;
        trace.run.gpuModel = "NVIDIA H100 80GB HBM3";
        trace.power(0, 0, 700.0);
        trace.power(0, 10 * kMs, 650.0);
        trace.kernel(0, "7", "a_gemm", 0, 10 * kMs);
        const auto store = trace.store();
        const auto found = kernelsAboveLimit(
            {store, store.findRun("run").value()}, KernelCategories::builtIn(), kAllTime);
        QCOMPARE(found.value().front().gpu.seconds, 0.0);
        QCOMPARE(found.value().front().gpu.highestW, 700.0);
        QVERIFY(found.value().front().kernels.empty());
    }

    void withoutALimitNothingIsSaid() {
        test::PlantedTrace trace;
        trace.power(0, 0, 700.0);
        trace.power(0, 10 * kMs, 650.0);
        const auto store = trace.store();
        QVERIFY(aboveLimits({store, store.findRun("run").value()}, kAllTime, KeepSteps::No)
                    .value()
                    .empty());
    }

    // 600 W all the time; the recorded limit falls from 700 to 500 W at 15 ms and rises again at
    // 25 ms.
    void aLimitThatChanges() {
        QTemporaryDir folder;
        auto opened = store::Store::openOrCreate(
            folder.filePath(QStringLiteral("l.trainscope")).toStdString());
        store::Store& database = opened.value();
        auto session = store::beginImport(database, {"/made/up", 1, "hash", "r"});
        Run made;
        made.name = "r";
        const RunId id = session.value()->run(made).value();
        const auto write = [&](const char* name, const std::vector<TimeNs>& times,
                               const std::vector<double>& values) {
            SeriesDescription description;
            description.metric = *findMetric(name);
            description.subject.rank = 0;
            const auto series = session.value()->series(id, description);
            (void)session.value()->samples(series.value(), times, values);
        };
        (void)session.value()->gpu(id, {0, 0, 0, {}, {}});
        write("gpu_power", {{0}, {10 * kMs}, {20 * kMs}, {30 * kMs}, {40 * kMs}},
            {600, 600, 600, 600, 600});
        write("power_limit", {{0}, {15 * kMs}, {25 * kMs}, {40 * kMs}}, {700, 500, 700, 700});
        (void)session.value()->finish({}, "hash", 1, {});
        const auto found
            = aboveLimits({database, database.findRun("r").value()}, kAllTime, KeepSteps::Yes);
        const AboveLimit& gpu = found.value().front();
        QCOMPARE(gpu.source, std::string("recorded"));
        QCOMPARE(gpu.limitW, 700.0);
        QCOMPARE(gpu.seconds, 0.010);
        QCOMPARE(gpu.share, 0.25);
        QCOMPARE(staysAbove(gpu.steps), (std::vector<TimeRange>{{{15 * kMs}, {25 * kMs}}}));
    }
};

TRAINSCOPE_TEST(tst_KernelsAboveLimit)
#include "tst_KernelsAboveLimit.moc"
