// The report's figures of a series, by hand-made series.

#include "importers/common/SampleStatistics.h"
#include "support/TestProgram.h"

using namespace trainscope::importers;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::vector<TimeNs> every(std::int64_t step, int count) {
    std::vector<TimeNs> times;
    for (int i = 0; i < count; ++i)
        times.push_back({i * step});
    return times;
}

SampleStatistics statisticsOf(const std::vector<TimeNs>& times, const std::vector<double>& values) {
    return SampleStatistics::of(times, values);
}

} // namespace

class tst_SampleStatistics : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void empty() {
        const SampleStatistics statistics;
        QCOMPARE(statistics.rows(), std::int64_t{0});
        QCOMPARE(statistics.gaps(), std::int64_t{0});
        QVERIFY(!statistics.samplePeriod());
        QVERIFY(!statistics.changePeriod());
    }

    void gapsAreLongerThanTenPeriods() {
        std::vector<TimeNs> times = every(100, 20);
        times.push_back({times.back().ns + 1000}); // exactly ten periods
        times.push_back({times.back().ns + 1001});
        times.push_back({times.back().ns + 50000});
        const auto statistics = statisticsOf(times, std::vector<double>(times.size(), 1.0));
        QCOMPARE(statistics.gaps(), std::int64_t{2});
        QCOMPARE(qint64{statistics.samplePeriod()->ns}, qint64{100});
    }

    void gapsBehindTheKeptIntervalsCount() {
        const int count = static_cast<int>(SampleStatistics::kKept) + 500;
        std::vector<TimeNs> times = every(10, count);
        times.push_back({times.back().ns + 101});
        times.push_back({times.back().ns + 100});
        SampleStatistics statistics;
        for (const TimeNs time : times)
            statistics.append(statisticsOf({time}, {1.0}), std::span(&time, 1));
        QCOMPARE(statistics.gaps(), std::int64_t{1});
        QCOMPARE(statistics.rows(), std::int64_t{count + 2});
    }

    void orderOfTimes() {
        const auto statistics = statisticsOf(
            std::vector<TimeNs>{{5}, {5}, {4}, {6}, {6}}, std::vector<double>{1, 1, 1, 1, 1});
        QCOMPARE(statistics.repeatedTimes(), std::int64_t{2});
        QCOMPARE(statistics.decreasingTimes(), std::int64_t{1});
    }

    void fallsLookThroughMissing() {
        const auto statistics
            = statisticsOf(every(1, 6), std::vector<double>{10, 20, kNaN, 15, kNaN, 16});
        QCOMPARE(statistics.falls(), std::int64_t{1});
        QCOMPARE(statistics.missing(), std::int64_t{2});
        QCOMPARE(statistics.max(), 20.0);
    }

    void wrapOf32Bits() {
        const auto wrapped
            = statisticsOf(every(1, 3), std::vector<double>{4294960000.0, 4294967000.0, 500.0});
        QVERIFY(wrapped.hasWrapOf32Bits());
        const auto reset = statisticsOf(every(1, 3), std::vector<double>{100000.0, 200000.0, 0.0});
        QVERIFY(!reset.hasWrapOf32Bits());
        const auto wide = statisticsOf(every(1, 3), std::vector<double>{5e9, 6e9, 0.0});
        QVERIFY(!wide.hasWrapOf32Bits());
    }

    void sensorSlowerThanRecording() {
        std::vector<double> values;
        for (int i = 0; i < 100; ++i)
            values.push_back(i / 4);
        const auto statistics = statisticsOf(every(25, 100), values);
        QCOMPARE(qint64{statistics.samplePeriod()->ns}, qint64{25});
        QCOMPARE(qint64{statistics.changePeriod()->ns}, qint64{100});
    }

    void constantValueHasNoSensorPeriod() {
        const auto statistics = statisticsOf(every(25, 100), std::vector<double>(100, 3.0));
        QVERIFY(!statistics.changePeriod());
    }

    void medians() {
        QVERIFY(!medianOf({}));
        QCOMPARE(qint64{*medianOf({7})}, qint64{7});
        QCOMPARE(qint64{*medianOf({9, 1, 5})}, qint64{5});
    }
};

TRAINSCOPE_TEST(tst_SampleStatistics)
#include "tst_SampleStatistics.moc"
