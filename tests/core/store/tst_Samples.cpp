// Samples come back as they went in, and the figures beside them are those of their definitions.

#include "core/store/Fixture.h"
#include "support/TestProgram.h"

using namespace trainscope;
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

} // namespace

class tst_Samples : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void statisticsByHand() {
        // 100 W for 1 s, missing for 2 s, 300 W for 3 s, then a last sample that holds for no time.
        Fixture fixture;
        Store store = fixture.create();
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
        Fixture fixture;
        Store store = fixture.create();
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
        Fixture fixture;
        Store store = fixture.create();
        const Samples out = readBack(store, addSeries(store, gauge("m", 0), in.times, in.values));
        QCOMPARE(out.times.size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) {
            QCOMPARE(out.times[i], expected[i].first);
            QCOMPARE(out.values[i], expected[i].second);
        }
    }

    void valueAtHoldsButNotInGaps() {
        Fixture fixture;
        Store store = fixture.create();
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
        Fixture fixture;
        Store store = fixture.create();
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
        Fixture fixture;
        Store store = fixture.create();
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
        Fixture fixture;
        Store store = fixture.create();
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
};

TRAINSCOPE_TEST(tst_Samples)
#include "tst_Samples.moc"
