// Samples come back as they went in, and the figures beside them are those of their definitions.

#include "core/store/Envelope.h"
#include "core/store/Fixture.h"
#include "core/store/samples/CounterRate.h"
#include "core/store/samples/SampleFigures.h"
#include "support/TestProgram.h"

using namespace trainscope::store;
using namespace trainscope::test;

namespace {

struct Samples {
    std::vector<std::int64_t> times;
    std::vector<double> values;
};

Samples readBack(const Store& store, SeriesId series, TimeRange window = kAllTime) {
    Samples out;
    ok(store.forEachSample(series, window, [&out](auto times, auto values) {
        for (const TimeNs t : times)
            out.times.push_back(t.ns);
        out.values.insert(out.values.end(), values.begin(), values.end());
        return true;
    }));
    return out;
}

bool sameBits(const std::vector<double>& a, const std::vector<double>& b) {
    if (a.size() != b.size())
        return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const bool bothMissing = std::isnan(a[i]) && std::isnan(b[i]);
        if (!bothMissing
            && std::bit_cast<std::uint64_t>(a[i]) != std::bit_cast<std::uint64_t>(b[i]))
            return false;
    }
    return true;
}

struct WindowData {
    std::vector<std::int64_t> times;
    std::vector<double> values;
};

WindowData irregularOf(std::size_t count) {
    std::mt19937_64 random(11);
    WindowData data;
    std::int64_t t = 1'700'000'000'000'000'000;
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t dice = random() % 1000;
        t += static_cast<std::int64_t>(dice == 0
                ? random() % 100'000'000'000U
                : random() % 200'000'000U * (dice < 950 ? 1U : 0U));
        data.times.push_back(t);
        data.values.push_back(
            dice > 990 ? kMissing : static_cast<double>(random() % 700'000) / 1000.0);
    }
    return data;
}

struct Expected {
    std::int64_t count = 0;
    std::int64_t missing = 0;
    long double weighted = 0;
    long double weight = 0;
    double min = 1e300;
    double max = -1e300;
};

Expected bruteForce(const WindowData& data, TimeRange window) {
    Expected expected;
    for (std::size_t i = 0; i < data.times.size(); ++i) {
        const double value = data.values[i];
        if (window.contains({data.times[i]})) {
            ++expected.count;
            expected.missing += std::isnan(value) ? 1 : 0;
            if (!std::isnan(value)) {
                expected.min = std::min(expected.min, value);
                expected.max = std::max(expected.max, value);
            }
        }
        if (i + 1 == data.times.size() || std::isnan(value))
            continue;
        const std::int64_t from = std::max(data.times[i], window.begin.ns);
        const std::int64_t to = std::min(data.times[i + 1], window.end.ns);
        if (to > from) {
            expected.weighted
                += static_cast<long double>(value) * static_cast<long double>(to - from);
            expected.weight += static_cast<long double>(to - from);
        }
    }
    return expected;
}

constexpr std::int64_t kFirst = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();

} // namespace

class tst_Samples : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void statisticsByHand() {
        // 100 W for 1 s, missing for 2 s, 300 W for 3 s, then a last sample that holds for no time.
        FreshStore store;
        const SeriesId id = addSeries(store, gauge("gpu_power", 0, 0.001),
            {1'000'000'000, 2'000'000'000, 4'000'000'000, 7'000'000'000},
            {100'000, kMissing, 300'000, 50'000});
        const Run run = got(store.findRun("run"));
        const Series series = got(store.series(run.id)).at(0);
        QCOMPARE(series.count, 4);
        QCOMPARE(series.missing, 1);
        QCOMPARE(series.first, 100.0);
        QCOMPARE(series.last, 50.0);
        QCOMPARE(series.min, 50.0);
        QCOMPARE(series.max, 300.0);
        QCOMPARE(series.mean, (100.0 * 1 + 300.0 * 3) / 4);
        QCOMPARE(series.range.begin.ns, 1'000'000'000);
        QCOMPARE(series.range.end.ns, 7'000'000'001);
        QCOMPARE(run.range, series.range);
        const WindowStatistics part = got(store.statistics(id, {{1'500'000'000}, {5'000'000'000}}));
        QCOMPARE(part.count, 2);
        QCOMPARE(part.missing, 1);
        QCOMPARE(part.integral, 100.0 * 0.5 + 300.0 * 1.0);
        QCOMPARE(part.coveredSeconds, 1.5);
        QCOMPARE(part.mean, 350.0 / 1.5);
    }

    void bitForBit_data() {
        columns<int, int>("kind", "count");
        for (int kind = 0; kind < 8; ++kind) {
            for (const int count : {1, 2, 3, 64, 4095, 4096, 4097, 20'000})
                QTest::addRow("kind %d, %d samples", kind, count) << kind << count;
        }
    }
    void bitForBit() {
        QFETCH(int, kind);
        QFETCH(int, count);
        std::mt19937_64 random(static_cast<std::uint64_t>(kind * 1000 + count));
        Samples in;
        std::int64_t t = 1'700'000'000'123'456'700;
        double running = 4e9;
        for (int i = 0; i < count; ++i) {
            t += kind % 2 == 0 ? 100'000'000 : static_cast<std::int64_t>(random() % 1'000'000'007);
            in.times.push_back(t);
            const auto noise = static_cast<double>(random() % 100'000);
            switch (kind) {
            case 0:
                in.values.push_back(std::floor(noise / 1000));
                break;
            case 1:
                in.values.push_back((300'000 + noise) / 1000.0);
                break;
            case 2:
                in.values.push_back(std::bit_cast<double>(random()));
                break;
            case 3:
                in.values.push_back(running += noise);
                break;
            case 4:
                in.values.push_back(random() % 3 == 0 ? kMissing : std::sqrt(noise));
                break;
            case 5:
                in.values.push_back(kMissing);
                break;
            case 6:
                in.values.push_back(random() % 2 == 0 ? -0.0 : 1e300);
                break;
            default:
                in.values.push_back(i % 100 == 7 ? kMissing : 42.0);
            }
        }
        FreshStore store;
        const SeriesId id = addSeries(store, gauge("m", 0), in.times, in.values);
        const Samples out = readBack(store, id);
        QCOMPARE(out.times, in.times);
        QVERIFY(sameBits(out.values, in.values));
    }

    void unorderedSamplesAreSortedStable() {
        Samples in;
        std::mt19937 random(7);
        for (int i = 0; i < 30'000; ++i) {
            in.times.push_back(static_cast<std::int64_t>(random() % 5000));
            in.values.push_back(i);
        }
        std::vector<std::pair<std::int64_t, double>> expected;
        for (std::size_t i = 0; i < in.times.size(); ++i)
            expected.emplace_back(in.times[i], in.values[i]);
        std::stable_sort(expected.begin(), expected.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
        FreshStore store;
        const Samples out = readBack(store, addSeries(store, gauge("m", 0), in.times, in.values));
        QCOMPARE(out.times.size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) {
            QCOMPARE(out.times[i], expected[i].first);
            QCOMPARE(out.values[i], expected[i].second);
        }
    }

    void valueAtHoldsButNotInGaps() {
        FreshStore store;
        // Every 10 ns, then a missing one, then a hole of 500 ns.
        const SeriesId id
            = addSeries(store, gauge("m", 0), {0, 10, 20, 30, 40, 540}, {1, 2, kMissing, 4, 5, 6});
        const auto at = [&](std::int64_t t) { return got(store.valueAt(id, {t})); };
        QVERIFY(!at(-1));
        QCOMPARE(at(0).value(), 1.0);
        QCOMPARE(at(9).value(), 1.0);
        QCOMPARE(at(10).value(), 2.0);
        QVERIFY(!at(25));
        QCOMPARE(at(39).value(), 4.0);
        QCOMPARE(at(50).value(), 5.0);
        QVERIFY(!at(51));
        QCOMPARE(at(540).value(), 6.0);
        QVERIFY(!at(1000));
    }

    // The statistics of any window are those of its samples, though most of them come from the
    // figures of chunks; and no spike of a single sample is lost at any zoom.
    void windowsAgreeWithTheirSamples() {
        const WindowData data = irregularOf(120'000);
        FreshStore store;
        const SeriesId id = addSeries(store, gauge("m", 0), data.times, data.values);
        std::mt19937_64 random(12);
        const std::int64_t first = data.times.front();
        const auto length = static_cast<std::uint64_t>(data.times.back() - first);
        for (int trial = 0; trial < 40; ++trial) {
            const std::int64_t begin
                = first - 5 + (trial < 5 ? 0 : static_cast<std::int64_t>(random() % length));
            const auto part = static_cast<std::int64_t>(length >> (random() % 12U));
            const TimeRange window{{begin}, {begin + part + 10}};
            const Expected expected = bruteForce(data, window);
            const WindowStatistics found = got(store.statistics(id, window));
            QCOMPARE(found.count, expected.count);
            QCOMPARE(found.missing, expected.missing);
            if (expected.count > expected.missing) {
                QCOMPARE(found.min, expected.min);
                QCOMPARE(found.max, expected.max);
            }
            if (expected.weight > 0) {
                const auto mean = static_cast<double>(expected.weighted / expected.weight);
                QVERIFY(std::abs(found.mean / mean - 1.0) < 1e-12);
                const auto integral = static_cast<double>(expected.weighted * 1e-9L);
                QVERIFY(std::abs(found.integral / integral - 1.0) < 1e-12);
            }
        }
    }

    void samplesWithoutDurationCountAlike() {
        FreshStore store;
        std::vector<std::int64_t> times(40'000, 1000);
        std::vector<double> values;
        for (int i = 0; i < 40'000; ++i)
            values.push_back(i);
        const SeriesId id = addSeries(store, gauge("m", 0), times, values);
        const WindowStatistics found = got(store.statistics(id, {{0}, {2000}}));
        QCOMPARE(found.count, 40'000);
        QCOMPARE(found.mean, 39'999.0 / 2.0);
        QCOMPARE(found.max, 39'999.0);
    }

    void spikesOfOneSampleStay() {
        WindowData data;
        std::mt19937_64 random(13);
        std::vector<std::size_t> spikes;
        for (std::size_t i = 0; i < 400'000; ++i) {
            data.times.push_back(static_cast<std::int64_t>(i) * 10'000'000
                + static_cast<std::int64_t>(random() % 5'000'000));
            const bool spike = random() % 10'000 == 0;
            if (spike)
                spikes.push_back(i);
            data.values.push_back(spike ? 900.125 : 300.0);
        }
        FreshStore store;
        const SeriesId id = addSeries(store, gauge("m", 0), data.times, data.values);
        QVERIFY(!spikes.empty());
        for (const std::size_t spike : spikes) {
            for (std::int64_t half = 100'000'000; half < 8'000'000'000'000; half *= 5) {
                const std::int64_t at = data.times[spike];
                const TimeRange window{{at - half / 3}, {at + half}};
                const auto buckets = got(store.buckets(id, window, 300));
                const auto column
                    = static_cast<std::size_t>((at - window.begin.ns) * 300 / window.length().ns);
                QCOMPARE(buckets[column].max, 900.125F);
            }
        }
    }

    // Buckets at every zoom: the envelope holds every sample of its column, the counts add up, gaps
    // are known, and the means are those of the held samples.

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
        FreshStore store;
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
        FreshStore store;
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
        FreshStore store;
        const SeriesId id = addSeries(store, gauge("m", 0), {0, 100, 200}, {5, 7, 9});
        const auto buckets = got(store.buckets(id, {{110}, {190}}, 4));
        for (const Bucket& bucket : buckets) {
            QCOMPARE(bucket.count, 0U);
            QVERIFY(!bucket.gap);
            QCOMPARE(bucket.mean, 7.0F);
        }
    }

    void meanIsTimeWeighted() {
        FreshStore store;
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
        FreshStore store;
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
        FreshStore store;
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
        FreshStore store;
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
        FreshStore store;
        const SeriesId id
            = addSeries(store, counter("nvlink_rx", 0, 32, 1024), data.times, data.values);
        for (const int columns : {1, 10, 333, 1920, 20'000}) {
            const TimeRange window{{0}, {data.times.back()}};
            const auto rates = got(store.rateBuckets(id, window, columns));
            double sum = 0.0;
            for (const Bucket& bucket : rates)
                sum += double{bucket.mean} * window.length().seconds() / columns;
            VERIFY_RATIO(sum, total * 1024, 1e-4);
        }
    }

    void oddWindows() {
        FreshStore store;
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

TRAINSCOPE_TEST(tst_Samples)
#include "tst_Samples.moc"
