
#include "core/store/Fixture.h"

#include "core/analysis/iterations/RunDetail.h"
#include "core/store/Writing.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::analysis;

namespace {

constexpr std::int64_t kBegin = 1'735'689'600'000'000'000;
constexpr std::int64_t kPeriod = 100'000'000;
constexpr int kSamples = 6000; // 10 minutes at 10 Hz

// One run with two nodes of four GPUs, in which all that is to be found is planted: rear GPUs
// (local 2 and 3) 9 °C hotter, a swing of ±50 W per GPU at 0.4 Hz, and rank 6 throttled for 30 s.
class Planted {
public:
    Planted()
        : m_store(store::Store::openOrCreate(
            m_folder.filePath(QStringLiteral("a.trainscope")).toStdString())
                      .value()) {
        auto session = store::beginImport(m_store, {"planted", 1, {}, "planted"}).value();
        Run run;
        run.name = "planted";
        run.gpuModel = "NVIDIA H100 80GB HBM3";
        const RunId id = session->run(run).value();
        for (int rank = 0; rank < 8; ++rank) {
            (void)session->gpu(id, {rank, rank / 4, rank % 4, "NVIDIA H100 80GB HBM3", {}});
            write(*session, id, rank, "gpu_power",
                [](double t) { return 500.0 + 50.0 * std::sin(2.0 * std::numbers::pi * 0.4 * t); });
            write(*session, id, rank, "gpu_temperature", [rank](double t) {
                const double rise = 20.0 * (1.0 - std::exp(-t / 30.0));
                return std::round(50.0 + rise + (rank % 4 >= 2 ? 9.0 : 0.0));
            });
            write(*session, id, rank, "sm_clock", [rank](double t) {
                return rank == 6 && t >= 300.0 && t < 330.0 ? 1.584e9 : 1.98e9;
            });
            write(*session, id, rank, "gpu_utilization", [](double) { return 1.0; });
        }
        (void)session->finish({}, "planted", 1, {});
        m_run = m_store.findRun("planted").value();
    }

    [[nodiscard]] Result<RunDetail> detail(
        const Progress& progress = {}, const DetailQuery& query = {}) const {
        const auto iterations = iterationsOf({m_store, m_run, progress});
        if (!iterations.hasValue())
            return iterations.error();
        return detailOf({m_store, m_run, progress}, iterations.value(), query);
    }

private:
    static void write(store::ImportSession& session, RunId run, int rank, const char* metric,
        const std::function<double(double)>& shape) {
        SeriesDescription description;
        description.metric = *findMetric(metric);
        description.subject = {SubjectKind::Gpu, rank, -1, {}};
        const SeriesId series = session.series(run, description).value();
        std::vector<TimeNs> times;
        std::vector<double> values;
        for (int i = 0; i < kSamples; ++i) {
            times.push_back({kBegin + i * kPeriod});
            values.push_back(shape(0.1 * i));
        }
        (void)session.samples(series, times, values);
    }

    QTemporaryDir m_folder;
    store::Store m_store;
    Run m_run;
};

bool isNear(double value, double expected, double tolerance) {
    return std::abs(value - expected) <= tolerance;
}

} // namespace

class tst_RunDetail : public QObject {
    Q_OBJECT

private Q_SLOTS:
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
        const test::Fixture fixture;
        auto store = fixture.create();
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
        QVERIFY(!stopped.hasValue());
        QVERIFY(stopped.error().code == ErrorCode::Cancelled);
    }

private:
    Planted m_planted;
    RunDetail m_detail;
};

TRAINSCOPE_TEST(tst_RunDetail)
#include "tst_RunDetail.moc"
