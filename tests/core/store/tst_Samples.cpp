// Samples come back as they went in, and the figures beside them are those of their definitions.

#include "core/store/Fixture.h"
#include "support/TestProgram.h"

#include <QObject>

#include <bit>
#include <random>

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
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("count");
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
};

TRAINSCOPE_TEST(tst_Samples)
#include "tst_Samples.moc"
