// Buckets at every zoom: the envelope holds every sample of its column, the counts add up, gaps are
// known, and the means are those of the held samples.

#include "core/store/Envelope.h"
#include "core/store/Fixture.h"
#include "core/store/samples/CounterRate.h"
#include "core/store/samples/SampleFigures.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::store;
using namespace trainscope::test;

namespace {

constexpr std::int64_t kFirst = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();

} // namespace

class tst_Buckets : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void envelope_data() {
        columns<unsigned, int>("seed", "count");
        for (unsigned seed = 1; seed <= 3; ++seed) {
            for (const int count : {1, 2, 100, 4096, 4097, 50'000, 300'000})
                QTest::addRow("seed %u, %d samples", seed, count) << seed << count;
        }
    }
    void envelope() {
        QFETCH(unsigned, seed);
        QFETCH(int, count);
        const double scale = 0.1;
        const Data data = irregular(seed, count, 1'700'000'000'000'000'000, 100'000'000);
        Fixture fixture;
        Store store = fixture.create();
        const SeriesId id = addSeries(store, gauge("m", 0, scale), data.times, data.values);
        std::mt19937_64 random(seed);
        const std::int64_t first = data.times.front();
        const auto length = static_cast<std::uint64_t>(data.times.back() - first + 1);
        for (int trial = 0; trial < 60; ++trial) {
            const std::uint64_t part = length >> (random() % 20U);
            const std::int64_t begin = first - 1000
                + static_cast<std::int64_t>(trial < 5 ? 0 : random() % (length + 2000));
            const TimeRange window{{begin}, {begin + 2000 + static_cast<std::int64_t>(part)}};
            const int columns
                = static_cast<int>(std::vector<int>{1, 7, 100, 1920, 3840}[random() % 5]);
            const auto buckets = got(store.buckets(id, window, columns));
            QCOMPARE(buckets.size(), static_cast<std::size_t>(columns));
            checkEnvelope(data, scale, window, buckets);
            if (QTest::currentTestFailed())
                return;
        }
    }

    void holesAndMissingShowAsGaps() {
        // 10 samples every 10 ns, a hole until 500, 10 more; the column width is 20 ns.
        Data data;
        for (int i = 0; i < 20; ++i) {
            data.times.push_back(i < 10 ? i * 10 : 400 + i * 10);
            data.values.push_back(i);
        }
        Fixture fixture;
        Store store = fixture.create();
        const SeriesId id = addSeries(store, gauge("m", 0), data.times, data.values);
        const auto buckets = got(store.buckets(id, {{-40}, {640}}, 34));
        for (std::size_t i = 0; i < buckets.size(); ++i) {
            const std::int64_t begin = -40 + 20 * static_cast<std::int64_t>(i);
            const bool hole = begin >= 80 && begin < 500;
            QVERIFY2(buckets[i].gap == hole, qPrintable(QString::number(begin)));
            const bool samples = (begin >= 0 && begin < 100) || (begin >= 500 && begin < 600);
            QVERIFY((buckets[i].count > 0) == samples);
            if (!samples)
                QVERIFY(std::isnan(buckets[i].mean));
        }
    }

    void heldValueBetweenSamples() {
        Fixture fixture;
        Store store = fixture.create();
        const SeriesId id = addSeries(store, gauge("m", 0), {0, 100, 200}, {5, 7, 9});
        const auto buckets = got(store.buckets(id, {{110}, {190}}, 4));
        for (const Bucket& bucket : buckets) {
            QCOMPARE(bucket.count, 0U);
            QVERIFY(!bucket.gap);
            QCOMPARE(bucket.mean, 7.0F);
        }
    }

    void meanIsTimeWeighted() {
        Fixture fixture;
        Store store = fixture.create();
        const SeriesId id = addSeries(store, gauge("m", 0), {0, 10, 40, 50}, {1, 4, 2, 8});
        const auto one = got(store.buckets(id, {{0}, {50}}, 1));
        QCOMPARE(one[0].mean, (1.0F * 10 + 4.0F * 30 + 2.0F * 10) / 50);
        QCOMPARE(one[0].first, 1.0F);
        QCOMPARE(one[0].last, 2.0F);
        QCOMPARE(one[0].max, 4.0F);
        const auto two = got(store.buckets(id, {{0}, {50}}, 2));
        QCOMPARE(two[0].mean, (1.0F * 10 + 4.0F * 15) / 25);
        QCOMPARE(two[1].mean, (4.0F * 15 + 2.0F * 10) / 25);
    }

    void meanOfAllColumnsIsTheMeanOfTheSeries() {
        const Data data = irregular(9, 200'000, 0, 1000);
        Fixture fixture;
        Store store = fixture.create();
        const SeriesId id = addSeries(store, gauge("m", 0), data.times, data.values);
        const Series series = got(store.series(got(store.findRun("run")).id)).at(0);
        double weighted = 0.0;
        double weight = 0.0;
        for (std::size_t i = 0; i + 1 < data.times.size(); ++i) {
            if (std::isnan(data.values[i]))
                continue;
            const auto dt = static_cast<double>(data.times[i + 1] - data.times[i]);
            weighted += data.values[i] * dt;
            weight += dt;
        }
        QVERIFY(std::abs(series.mean / (weighted / weight) - 1.0) < 1e-12);
        const auto bucket = got(store.buckets(id, series.range, 1)).at(0);
        QVERIFY(std::abs(double{bucket.mean} / series.mean - 1.0) < 1e-5);
    }

    void counterRates() {
        // 1000 per 10 ns; a wrap of 32 bits at 30; a reset at 60 (the wrap would be beyond any
        // link).
        const double top = 4294967296.0;
        Fixture fixture;
        Store store = fixture.create();
        const std::int64_t ms = 1'000'000;
        const SeriesId id = addSeries(store, counter("ib_rx", 0, 32),
            {0, 10 * ms, 20 * ms, 30 * ms}, {top - 3000, top - 2000, top - 1000, 500});
        const auto rates = got(store.rateBuckets(id, {{0}, {30 * ms}}, 3));
        QCOMPARE(rates[0].mean, 100'000.0F);
        QCOMPARE(rates[1].mean, 100'000.0F);
        QCOMPARE(rates[2].mean, 150'000.0F);
        const SeriesId reset = addSeries(store, counter("ib_tx", 0, 64), {0, 10 * ms, 20 * ms},
            {9e15, 9e15 + 100'000, 2000}, "/data/b.csv");
        const auto after = got(store.rateBuckets(reset, {{0}, {20 * ms}}, 2));
        QCOMPARE(after[0].mean, 1e7F);
        QCOMPARE(after[1].mean, 2e5F);
        QVERIFY(
            !store
                 .rateBuckets(addSeries(store, gauge("m", 0), {0}, {1}, "/data/c.csv"), kAllTime, 5)
                 .hasValue());
    }

    // From 10⁹ to 7·10⁸ B in 10 ms: a wrap of 32 bits would be 3,994,967,296 B, 0.4 TB/s. NVLink
    // carries that, PCIe does not and was reset: 7·10⁸ B. So say totals.
    void aFallIsJudgedByTheLink_data() {
        const auto row = columns<QString, double>("metric", "bytes");
        row("NVLink", "nvlink_rx", 3'994'967'296.0);
        row("PCIe", "pcie_rx", 7e8);
    }
    void aFallIsJudgedByTheLink() {
        QFETCH(QString, metric);
        QFETCH(double, bytes);
        Fixture fixture;
        Store store = fixture.create();
        const std::int64_t ms = 1'000'000;
        const SeriesId id
            = addSeries(store, counter(metric.toStdString(), 0, 32), {0, 10 * ms}, {1e9, 7e8});
        const auto rates = got(store.rateBuckets(id, {{0}, {10 * ms}}, 1));
        QCOMPARE(rates[0].mean, static_cast<float>(bytes / 0.01));
    }

    // 32 bits of KiB, from 2³² − 1 to 2 of them in 10 ms: 3 KiB.
    void aWrapIsOfTheSourcesUnit() {
        const SeriesDescription kibibytes = counter("nvlink_tx", 0, 32, 1024);
        CounterRate rate{CounterRule(kibibytes)};
        std::vector<RateSample> settled;
        rate.push(0, 4294967295.0 * 1024.0, settled);
        rate.push(10'000'000, 2.0 * 1024.0, settled);
        QCOMPARE(settled.size(), std::size_t{1});
        QCOMPARE(settled[0].rate, 307'200.0);
    }

    void counterRatesKeepTheTotalAtEveryZoom() {
        std::mt19937_64 random(3);
        Data data;
        double total = 0.0;
        std::uint32_t raw = 4'000'000'000U;
        for (int i = 0; i < 100'000; ++i) {
            data.times.push_back(i * 100'000'000LL);
            data.values.push_back(raw);
            const auto step = static_cast<std::uint32_t>(random() % 60'000'000);
            if (i + 1 < 100'000)
                total += step;
            raw += step; // wraps like the sensor's register
        }
        Fixture fixture;
        Store store = fixture.create();
        const SeriesId id
            = addSeries(store, counter("nvlink_rx", 0, 32, 1024), data.times, data.values);
        for (const int columns : {1, 10, 333, 1920, 20'000}) {
            const TimeRange window{{0}, {data.times.back()}};
            const auto rates = got(store.rateBuckets(id, window, columns));
            double sum = 0.0;
            for (const Bucket& bucket : rates)
                sum += double{bucket.mean} * window.length().seconds() / columns;
            QVERIFY2(
                std::abs(sum / (total * 1024) - 1.0) < 1e-4, qPrintable(QString::number(columns)));
        }
    }

    void oddWindows() {
        Fixture fixture;
        Store store = fixture.create();
        const SeriesId id = addSeries(store, gauge("m", 0), {100}, {5});
        QCOMPARE(got(store.buckets(id, {{100}, {100}}, 3)).size(), std::size_t{3});
        QCOMPARE(got(store.buckets(id, {{100}, {101}}, 10)).at(0).count, 1U);
        const auto all = got(store.buckets(id, kAllTime, 2));
        QCOMPARE(all[0].count + all[1].count, 1U);
        QVERIFY(!store.buckets(id, kAllTime, 0).hasValue());
        QVERIFY(!store.buckets({999}, kAllTime, 1).hasValue());
        for (const Bucket& bucket : got(store.buckets(id, {{500}, {600}}, 4)))
            QVERIFY(bucket.count == 0 && std::isnan(bucket.mean));
    }

    // Sums over samples, also where their times are as far apart as a forged file can have them.

    // 1 for 2 ns, 4 for 8 ns: 34 / 10.
    void heldUntilTheNext() {
        const SampleFigures figures
            = figuresOf(std::vector<std::int64_t>{5, 7, 15}, std::vector<double>{1.0, 4.0, 9.0});
        QCOMPARE(figures.weight, std::int64_t{10});
        QCOMPARE(figures.weighted, 34.0);
        QCOMPARE(figures.mean().value_or(-1.0), 3.4);
    }

    // From the first moment to 0 is one ns more than 64 bits count; from 0 to the last one is not.
    void whatCannotBeCountedCountsForNothing() {
        const std::vector<std::int64_t> times{kFirst, 0, kLast};
        const SampleFigures figures = figuresOf(times, std::vector<double>{1.0, 2.0, 3.0});
        QCOMPARE(figures.weight, kLast);
        QCOMPARE(figures.mean().value_or(-1.0), 2.0);
        QCOMPARE(figures.min.value_or(-1.0), 1.0);
        QCOMPARE(figures.max.value_or(-1.0), 3.0);
    }

    void manySamplesAcrossAllTime() {
        std::vector<std::int64_t> times(40, 7);
        times.front() = kFirst;
        times.back() = kLast;
        const SampleFigures figures = figuresOf(times, std::vector<double>(40, 5.0));
        QCOMPARE(figures.mean().value_or(-1.0), 5.0);
    }

    void chunksFarApart() {
        SampleFigures early = figuresOf(
            std::vector<std::int64_t>{kFirst, kFirst + 10}, std::vector<double>{1.0, 1.0});
        const SampleFigures late = figuresOf(
            std::vector<std::int64_t>{kLast - 30, kLast}, std::vector<double>{3.0, 3.0});
        early.append(late);
        QCOMPARE(early.weight, std::int64_t{40});
        QCOMPARE(early.mean().value_or(-1.0), (10.0 + 90.0) / 40.0);
        QCOMPARE(early.count, std::int64_t{4});
    }

    // Two recorders once a second, 10 ms apart: half of the intervals are no period. A hole of five
    // minutes changes nothing, and a log with many holes of all lengths keeps its median.
    void groupsOfReadings() {
        constexpr std::int64_t kMs = 1'000'000;
        PeriodHistogram pairs;
        for (int i = 0; i < 50; ++i) {
            pairs.add(10 * kMs);
            pairs.add(990 * kMs);
        }
        pairs.add(10 * kMs);
        pairs.add(10 * kMs);
        pairs.add(300'000 * kMs);
        QCOMPARE(pairs.median(), 10 * kMs + 0);
        QCOMPARE(pairs.period(), 990 * kMs + 0);
        PeriodHistogram holes;
        for (int i = 1; i <= 20; ++i) {
            holes.add(1000 * kMs);
            holes.add(i % 2 == 0 ? 1000 * kMs : 20'000 * kMs * i * i);
        }
        QCOMPARE(holes.period(), 1000 * kMs + 0);
        PeriodHistogram few;
        for (const std::int64_t ms : {1, 1, 1, 40})
            few.add(ms * kMs);
        QCOMPARE(few.period(), kMs + 0);
    }

    void theLongestInterval() {
        PeriodHistogram periods;
        periods.addBetween(std::array{kFirst, kLast});
        QVERIFY(periods.median() >= std::int64_t{9'000'000'000'000'000'000});
    }
};

TRAINSCOPE_TEST(tst_Buckets)
#include "tst_Buckets.moc"
