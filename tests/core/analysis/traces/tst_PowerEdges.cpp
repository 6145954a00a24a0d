// A planted lag of telemetry behind the trace must be found within the stated error.

#include "core/analysis/traces/PowerEdges.h"
#include "core/store/Connection.h"
#include "core/store/Writing.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::analysis;

namespace {

using Random = std::mt19937_64;

constexpr std::int64_t kEpoch = 1'700'000'000'000'000'000;
constexpr std::int64_t kMilli = 1'000'000;

struct Plan {
    double lagS = 0.0;
    std::int64_t period = 100 * kMilli; // the samples'
    std::int64_t traced = 8'000 * kMilli;
    std::int64_t recorded = 60'000 * kMilli;
    bool regular = false; // equal steps of 700 ms
};

struct Busy {
    std::int64_t begin = 0;
    std::int64_t end = 0;
};

// Stretches in which the GPU computes, from the epoch on, over all of the recording.
std::vector<Busy> work(Random& random, const Plan& plan) {
    std::vector<Busy> result;
    std::uniform_int_distribution<std::int64_t> length(150, 900);
    std::int64_t now = 0;
    while (now < plan.recorded) {
        const std::int64_t busy = (plan.regular ? 400 : length(random)) * kMilli;
        const std::int64_t idle = (plan.regular ? 300 : length(random)) * kMilli;
        result.push_back({now, now + busy});
        now += busy + idle;
    }
    return result;
}

bool isBusy(const std::vector<Busy>& all, std::int64_t time) {
    return std::any_of(all.begin(), all.end(),
        [time](const Busy& one) { return one.begin <= time && time < one.end; });
}

class Planted {
public:
    Planted(Random& random, const Plan& plan)
        : m_path(m_folder.filePath(QStringLiteral("db.trainscope")).toStdString())
        , m_store(store::Store::openOrCreate(m_path).value()) {
        if (const Status status = fill(random, plan); !status.hasValue())
            qFatal("%s", status.error().describe().c_str());
    }
    [[nodiscard]] TelemetryLags lags() const {
        return telemetryLags({m_store, m_store.findRun("run").value()}).value();
    }
    Status forge(const std::string& sql) { return m_store.connection().database.script(sql); }

private:
    Status fill(Random& random, const Plan& plan) {
        auto session = store::beginImport(m_store, {"source", 1, "hash", "run"});
        if (!session.hasValue())
            return session.error();
        Sink& sink = *session.value();
        Run run;
        run.name = "run";
        const RunId id = sink.run(run).valueOr({});
        const std::vector<Busy> all = work(random, plan);
        const std::int64_t from = (plan.recorded - plan.traced) / 2;
        std::vector<Span> spans;
        for (const Busy& one : all) {
            // Kernels of 1 ms with gaps of 0.1 ms.
            for (std::int64_t at = one.begin; at < one.end; at += 11 * kMilli / 10) {
                if (at < from || at >= from + plan.traced)
                    continue;
                Span span;
                span.start = {kEpoch + at};
                span.duration = {kMilli};
                span.name = sink.intern("ampere_sgemm").valueOr({});
                span.kind = SpanKind::Kernel;
                spans.push_back(span);
            }
        }
        const auto track = sink.track(id, {TrackKind::Stream, 3, 0, "0", "7", "stream 7"});
        if (auto status = sink.spans(track.value(), spans); !status.hasValue())
            return status;
        SeriesDescription power;
        power.metric = *findMetric("gpu_power");
        power.subject.rank = 3;
        const SeriesId series = sink.series(id, power).valueOr({});
        std::normal_distribution<double> noise(0.0, 15.0);
        std::vector<TimeNs> times;
        std::vector<double> values;
        for (std::int64_t at = 0; at < plan.recorded; at += plan.period) {
            times.push_back({kEpoch + at + std::llround(plan.lagS * 1e9)});
            values.push_back((isBusy(all, at) ? 600.0 : 150.0) + noise(random));
        }
        if (auto status = sink.samples(series, times, values); !status.hasValue())
            return status;
        return session.value()->finish({}, "hash", 1, {});
    }

    QTemporaryDir m_folder;
    std::filesystem::path m_path;
    store::Store m_store;
};

} // namespace

class tst_PowerEdges : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void patternByHand() {
        const std::vector<double> pattern{0, 1, 1, 0, 1, 0, 0, 0, 1, 1};
        std::vector<double> signal(60, 100.0);
        for (std::size_t i = 0; i < pattern.size(); ++i)
            signal[17 + i] = 100.0 + 50.0 * pattern[i];
        const PatternFit fit = fitPattern(pattern, signal, 0.0);
        QVERIFY(std::abs(fit.lag - 17.0) < 0.5);
        QVERIFY(fit.correlation > 0.99);
        QVERIFY(!fit.isAmbiguous);
        // Some of the signal is not known, and the pattern stands out over its beginning.
        std::vector<double> cut(signal.begin() + 19, signal.end());
        cut[20] = std::numeric_limits<double>::quiet_NaN();
        QVERIFY(std::abs(fitPattern(pattern, cut, 0.0).lag + 2.0) < 0.5);
        const std::vector<double> flat(10, 1.0);
        QVERIFY(fitPattern(flat, signal, 0.0).correlation < 0.0);
        QVERIFY(fitPattern({}, signal, 0.0).correlation < 0.0);
    }
    void plantedLags() {
        for (unsigned seed = 0; seed < 12; ++seed) {
            Random random(seed);
            Plan plan;
            plan.lagS = std::uniform_real_distribution<double>(-3.0, 3.0)(random);
            if (seed % 3 == 0)
                plan.lagS = seed % 2 == 0 ? -18'000.0 : 18'000.0; // five hours: a wrong time zone
            plan.period = (seed % 2 == 0 ? 50 : 100) * kMilli;
            const TelemetryLags found = Planted(random, plan).lags();
            QCOMPARE(found.ranks.size(), std::size_t{1});
            const TelemetryLag& lag = found.ranks[0];
            QCOMPARE(lag.rank, 3);
            QVERIFY2(std::abs(lag.lagS - plan.lagS) <= lag.errorS,
                qPrintable(QStringLiteral("seed %1: %2 instead of %3, error %4")
                               .arg(seed)
                               .arg(lag.lagS)
                               .arg(plan.lagS)
                               .arg(lag.errorS)));
            QVERIFY(lag.errorS < 0.2);
            QVERIFY(lag.correlation > 0.8);
            QVERIFY(!lag.isAmbiguous);
        }
    }
    void equalIterationsAreAmbiguous() {
        Random random(1);
        Plan plan;
        plan.regular = true;
        plan.lagS = 0.2;
        const TelemetryLags found = Planted(random, plan).lags();
        QCOMPARE(found.ranks.size(), std::size_t{1});
        QVERIFY(found.ranks[0].isAmbiguous);
        QVERIFY(std::abs(found.ranks[0].lagS - 0.2) <= found.ranks[0].errorS);
    }
    void shortTracesSayWhy() {
        Random random(1);
        Plan plan;
        plan.traced = 900 * kMilli;
        const TelemetryLags found = Planted(random, plan).lags();
        QVERIFY(found.ranks.empty());
        QCOMPARE(found.unknown.size(), std::size_t{1});
        QCOMPARE(found.unknown[0].rank, 3);
        QVERIFY(!found.unknown[0].reason.empty());
    }
    // As only a damaged or a forged database has it.
    void powerOfNoTimeSaysWhy() {
        Random random(1);
        Planted planted(random, {});
        QVERIFY(planted.forge("UPDATE series SET begin_ns=0, end_ns=0, period_ns=0").hasValue());
        const TelemetryLags found = planted.lags();
        QVERIFY(found.ranks.empty());
        QCOMPARE(found.unknown.size(), std::size_t{1});
        QCOMPARE(found.unknown[0].rank, 3);
        QCOMPARE(
            found.unknown[0].reason, std::string("Its power was recorded for no time at all."));
    }
};

TRAINSCOPE_TEST(tst_PowerEdges)
#include "tst_PowerEdges.moc"
