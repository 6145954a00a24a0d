// The picture of a sentence of the overview is of the GPU that the sentence names.

#include "core/figures/overview/OverviewFigure.h"
#include "core/model/Metric.h"
#include "core/store/Fixture.h"
#include "support/TestProgram.h"

using namespace trainscope;
using test::Fixture, test::gauge, test::got, test::ok, test::runNamed, test::times;

namespace {

constexpr std::int64_t kCurveBegin = 1'700'000'000'000'000'000;
constexpr int kCurveReadings = 1001; // 100 ms apart
constexpr std::uint64_t kPowerCap = 0x4;

void addReadings(store::ImportSession& session, RunId run, const char* metric, int rank,
    const std::vector<double>& values) {
    auto description = gauge(metric, rank);
    description.metric = *findMetric(metric);
    std::vector<std::int64_t> at;
    for (std::int64_t i = 0; i < std::ssize(values); ++i)
        at.push_back(kCurveBegin + i * 100'000'000);
    ok(session.samples(got(session.series(run, description)), times(at), values));
}

// GPU 0 stays at 60 °C and throttles for 20 s, GPU 1 has 80 °C and throttles for 1 s.
store::Store logOfTwo(const Fixture& fixture) {
    auto store = fixture.create();
    auto session = got(store::beginImport(store, {"/data/a", 1, "", "run"}));
    const RunId id = got(session->run(runNamed("run")));
    for (int rank = 0; rank < 2; ++rank) {
        ok(session->gpu(id, {rank, 0, rank, "NVIDIA H200", {}}));
        std::vector<double> reasons(kCurveReadings, 0.0);
        std::fill_n(reasons.begin() + 100, rank == 0 ? 200 : 10, static_cast<double>(kPowerCap));
        addReadings(*session, id, metric::kThrottleReasons, rank, reasons);
        addReadings(*session, id, metric::kGpuTemperature, rank,
            std::vector<double>(kCurveReadings, 60.0 + 20.0 * rank));
    }
    ok(session->finish({}, "", 0, {}));
    return store;
}

} // namespace

class tst_OverviewCurves : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theHottestIsDrawn() {
        const Fixture fixture;
        const auto store = logOfTwo(fixture);
        const auto data = got(figures::loadOverview({store}, got(store.findRun("run")).id));
        const auto& told = data.overview.sentences;
        const auto heat
            = std::ranges::find(told, analysis::Topic::Heat, &analysis::OverviewSentence::topic);
        QVERIFY(heat != told.end());
        QVERIFY2(heat->text.starts_with("Rank 1 was the hottest with 80 °C"), heat->text.c_str());
        QCOMPARE(heat->evidence.rank, 0);
        const auto& curve = data.curves.at(static_cast<std::size_t>(heat - told.begin()));
        QCOMPARE(curve.metric, std::string(metric::kGpuTemperature));
        QCOMPARE(std::ranges::min(curve.low), 80.0);
        QCOMPARE(std::ranges::max(curve.high), 80.0);
    }
};

TRAINSCOPE_TEST(tst_OverviewCurves)
#include "tst_OverviewCurves.moc"
