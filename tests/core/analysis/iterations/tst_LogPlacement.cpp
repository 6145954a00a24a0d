// Logs without dates in planted telemetry: the start must be found within the stated error, at
// several levels of noise, and where the record cannot tell that must be said.

#include "core/analysis/iterations/LogPlacement.h"
#include "core/analysis/iterations/RunDetail.h"
#include "core/analysis/traces/PlantedTrace.h"
#include "core/store/Fixture.h"
#include "core/text/Times.h"
#include "support/TestProgram.h"

using namespace trainscope::analysis;
using namespace trainscope::test;

namespace {

constexpr TimeNs kRecordBegin{1'700'000'000'000'000'000};

struct Planned {
    double noiseW = 0.0;
    double periodS = 1.0; // the samples'
    double startS = 100.0; // the first iteration in the record
    double recordS = 900.0;
    std::vector<double> stretches{200.0, 150.0}; // s of work between pauses
    std::vector<double> pauses{30.0};
    bool busyBefore = false; // other work that draws as much, 20 s before
    bool isSteady = false; // works all the time
};

DurationNs seconds(double s) {
    return {std::llround(s * 1e9)};
}

// Iterations of half a second.
LoggedWork workOf(const Planned& planned) {
    LoggedWork work;
    double at = 0.0;
    for (const double length : planned.stretches) {
        LoggedWork::Piece piece;
        piece.begin = seconds(at);
        piece.end = seconds(at + length);
        piece.iterations = static_cast<std::int64_t>(length / 0.5);
        piece.isAfterPause = at > 0.0;
        work.pieces.push_back(piece);
        at += length;
    }
    return work;
}

bool isBusy(const Planned& planned, double time) {
    double at = planned.startS;
    if (planned.isSteady || (planned.busyBefore && time >= 20.0 && time < at - 20.0))
        return true;
    for (std::size_t i = 0; i < planned.stretches.size(); ++i) {
        if (time >= at && time < at + planned.stretches[i])
            return true;
        at += planned.stretches[i] + (i < planned.pauses.size() ? planned.pauses[i] : 0.0);
    }
    return false;
}

WorkSignal signalOf(const Planned& planned, unsigned seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> noise(0.0, planned.noiseW);
    std::vector<double> watts;
    for (double at = 0.0; at < planned.recordS; at += planned.periodS) {
        const double level = isBusy(planned, at) ? 5500.0 : 950.0;
        watts.push_back(level + (planned.noiseW > 0.0 ? noise(random) : 0.0));
    }
    return workSignal(kRecordBegin, seconds(planned.periodS), watts);
}

QByteArray told(const LogPlacement& found) {
    return QByteArray::fromStdString(placementText(found)) + " instead of "
        + QByteArray::number((found.start - kRecordBegin).seconds());
}

constexpr std::int64_t kBegin = 1'735'689'600'000'000'000;
constexpr std::int64_t kPeriod = 100'000'000;
constexpr int kSamples = 6000; // 10 minutes at 10 Hz

// One run with two nodes of four GPUs, in which all that is to be found is planted: rear GPUs
// (local 2 and 3) 9 °C hotter, a swing of ±50 W per GPU at 0.4 Hz, and rank 6 throttled for 30 s.
class Planted {
public:
    Planted()
        : m_store(filled())
        , m_run(m_store.findRun("planted").value()) { }

    [[nodiscard]] Result<RunDetail> detail(
        const Progress& progress = {}, const DetailQuery& query = {}) const {
        const auto iterations = iterationsOf({m_store, m_run, progress});
        if (!iterations.hasValue())
            return iterations.error();
        return detailOf({m_store, m_run, progress}, iterations.value(), query);
    }

private:
    store::Store filled() {
        m_trace.run.name = "planted";
        m_trace.run.gpuModel = "NVIDIA H100 80GB HBM3";
        for (int rank = 0; rank < 8; ++rank) {
            m_trace.gpus.push_back({rank, rank / 4, rank % 4, m_trace.run.gpuModel, {}});
            write(rank, "gpu_power",
                [](double t) { return 500.0 + 50.0 * std::sin(2.0 * std::numbers::pi * 0.4 * t); });
            write(rank, "gpu_temperature", [rank](double t) {
                const double rise = 20.0 * (1.0 - std::exp(-t / 30.0));
                return std::round(50.0 + rise + (rank % 4 >= 2 ? 9.0 : 0.0));
            });
            write(rank, "sm_clock", [rank](double t) {
                return rank == 6 && t >= 300.0 && t < 330.0 ? 1.584e9 : 1.98e9;
            });
            write(rank, "gpu_utilization", [](double) { return 1.0; });
        }
        return m_trace.store();
    }
    void write(int rank, const char* metric, const std::function<double(double)>& shape) {
        std::vector<double> values;
        for (int i = 0; i < kSamples; ++i)
            values.push_back(shape(0.1 * i));
        m_trace.series(metric, rank, kBegin, kPeriod, values);
    }

    test::PlantedTrace m_trace;
    store::Store m_store;
    Run m_run;
};

bool isNear(double value, double expected, double tolerance) {
    return std::abs(value - expected) <= tolerance;
}

} // namespace

class tst_LogPlacement : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void plantedStarts() {
        for (unsigned seed = 0; seed < 24; ++seed) {
            std::mt19937_64 random(seed);
            Planned planned;
            planned.startS = std::uniform_real_distribution<double>(20.0, 400.0)(random);
            planned.periodS = seed % 3 == 0 ? 0.1 : seed % 3 == 1 ? 1.0 : 5.0;
            planned.noiseW = std::array{0.0, 100.0, 500.0, 1200.0}[seed % 4];
            const auto found = fitWork(workOf(planned), signalOf(planned, seed)).value();
            const double off = (found.start - kRecordBegin).seconds() - planned.startS;
            QVERIFY2(std::abs(off) <= found.error.seconds(), told(found));
            // Not so wide that it says nothing.
            QVERIFY2(found.error.seconds() <= 4.0 * planned.periodS + 1.0, told(found));
            QVERIFY2(!found.isAmbiguous, told(found));
        }
    }
    void pausesAreFound() {
        Planned planned;
        planned.stretches = {120.0, 80.0, 60.0};
        planned.pauses = {25.0, 70.0};
        planned.noiseW = 200.0;
        const auto found = fitWork(workOf(planned), signalOf(planned, 7)).value();
        QCOMPARE(found.pauses.size(), std::size_t{2});
        QVERIFY(std::abs(found.pauses[0].seconds() - 25.0) <= 3.0);
        QVERIFY(std::abs(found.pauses[1].seconds() - 70.0) <= 3.0);
    }
    void oneStretch() {
        Planned planned;
        planned.stretches = {300.0};
        planned.pauses = {};
        planned.startS = 412.3;
        planned.noiseW = 300.0;
        const auto found = fitWork(workOf(planned), signalOf(planned, 3)).value();
        QVERIFY2(std::abs((found.start - kRecordBegin).seconds() - 412.3) <= found.error.seconds(),
            told(found));
        QVERIFY(found.error.seconds() <= 3.0);
        QVERIFY(found.agreement > 0.9);
    }
    void otherWorkBefore() {
        Planned planned;
        planned.startS = 200.0;
        planned.busyBefore = true; // 160 s: too short for the first stretch
        const auto found = fitWork(workOf(planned), signalOf(planned, 1)).value();
        QVERIFY2(std::abs((found.start - kRecordBegin).seconds() - 200.0) <= found.error.seconds(),
            told(found));
    }
    // The work of 100 s lies somewhere in 300 s of high power: nobody can tell where, by hundreds
    // of iterations.
    void insideLongerWork() {
        Planned around;
        around.stretches = {300.0};
        around.pauses = {};
        Planned planned;
        planned.stretches = {100.0};
        const auto found = fitWork(workOf(planned), signalOf(around, 1)).value();
        // The begin may be 0 s to 200 s behind the edge.
        QVERIFY2(found.error.seconds() >= 100.0 && found.error.seconds() <= 104.0, told(found));
        QVERIFY2(std::abs((found.start - kRecordBegin).seconds() - 200.0) <= 3.0, told(found));
        VERIFY_SAYS(placementText(found), "iterations");
    }
    // Two runs of one length: which one it was cannot be told.
    void equalPlaces() {
        Planned both;
        both.stretches = {150.0, 150.0};
        both.pauses = {100.0};
        Planned planned;
        planned.stretches = {150.0};
        const auto found = fitWork(workOf(planned), signalOf(both, 1)).value();
        QVERIFY2(found.isAmbiguous, told(found));
        VERIFY_SAYS(placementText(found), "other places fit as well");
    }
    // A first iteration that compiles for 60 s idles most of them.
    void slowIterations() {
        Planned planned;
        planned.startS = 160.0;
        planned.stretches = {200.0};
        planned.pauses = {};
        LoggedWork work;
        work.pieces.push_back({seconds(0.0), seconds(60.0), 1, false});
        work.pieces.push_back({seconds(60.0), seconds(260.0), 400, false});
        const auto found = fitWork(work, signalOf(planned, 1)).value();
        QVERIFY2(std::abs((found.start - kRecordBegin).seconds() - 100.0) <= found.error.seconds(),
            told(found));
    }
    void flatPower() {
        Planned planned;
        planned.isSteady = true;
        planned.noiseW = 50.0;
        const auto found = fitWork(workOf(planned), signalOf(planned, 1));
        VERIFY_FAILS(found, "hardly changes");
        QVERIFY(!fitWork({}, signalOf({}, 1)).hasValue());
    }
    void unlikePower() {
        Planned shorter;
        shorter.stretches = {40.0};
        shorter.pauses = {};
        Planned planned;
        planned.stretches = {400.0};
        const auto found = fitWork(workOf(planned), signalOf(shorter, 1));
        VERIFY_FAILS(found, "anywhere");
    }
    void inWords() {
        LogPlacement placement;
        placement.start = {1'776'816'534'400'000'000};
        placement.error = seconds(1.25);
        placement.iterationS = 0.5;
        QCOMPARE(QString::fromStdString(placementText(placement)),
            QStringLiteral("2026-04-22 00:08:54.400 UTC ± 1.25 s, from the edges of the power (by "
                           "up to 2 iterations)"));
        placement.isSaid = true;
        QCOMPARE(QString::fromStdString(placementText(placement)),
            QStringLiteral("2026-04-22 00:08:54.400 UTC, as the user says"));
    }
    // Two hours of work in four hours of telemetry, in a log whose clock is ahead of UTC by a zone.
    void zones_data() {
        const auto row = columns<int>("zone");
        for (const int zone : {0, 3600, -18'000, 20'700, 50'400, -43'200}) // 5:45 is Nepal's
            row(text::zone(zone).c_str(), zone);
    }
    void zones() {
        QFETCH(int, zone);
        Planned planned;
        planned.noiseW = 500.0;
        planned.recordS = 14'400.0;
        planned.startS = 3000.0;
        planned.stretches = {7200.0};
        planned.pauses = {};
        LoggedWork work;
        const TimeNs begin = kRecordBegin + seconds(planned.startS + zone);
        work.pieces.push_back(
            {begin - TimeNs{}, begin - TimeNs{} + seconds(7200.0), 14'400, false});
        const auto found = fitOffset(work, signalOf(planned, 5)).value();
        QCOMPARE(found.seconds, std::int64_t{zone});
        QVERIFY(found.agreement > 0.8);
        // A quarter of an hour off, an eighth of the work lies where the power is low.
        QCOMPARE(std::abs(found.nextSeconds - zone), std::int64_t{900});
        QVERIFY(std::abs(found.agreement - found.nextAgreement - 0.25) < 0.05);
    }
    // Twenty minutes anywhere in ten hours of high power.
    void zonesThatFitAlike() {
        Planned around;
        around.startS = 600.0;
        around.recordS = 40'000.0;
        around.stretches = {36'000.0};
        around.pauses = {};
        LoggedWork work;
        const TimeNs begin = kRecordBegin + seconds(18'000.0);
        work.pieces.push_back({begin - TimeNs{}, begin - TimeNs{} + seconds(1200.0), 2400, false});
        const auto found = fitOffset(work, signalOf(around, 1));
        VERIFY_FAILS(found, "about as well");
    }
    void zoneInWords() {
        QCOMPARE(QString::fromStdString(offsetText({7200, 0.971, 6300, 0.41})),
            QStringLiteral(
                "UTC+02:00, by the power of its run: 97.1 % agreement, 41.0 % with UTC+01:45"));
        QVERIFY(offsetText({7200, 0.971, 6300, 0.0}).ends_with("none with any other zone"));
    }

    // The power by which a log is placed, where one GPU's record broke off and another came twice.

    // Rank 0 works and idles by turns of 10 s for 100 s, in two sources of which one broke off;
    // rank 1 has 4 s only. With these there would be 4 s in common: 101 steps are rank 0's.
    void recordsThatBrokeOffAreLeftOut() {
        FreshStore store;
        const auto add = [&store](int rank, int seconds, const char* source) {
            std::vector<std::int64_t> at;
            std::vector<double> watts;
            for (int t = 0; t <= seconds; ++t) {
                at.push_back(std::int64_t{t} * 1'000'000'000);
                watts.push_back(t % 20 < 10 ? 100.0 : 600.0);
            }
            addSeries(store, gauge("gpu_power", rank), at, watts, source);
        };
        add(0, 4, "first");
        add(0, 100, "second");
        add(1, 4, "third");
        const auto power = got(powerSignal(studyOf(store)));
        QCOMPARE(power.signal.values.size(), std::size_t{101});
        QCOMPARE(power.signal.values[5], -1.0);
        QCOMPARE(power.signal.values[15], 1.0);
    }

    void initTestCase() {
        auto detail = m_planted.detail();
        QVERIFY(detail.hasValue());
        m_detail = std::move(detail).value();
    }

    void theEpisodeIsFound() {
        QVERIFY(m_detail.throttling.has_value());
        const Throttling& found = *m_detail.throttling;
        QVERIFY(isNear(found.clockLost.value().referenceClockHz, 1.98e9, 1.0));
        QCOMPARE(found.episodes.size(), std::size_t{1});
        QCOMPARE(found.episodes[0].rank, 6);
        QCOMPARE(found.episodes[0].episode.range.begin.ns, kBegin + 3000 * kPeriod);
        QCOMPARE(found.episodes[0].episode.range.end.ns, kBegin + 3300 * kPeriod);
        // 79 °C is 10 °C below the slowdown, 550 W far below the limit.
        QVERIFY(found.episodes[0].episode.cause == ThrottleCause::Other);
        QVERIFY(isNear(found.clockLost->gpuSeconds, 30.0 * 0.2, 1e-6));
        const double duration = 0.1 * (kSamples - 1);
        QVERIFY(isNear(found.fraction, 30.0 / (8.0 * duration), 1e-9));
        QVERIFY(isNear(m_detail.gpus.at(6).throttleFraction.value(), 30.0 / duration, 1e-9));
        QCOMPARE(m_detail.gpus.at(0).throttleFraction.value(), 0.0);
    }

    // 10 s of the 30 s in which one of eight GPUs throttles, between samples: all of it is
    // throttled.
    void theEpisodeFillsAWindowInIt() {
        DetailQuery query;
        query.window
            = {{kBegin + 3050 * kPeriod + kPeriod / 2}, {kBegin + 3150 * kPeriod + kPeriod / 2}};
        const auto inside = m_planted.detail({}, query);
        QVERIFY(inside.hasValue());
        const Throttling& found = *inside.value().throttling;
        QVERIFY(isNear(found.fraction, 1.0 / 8.0, 1e-12));
        QVERIFY(isNear(found.clockLost.value().gpuSeconds, 10.0 * 0.2, 1e-6));
        QVERIFY(found.episodes.at(0).episode.range == query.window);
    }

    void theGradientIsFound() {
        QVERIFY(m_detail.gradient.has_value());
        QVERIFY(isNear(m_detail.gradient->celsius, 9.0, 1e-6));
        QCOMPARE(m_detail.gradient->nodes.size(), std::size_t{2});
    }

    void theSwingIsFound() {
        QVERIFY(!m_detail.spectrum.empty());
        const SpectralLine& line = m_detail.spectrum.front();
        QVERIFY(isNear(line.frequencyHz, 0.4, 2e-4));
        QVERIFY(isNear(line.amplitude, 8 * 50.0, 4.0));
        QVERIFY(m_detail.burst.has_value());
        QVERIFY(isNear(m_detail.burst->peakToMean, 550.0 / 500.0, 1e-3));
        // The steepest of 10 Hz steps: 400 W · 2 sin(π·0.04) per 0.1 s, at the crossing of the
        // mean.
        const double steepest = 400.0 * 2.0 * std::sin(std::numbers::pi * 0.04) / 0.1;
        QVERIFY(isNear(*m_detail.burst->maxRampPerS, steepest, 0.01 * steepest));
    }

    // 20 °C of rise with τ = 30 s under a moving mean of 30 s (5 % of the record): within 1 °C of
    // the end when 20·exp(−t/30)·(1 − exp(−1)) = 1, give or take half a degree of rounding.
    void settlingIsFound() {
        QVERIFY(m_detail.settledFrom.has_value());
        const double seconds = static_cast<double>(m_detail.settledFrom->ns - kBegin) * 1e-9;
        const double early = 30.0 * std::log(20.0 * (1.0 - std::exp(-1.0)) / 1.5);
        const double late = 30.0 * std::log(20.0 * (1.0 - std::exp(-1.0)) / 0.5);
        QVERIFY(seconds > early && seconds < late);
    }

    // One of two GPUs has power for 4 s of 100 s: nothing is said of their sum.
    void powerThatIsHardlyInCommon() {
        test::FreshStore store;
        for (const auto& [rank, seconds] : {std::pair{0, 100}, std::pair{1, 4}}) {
            std::vector<std::int64_t> at;
            for (int i = 0; i <= seconds; ++i)
                at.push_back(10 * i * kPeriod);
            test::addSeries(store, test::gauge("gpu_power", rank), at,
                std::vector<double>(at.size(), 400.0), "rank " + std::to_string(rank));
        }
        const Run run = test::got(store.findRun("run"));
        const auto detail
            = test::got(detailOf({store, run}, test::got(iterationsOf({store, run}))));
        QVERIFY(!detail.burst && !detail.aboveLimit && detail.spectrum.empty());
        VERIFY_SAYS(detail.whyNoBurst, "small part");
        QVERIFY(m_detail.whyNoBurst.empty());
    }

    void cancelling() {
        const auto stopped = m_planted.detail([](const ProgressState&) { return false; });
        QVERIFY(!stopped.hasValue() && stopped.error().code == ErrorCode::Cancelled);
    }

private:
    Planted m_planted;
    RunDetail m_detail;
};

TRAINSCOPE_TEST(tst_LogPlacement)
#include "tst_LogPlacement.moc"
