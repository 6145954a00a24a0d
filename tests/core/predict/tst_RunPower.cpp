// Constants of power and heat from runs in a database: those that were planted are found again.

#include "core/analysis/traces/PlantedTrace.h"
#include "core/predict/power/RunPower.h"
#include "core/predict/power/Telemetry.h"
#include "core/store/Fixture.h"
#include "core/store/Writing.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::predict;

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

bool isWithin(const std::optional<double>& value, double truth, double share) {
    return value && std::abs(*value / truth - 1.0) <= share;
}

GpuPower plantedGpu() {
    GpuPower gpu = gpuPowerOf(*catalogue::findGpuModel("H100 SXM5"));
    gpu.leakage = 0.0;
    return gpu;
}

// Four GPUs that work for 40 s and wait for 20 s in turn, from a cold start.
TelemetryRequest plantedRun() {
    TelemetryRequest out;
    out.gpu = plantedGpu();
    out.cluster.nodes.push_back({0, 0, {}});
    for (int i = 0; i < 4; ++i) {
        out.cluster.nodes.front().gpus.push_back({i, i, i, i >= 2, {}});
        const double begin = 3.0 * i;
        out.ranks.push_back({i, {{begin, begin + 40.0, Activity::Attention, 0.8 - 0.1 * i}}, 5e10});
    }
    out.air = {24.0, 0.006};
    out.stepSeconds = 60.0;
    out.steps = 12;
    out.restSeconds = 60.0;
    out.periodSeconds = 1.0;
    out.sensorSeconds = 1.0;
    return out;
}

} // namespace

class tst_RunPower : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void findsWhatATelemetryWasMadeOf() {
        QTemporaryDir folder;
        const auto path = folder.filePath(QStringLiteral("run.trainscope")).toStdString();
        auto store = store::Store::openOrCreate(path);
        QVERIFY(store.hasValue());
        const TelemetryRequest request = plantedRun();
        const auto telemetry = predictTelemetry(request);
        QVERIFY(telemetry.hasValue());
        {
            auto session = store::beginImport(store.value(), {"made", 1, "hash", "planted"});
            QVERIFY(session.hasValue());
            Run run;
            run.name = "planted";
            run.gpuModel = "NVIDIA H100 80GB HBM3";
            const auto id = session.value()->run(run);
            QVERIFY(id.hasValue());
            for (int i = 0; i < 4; ++i)
                QVERIFY(session.value()->gpu(id.value(), {i, 0, i, run.gpuModel, {}}).hasValue());
            ImportReport report;
            QVERIFY(writeTelemetry(
                telemetry.value(), TimeNs{1'000'000'000}, id.value(), *session.value(), report)
                        .hasValue());
            QVERIFY(session.value()->finish(report, "hash", 1, {}).hasValue());
        }
        const auto run = store.value().findRun("planted");
        QVERIFY(run.hasValue());
        const auto found = powerOfRun({store.value(), run.value()});
        QVERIFY2(found.hasValue(), found.hasValue() ? "" : found.error().message.c_str());
        const RunPower& power = found.value();
        // Waits inside of steps poll, so idle is told by what is before the first step.
        QVERIFY(power.states.idleW.has_value());
        QVERIFY(power.thermal && power.air && power.temperature);
        QVERIFY(isWithin(power.thermal->resistance, request.gpu.thermal.resistance, 0.06));
        QVERIFY(isWithin(power.thermal->seconds, request.gpu.thermal.seconds, 0.3));
        QVERIFY(std::abs(power.air->inletC - 24.0) < 1.5);
        QVERIFY(isWithin(power.air->risePerW, 0.006, 0.35));
        QVERIFY(power.temperature->mean < 0.8);
        QVERIFY(!power.activities);
        QCOMPARE(power.nodes.front().ranks, (std::vector<int>{0, 1, 2, 3}));
    }

    // Idle 100, parked 60, busy 500 W at half of the time, each ten times.
    void statesAreMedians() {
        GpuPower gpu = plantedGpu();
        std::vector<PowerMoment> moments;
        for (int i = 0; i < 40; ++i) {
            moments.push_back({100.0 + i % 3 - 1.0, 2e9, 0.0, 30.0});
            moments.push_back({60.0 + i % 3 - 1.0, 0.4e9, 0.0, 30.0});
            moments.push_back({500.0 + i % 3 - 1.0, 2e9, 1.0, 30.0});
        }
        const StatePowers states = statePowers(gpu, {moments});
        QVERIFY(isWithin(states.idleW, 100.0, 1e-9));
        QVERIFY(isWithin(states.parkedW, 60.0, 1e-9));
        QVERIFY(isWithin(states.busyW, 500.0, 1e-9));
        QVERIFY(!states.limitW);
        QCOMPARE(states.highestHz, 2e9);
        QVERIFY(states.residual.has_value());
        QVERIFY(states.residual->mean < 1.0 + 1.5);
        QCOMPARE(states.residual->moments, std::size_t{48}); // 0.4 of 120
    }

    void aPlateauOnWhichClocksGiveWayIsALimit() {
        std::vector<PowerMoment> moments;
        for (int i = 0; i < 50; ++i)
            moments.push_back({697.0 + i % 5, (i == 0 ? 2.0 : 1.8) * 1e9, 1.0, 60.0});
        const StatePowers states = statePowers(plantedGpu(), {moments});
        QVERIFY(isWithin(states.limitW, 700.0, 0.005));
        QVERIFY(*states.busyW > 700.0); // its draw at the highest clock
    }

    void unknownReadingsAreLeftOut() {
        const std::vector<PowerMoment> moments(40, {kNone, 2e9, 1.0, 60.0});
        const StatePowers states = statePowers(plantedGpu(), {moments});
        QVERIFY(!states.idleW && !states.busyW && !states.residual);
    }

    // Products at 600 W, norms at 350 W, a collective at 250 W, rest at 120 W, in turns of changing
    // length, read every 20 ms as they are; also where another source broke off after 5 readings.
    void tracesTellActivities_data() {
        const auto row = test::columns<bool>("isTwin");
        row("one source", false);
        row("two sources", true);
    }
    void tracesTellActivities() {
        QFETCH(bool, isTwin);
        test::PlantedTrace trace;
        trace.run.gpuModel = "NVIDIA H100 80GB HBM3";
        trace.sensor = SensorKind::Instant;
        struct Turn {
            const char* kernel;
            double watts;
        };
        const std::vector<Turn> turns{{"sm90_xmma_gemm_bf16", 600.0}, {"layer_norm_kernel", 350.0},
            {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL", 250.0}, {"", 120.0}};
        std::int64_t now = 0;
        std::int64_t read = 0;
        std::vector<std::int64_t> at;
        std::vector<double> watts;
        for (int i = 0; i < 400; ++i) {
            const Turn& turn = turns[static_cast<std::size_t>(i * 7 / 3) % turns.size()];
            const std::int64_t length = (60 + 37 * (i % 5)) * test::kMs;
            if (turn.kernel[0] != 0)
                trace.kernel(0, "7", turn.kernel, now, length);
            now += length;
            for (; read < now; read += 20 * test::kMs) {
                at.push_back(read);
                watts.push_back(turn.watts);
            }
        }
        for (std::size_t i = 0; i < (isTwin ? 5 : at.size()); ++i)
            trace.power(0, at[i], watts[i]);
        auto store = trace.store();
        SeriesDescription power = test::gauge("gpu_power", 0);
        power.sensor = trace.sensor;
        if (isTwin)
            test::addSeries(store, power, at, watts);
        const auto run = store.findRun("run");
        const auto found = powerOfRun({store, run.value()});
        QVERIFY2(found.hasValue(), found.hasValue() ? "" : found.error().message.c_str());
        QVERIFY(found.value().activities.has_value());
        const ActivityPowers& powers = *found.value().activities;
        QVERIFY(isWithin(powers.watts[Activity::Gemm], 600.0, 0.03));
        QVERIFY(isWithin(powers.watts[Activity::Memory], 350.0, 0.03));
        QVERIFY(isWithin(powers.watts[Activity::Communication], 250.0, 0.05));
        QVERIFY(isWithin(powers.watts[Activity::Waiting], 120.0, 0.08));
        QVERIFY(!powers.watts[Activity::Attention]);
        QVERIFY(powers.residual && powers.residual->relative < 0.1);
        const GpuPower gpu = calibrated(plantedGpu(), found.value());
        QVERIFY(std::abs(gpu.activeW[Activity::Gemm] - (600.0 - gpu.idleW)) < 20.0);
    }
};

TRAINSCOPE_TEST(tst_RunPower)
#include "tst_RunPower.moc"
