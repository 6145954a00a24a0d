// The powers of phases behind sensors that average, against the powers that were planted.

#include "core/analysis/energy/KernelsAboveLimit.h"
#include "core/analysis/energy/PowerFit.h"
#include "core/analysis/traces/PlantedTrace.h"
#include "support/TestProgram.h"

using namespace trainscope::analysis;
using test::kMs;

namespace {

constexpr double kMsNs = 1e6;
constexpr std::array kPlantedW{640.0, 310.0, 125.0}; // compute, exposed communication, idle
constexpr std::size_t kIdleClass = 2;

struct PlantedPhase {
    std::size_t label;
    double beginNs;
    double endNs;
    double watts;
};

// Work in a row from 0 on; 80 W before and behind it.
struct PlantedWork {
    std::vector<PlantedPhase> phases;
    std::vector<double> joulesNs{0.0}; // W·ns until the begin of each, and the end

    void add(std::size_t label, double lengthNs, double watts) {
        const double begin = phases.empty() ? 0.0 : phases.back().endNs;
        phases.push_back({label, begin, begin + lengthNs, watts});
        joulesNs.push_back(joulesNs.back() + lengthNs * watts);
    }
    [[nodiscard]] double lengthNs() const { return phases.back().endNs; }
    // W·ns until then.
    [[nodiscard]] double until(double atNs) const {
        if (atNs <= 0.0)
            return 80.0 * atNs;
        const auto next = std::upper_bound(phases.begin(), phases.end(), atNs,
            [](double at, const PlantedPhase& phase) { return at < phase.endNs; });
        const double before = joulesNs[static_cast<std::size_t>(next - phases.begin())];
        return next == phases.end() ? before + 80.0 * (atNs - lengthNs())
                                    : before + next->watts * (atNs - next->beginNs);
    }
    [[nodiscard]] ClassTimes times() const {
        ClassTimes result({{0}, {std::llround(lengthNs())}});
        for (const PlantedPhase& phase : phases)
            result.add({{std::llround(phase.beginNs)}, {std::llround(phase.endNs)}}, phase.label);
        result.finish();
        return result;
    }
    [[nodiscard]] std::vector<double> seconds() const {
        std::vector<double> result(kPlantedW.size(), 0.0);
        for (const PlantedPhase& phase : phases)
            result[phase.label] += 1e-9 * (phase.endNs - phase.beginNs);
        return result;
    }
    [[nodiscard]] double joules(std::size_t label) const {
        double sum = 0.0;
        for (const PlantedPhase& phase : phases)
            sum += phase.label == label ? 1e-9 * phase.watts * (phase.endNs - phase.beginNs) : 0.0;
        return sum;
    }
};

struct PlantedSensor {
    double windowNs = 0.0;
    double periodNs = 0.0;
    double lagNs = 0.0;
    double noise = 0.0; // the reading's; to whole watts beside
};

class Planter {
public:
    explicit Planter(unsigned seed)
        : m_random(seed) { }

    double uniform(double from, double to) {
        return std::uniform_real_distribution(from, to)(m_random);
    }
    // Phases of 12 to 200 ms in turn.
    PlantedWork shortPhases(double lengthNs) {
        PlantedWork work;
        while (work.phases.empty() || work.lengthNs() < lengthNs) {
            for (std::size_t label = 0; label < kPlantedW.size(); ++label)
                work.add(label, kMsNs * std::exp(uniform(std::log(12.0), std::log(200.0))),
                    kPlantedW[label]);
        }
        return work;
    }
    std::vector<PowerReading> readings(const PlantedWork& work, const PlantedSensor& sensor) {
        std::vector<PowerReading> result;
        std::normal_distribution<double> normal;
        for (double at = -2.5e9 + uniform(0.0, sensor.periodNs); at < work.lengthNs() + 2.5e9;
             at += sensor.periodNs) {
            const double seen = at - sensor.lagNs;
            const double watts
                = (work.until(seen) - work.until(seen - sensor.windowNs)) / sensor.windowNs;
            result.push_back({at, std::round(watts * (1.0 + sensor.noise * normal(m_random)))});
        }
        return result;
    }

private:
    std::mt19937 m_random;
};

struct Estimated {
    PowerEstimate powers;
    std::optional<EstimatedEnergy> whole;
    std::vector<std::optional<EstimatedEnergy>> classes;
};

Estimated estimated(const PlantedWork& work, const std::vector<PowerReading>& readings) {
    const SensorFacts facts{0.0, false, 700.0, kIdleClass};
    const ClassTimes times = work.times();
    Estimated result{
        PowerEstimate::of(times, readings, findResponses(times, readings, facts), facts), {}, {}};
    result.whole = result.powers.of(work.seconds(), 0.0, work.lengthNs());
    std::vector<std::vector<double>> parts;
    for (std::size_t k = 0; k < kPlantedW.size(); ++k) {
        parts.emplace_back(kPlantedW.size(), 0.0);
        parts.back()[k] = work.seconds()[k];
    }
    result.classes = result.whole ? result.powers.split(parts, result.whole->joules)
                                  : std::vector<std::optional<EstimatedEnergy>>(kPlantedW.size());
    return result;
}

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

class tst_PowerEstimate : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void shortPhasesBehindAnAverage_data() {
        test::columns<double, double>("window", "period");
        for (const double period : {20.0, 50.0, 100.0}) {
            for (const double window : {25.0, 50.0, 100.0, 250.0, 500.0, 1000.0})
                QTest::addRow("%g ms every %g ms", window, period) << window << period;
        }
    }
    // Noise of 1 to 2 %, whole watts, a lag of up to 60 ms; three runs of 20 s for each sensor.
    void shortPhasesBehindAnAverage() {
        QFETCH(double, window);
        QFETCH(double, period);
        const double most = window >= 1000.0 ? 0.08 : 0.05;
        for (unsigned seed = 0; seed < 3; ++seed) {
            Planter planter(static_cast<unsigned>(window * 1000.0 + period * 10.0) + seed);
            const PlantedWork work = planter.shortPhases(20e9);
            const PlantedSensor sensor{window * kMsNs, period * kMsNs,
                planter.uniform(0.0, 60.0) * kMsNs, planter.uniform(0.01, 0.02)};
            const auto found = estimated(work, planter.readings(work, sensor));
            QVERIFY(found.whole.has_value());
            QVERIFY(std::abs(found.powers.response().windowNs / sensor.windowNs - 1.0) < 0.1);
            double sum = 0.0;
            double whole = 0.0;
            for (std::size_t k = 0; k < kPlantedW.size(); ++k) {
                QVERIFY(found.classes[k].has_value());
                const EstimatedEnergy& energy = *found.classes[k];
                const double truth = work.joules(k);
                QVERIFY2(std::abs(energy.joules / truth - 1.0) <= most,
                    qPrintable(QStringLiteral("class %1, seed %2: %3 J, truly %4 J")
                                   .arg(k)
                                   .arg(seed)
                                   .arg(energy.joules)
                                   .arg(truth)));
                ++m_estimates;
                m_covered += energy.low <= truth && truth <= energy.high ? 1 : 0;
                sum += energy.joules;
                whole += truth;
            }
            QVERIFY(std::abs(sum - found.whole->joules) < 1e-6 * sum);
            QVERIFY(std::abs(found.whole->joules / whole - 1.0) < 0.01);
        }
    }
    // Runs after the 162 above.
    void intervalsCover() {
        if (m_estimates == 0)
            QSKIP("is counted over the other runs");
        QVERIFY2(10 * m_covered >= 9 * m_estimates,
            qPrintable(QStringLiteral("%1 of %2").arg(m_covered).arg(m_estimates)));
    }
    // Iterations of 60, 40 and 30 ms that are all alike: windows that differ by 130 ms would do,
    // were it not for the begin and the end.
    void worksThatRepeatExactly() {
        Planter planter(5);
        PlantedWork work;
        for (int i = 0; i < 200; ++i) {
            work.add(0, 60.0 * kMsNs, kPlantedW[0]);
            work.add(1, 40.0 * kMsNs, kPlantedW[1]);
            work.add(2, 30.0 * kMsNs, kPlantedW[2]);
        }
        const auto found = estimated(
            work, planter.readings(work, {100.0 * kMsNs, 20.0 * kMsNs, 15.0 * kMsNs, 0.01}));
        for (std::size_t k = 0; k < kPlantedW.size(); ++k) {
            QVERIFY(found.classes[k].has_value());
            QVERIFY(std::abs(found.classes[k]->joules / work.joules(k) - 1.0) < 0.05);
        }
    }
    // Work that repeats with the sensor's window: each reading sees the same mixture.
    void phasesThatNeverVaryAreNotTold() {
        Planter planter(7);
        PlantedWork work;
        for (int i = 0; i < 1'000; ++i) {
            for (std::size_t label = 0; label < kPlantedW.size(); ++label)
                work.add(label, 5.0 * kMsNs, kPlantedW[label]);
        }
        const auto found = estimated(
            work, planter.readings(work, {15.0 * kMsNs * 20.0, 50.0 * kMsNs, 0.0, 0.01}));
        QVERIFY(found.whole.has_value()); // all of it together is known
        for (const auto& one : found.classes)
            QVERIFY(!one.has_value());
    }
    void tooFewReadings() {
        Planter planter(9);
        const PlantedWork work = planter.shortPhases(1.2e9);
        const auto found
            = estimated(work, planter.readings(work, {1000.0 * kMsNs, 100.0 * kMsNs, 0.0, 0.01}));
        QVERIFY(!found.powers.isUsable());
        QVERIFY(!found.whole.has_value());
    }
    // Compute falls from 640 W to 440 W over the run: the first fifth of it still gets its own
    // energy.
    void powerThatDrifts() {
        Planter planter(11);
        PlantedWork work = planter.shortPhases(30e9);
        PlantedWork drifting;
        for (const PlantedPhase& phase : work.phases) {
            const double done = phase.beginNs / work.lengthNs();
            drifting.add(phase.label, phase.endNs - phase.beginNs,
                phase.watts - (phase.label == 0 ? 200.0 * done : 0.0));
        }
        const auto readings
            = planter.readings(drifting, {100.0 * kMsNs, 50.0 * kMsNs, 20.0 * kMsNs, 0.01});
        const auto found = estimated(drifting, readings);
        const double fifth = drifting.lengthNs() / 5.0;
        const ClassTimes times = drifting.times();
        std::vector<double> seconds(kPlantedW.size(), 0.0);
        times.addUntil(fifth, 1e-9, seconds);
        const auto first = found.powers.of(seconds, 0.0, fifth);
        QVERIFY(first.has_value());
        const double truth = 1e-9 * drifting.until(fifth);
        QVERIFY(std::abs(first->joules / truth - 1.0) < 0.01);
        QVERIFY(std::abs(found.powers.joules(seconds) / truth - 1.0) > 0.03); // without its rest
        for (std::size_t k = 0; k < kPlantedW.size(); ++k)
            QVERIFY(std::abs(found.classes[k]->joules / drifting.joules(k) - 1.0) < 0.05);
    }
    // 0 to 4 ms class 0, to 10 ms class 1, to 12 ms both in equal parts.
    void timesOfClasses() {
        ClassTimes times({{1'000'000}, {13'000'000}});
        times.add({{1'000'000}, {5'000'000}}, 0);
        times.add({{5'000'000}, {11'000'000}}, 1);
        times.add({{11'000'000}, {13'000'000}}, 0, 0.5);
        times.add({{11'000'000}, {13'000'000}}, 1, 0.5);
        times.finish();
        const auto until = [&times](double at) {
            std::vector<double> sums(2, 0.0);
            times.addUntil(at, 1.0, sums);
            return sums;
        };
        const double cell = ClassTimes::kFinestNs;
        QVERIFY(std::abs(until(3e6)[0] - 3e6) < 1.0);
        QVERIFY(std::abs(until(8e6)[0] - 4e6) < 1.0);
        QVERIFY(std::abs(until(8e6)[1] - 4e6) < cell);
        QVERIFY(std::abs(until(12e6)[0] - 5e6) < 1.0);
        QVERIFY(std::abs(until(12e6)[1] - 7e6) < 1.0);
        QVERIFY(std::abs(until(1e9)[0] + until(1e9)[1] - 12e6) < 1.0);
        QCOMPARE(until(-5.0)[0], 0.0);
    }

    // Kernels that ran above the power limit, on a trace whose joules are worked out by hand.

    void secondsShareAndHighest() {
        test::PlantedTrace trace;
        plantPower(trace);
        const auto store = trace.store();
        const auto gpus = aboveLimits(test::studyOf(store), kAllTime, KeepSteps::Yes).value();
        QCOMPARE(gpus.size(), std::size_t{1});
        const AboveLimit& gpu = gpus.front();
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
        const auto part = aboveLimits(test::studyOf(store), {{15 * kMs}, {25 * kMs}}, KeepSteps::No)
                              .value()
                              .front();
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
        const auto found
            = kernelsAboveLimit(test::studyOf(store), KernelCategories::builtIn(), kAllTime)
                  .value();
        QCOMPARE(found.size(), std::size_t{1});
        const DeviceAboveLimit& device = found.front();
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
        const auto found
            = kernelsAboveLimit(test::studyOf(store), KernelCategories::builtIn(), kAllTime);
        QCOMPARE(found.value().front().gpu.seconds, 0.0);
        QCOMPARE(found.value().front().gpu.highestW, 700.0);
        QVERIFY(found.value().front().kernels.empty());
    }

    void withoutALimitNothingIsSaid() {
        test::PlantedTrace trace;
        trace.power(0, 0, 700.0);
        trace.power(0, 10 * kMs, 650.0);
        const auto store = trace.store();
        QVERIFY(aboveLimits(test::studyOf(store), kAllTime, KeepSteps::No).value().empty());
    }

    // 600 W all the time; the recorded limit falls from 700 to 500 W at 15 ms and rises again at
    // 25 ms.
    void aLimitThatChanges() {
        test::PlantedTrace trace;
        const Subject first{SubjectKind::Gpu, 0, -1, {}};
        trace.gpus = {{0, 0, 0, {}, {}}};
        trace.series("gpu_power", first, 0, 10 * kMs, {600, 600, 600, 600, 600});
        trace.series(
            "power_limit", first, {{0}, {15 * kMs}, {25 * kMs}, {40 * kMs}}, {700, 500, 700, 700});
        const auto store = trace.store();
        const auto found = aboveLimits(test::studyOf(store), kAllTime, KeepSteps::Yes);
        const AboveLimit& gpu = found.value().front();
        QCOMPARE(gpu.source, std::string("recorded"));
        QCOMPARE(gpu.limitW, 700.0);
        QCOMPARE(gpu.seconds, 0.010);
        QCOMPARE(gpu.share, 0.25);
        QCOMPARE(staysAbove(gpu.steps), (std::vector<TimeRange>{{{15 * kMs}, {25 * kMs}}}));
    }

private:
    int m_estimates = 0;
    int m_covered = 0;
};

TRAINSCOPE_TEST(tst_PowerEstimate)
#include "tst_PowerEstimate.moc"
