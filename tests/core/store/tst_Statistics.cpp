// The statistics of any window are those of its samples, though most of them come from the figures
// of chunks; and no spike of a single sample is lost at any zoom.

#include "core/store/Fixture.h"
#include "support/TestProgram.h"

#include <QObject>

#include <random>

using namespace trainscope;
using namespace trainscope::store;
using namespace trainscope::test;

namespace {

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

class tst_Statistics : public QObject {
    Q_OBJECT

private Q_SLOTS:
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

TRAINSCOPE_TEST(tst_Statistics)
#include "tst_Statistics.moc"
