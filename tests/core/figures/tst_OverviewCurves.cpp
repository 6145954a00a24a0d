// The picture of a sentence of the overview is of the GPU that the sentence names.

#include "core/analysis/traces/PlantedTrace.h"
#include "core/figures/overview/OverviewFigure.h"
#include "core/model/Metric.h"
#include "core/store/Fixture.h"
#include "support/TestProgram.h"

using test::got;

namespace {

constexpr std::int64_t kCurveBegin = 1'700'000'000'000'000'000;
constexpr std::int64_t kCurvePeriod = 100'000'000;
constexpr int kCurveReadings = 1001;
constexpr std::uint64_t kPowerCap = 0x4;

// GPU 0 stays at 60 °C and throttles for 20 s, GPU 1 has 80 °C and throttles for 1 s.
test::PlantedTrace logOfTwo() {
    test::PlantedTrace log;
    for (int rank = 0; rank < 2; ++rank) {
        log.gpus.push_back({rank, 0, rank, "NVIDIA H200", {}});
        std::vector<double> reasons(kCurveReadings, 0.0);
        std::fill_n(reasons.begin() + 100, rank == 0 ? 200 : 10, static_cast<double>(kPowerCap));
        log.series("throttle_reasons", rank, kCurveBegin, kCurvePeriod, reasons);
        log.series("gpu_temperature", rank, kCurveBegin, kCurvePeriod,
            std::vector<double>(kCurveReadings, 60.0 + 20.0 * rank));
    }
    return log;
}

} // namespace

class tst_OverviewCurves : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theHottestIsDrawn() {
        test::PlantedTrace log = logOfTwo();
        const auto store = log.store();
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
