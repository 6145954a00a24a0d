// Order statistics: exact while small, within the promised error when memory is bounded.

#include "core/analysis/statistics/Accumulators.h"
#include "core/analysis/statistics/Distribution.h"
#include "support/TestProgram.h"

using trainscope::analysis::CounterTotal;
using trainscope::analysis::Distribution;
using trainscope::analysis::WeightedValue;

namespace {

using Values = std::vector<WeightedValue>;
using Random = std::mt19937_64;

double drawn(int kind, Random& random) {
    const auto choice = static_cast<double>(random() % 1000);
    switch (kind) {
    case 0: // power in mW
        return static_cast<double>(random() % 700'000) / 1e3;
    case 1: // few values
        return static_cast<double>(random() % 5);
    case 2: // one value
        return 42.5;
    case 3: // both signs, and both zeros
        return (choice - 500.0) * (random() % 2 == 0 ? 1.0 : -1.0);
    case 4: // nearly all in one place, one far away
        return choice == 0.0 ? 1e300 : std::nextafter(1.0, 2.0) + choice * 0x1p-52;
    case 5: // all magnitudes
        return std::ldexp(choice - 500.0, static_cast<int>(random() % 2000) - 1000);
    default: // infinities among small numbers
        return choice == 0.0 ? std::numeric_limits<double>::infinity()
            : choice == 1.0  ? -std::numeric_limits<double>::infinity()
                             : choice * std::numeric_limits<double>::denorm_min();
    }
}

Values randomValues(int kind, std::size_t count, Random& random) {
    Values values(count);
    for (auto& entry : values) {
        const bool heavy = random() % 50 == 0;
        entry = {drawn(kind, random),
            1 + static_cast<std::int64_t>(random() % (heavy ? 1'000'000'000'000U : 100U))};
    }
    return values;
}

Values sorted(Values values) {
    std::stable_sort(values.begin(), values.end(),
        [](const auto& a, const auto& b) { return a.value < b.value; });
    return values;
}

double slowly(const Values& ascending, std::int64_t weight) {
    for (const auto& entry : ascending) {
        weight -= entry.weight;
        if (weight <= 0)
            return entry.value;
    }
    return std::nan("");
}

std::int64_t totalOf(const Values& values) {
    std::int64_t total = 0;
    for (const auto& entry : values)
        total += entry.weight;
    return total;
}

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kPeriod = 100'000'000; // 0.1 s
constexpr double kRange32 = 4294967296.0;

SeriesDescription counterOf(const char* name, int bits, double scale, const char* unit = "B") {
    SeriesDescription description;
    description.metric = {name, unit, MetricKind::Counter, name};
    description.counterBits = bits;
    description.scale = scale;
    return description;
}

CounterTotal totalled(
    const SeriesDescription& description, const std::vector<double>& sourceValues) {
    CounterTotal counter(description);
    std::vector<TimeNs> times;
    std::vector<double> values;
    for (std::size_t i = 0; i < sourceValues.size(); ++i) {
        times.push_back({static_cast<std::int64_t>(i) * kPeriod});
        values.push_back(sourceValues[i] * description.scale);
    }
    counter.add(times, values);
    return counter;
}

} // namespace

class tst_Distribution : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void medianCountsByWeight_data() {
        const auto row = trainscope::test::columns<std::vector<double>, double>("values", "median");
        using V = std::vector<double>;
        row("one", V{3}, 3.0);
        row("two", V{4, 1}, 2.5);
        row("odd", V{9, 1, 4}, 4.0);
        row("even", V{9, 1, 4, 5}, 4.5);
        row("repeated", V{2, 2, 2, 7}, 2.0);
    }

    void medianCountsByWeight() {
        QFETCH(std::vector<double>, values);
        QFETCH(double, median);
        Distribution distribution;
        for (const double value : values)
            distribution.add(value, 1);
        QCOMPARE(*distribution.median(), median);
    }

    void emptyAndWeightless() {
        Distribution distribution;
        distribution.add(5.0, 0);
        distribution.add(5.0, -3);
        QVERIFY(!distribution.quantile(0.5));
        QVERIFY(!distribution.median());
    }

    void quantileIsTheSmallestValueThatReachesTheShare() {
        Distribution distribution;
        distribution.add(30.0, 1);
        distribution.add(10.0, 98);
        distribution.add(20.0, 1);
        QCOMPARE(*distribution.quantile(0.98), 10.0);
        QCOMPARE(*distribution.quantile(0.99), 20.0);
        QCOMPARE(*distribution.quantile(0.991), 30.0);
        QCOMPARE(*distribution.quantile(0.0), 10.0);
        QCOMPARE(*distribution.quantile(1.0), 30.0);
    }

    void boundedMemoryStaysWithinItsError() {
        std::mt19937_64 random(7);
        std::uniform_real_distribution<double> uniform(60.0, 700.0);
        Distribution bounded(1024);
        std::vector<double> all;
        for (int i = 0; i < 100'000; ++i) {
            all.push_back(uniform(random));
            bounded.add(all.back(), 1);
        }
        std::sort(all.begin(), all.end());
        QVERIFY(bounded.relativeError() > 0.0);
        QVERIFY(bounded.relativeError() < 0.02);
        for (const double q : {0.1, 0.5, 0.99}) {
            const double exact = all[static_cast<std::size_t>(std::ceil(q * 100'000)) - 1];
            const double error = std::abs(*bounded.quantile(q) - exact) / exact;
            QVERIFY2(error <= bounded.relativeError(), qPrintable(QString::number(error)));
        }
        QCOMPARE(bounded.totalWeight(), std::int64_t{100'000});
    }

    void fewDistinctValuesStayExactForever() {
        Distribution bounded(64);
        for (int i = 0; i < 100'000; ++i)
            bounded.add((i % 30) + 0.1, 1);
        QCOMPARE(bounded.relativeError(), 0.0);
        QCOMPARE(*bounded.quantile(0.5), 14.1);
    }

    // Values that come again, at first or only later, among others that do not.
    void agreesWithAMapOfWeights() {
        std::mt19937_64 random(11);
        for (const std::uint64_t distinct : {1U, 3U, 200U, 300U, 5000U, 1'000'000U}) {
            std::map<double, std::int64_t> weights;
            Distribution distribution;
            std::int64_t total = 0;
            for (int i = 0; i < 20'000; ++i) {
                const double value = static_cast<double>(random() % distinct) / 8.0 - 3.0;
                const auto weight = 1 + static_cast<std::int64_t>(random() % 1000);
                distribution.add(value, weight);
                weights[value] += weight;
                total += weight;
            }
            QCOMPARE(distribution.totalWeight(), total);
            for (const double q : {0.001, 0.25, 0.5, 0.99, 0.9999}) {
                std::int64_t reached = 0;
                auto at = weights.begin();
                while (static_cast<double>(reached += at->second) < q * static_cast<double>(total))
                    ++at;
                const auto [lower, upper] = distribution.quantiles(q, 1.0);
                QCOMPARE(*lower, at->first);
                QCOMPARE(*upper, weights.rbegin()->first);
            }
        }
    }

    void poolsAddUp() {
        Distribution a;
        Distribution b;
        a.add(1.0, 3);
        b.add(2.0, 4);
        a.add(std::move(b));
        QCOMPARE(a.totalWeight(), std::int64_t{7});
        QCOMPARE(*a.quantile(0.5), 2.0);
        QCOMPARE(*a.quantile(3.0 / 7.0), 1.0);
    }

    // Selection and sorting against a stable sort, on values that are hard for either: ties, one
    // value, both signs, neighbours in the last bit, all magnitudes, infinities.
    void kinds_data() {
        trainscope::test::columns<int>("kind");
        for (int kind = 0; kind < 7; ++kind)
            QTest::addRow("%d", kind) << kind;
    }

    void selectsWhatSortingFinds_data() { kinds_data(); }
    void selectsWhatSortingFinds() {
        QFETCH(int, kind);
        Random random(static_cast<unsigned>(kind));
        for (const std::size_t count : {1U, 2U, 63U, 64U, 65U, 66U, 500U, 3000U, 50'000U}) {
            const Values values = randomValues(kind, count, random);
            const Values ascending = sorted(values);
            const std::int64_t total = totalOf(values);
            std::vector<std::int64_t> wanted = {1, total, total / 2 + 1, ascending[0].weight,
                std::min(total, ascending[0].weight + 1)};
            for (int i = 0; i < 20; ++i)
                wanted.push_back(
                    1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(total)));
            std::sort(wanted.begin(), wanted.end());
            std::vector<double> found(wanted.size());
            trainscope::analysis::selectByWeight(values, wanted, found);
            for (std::size_t i = 0; i < wanted.size(); ++i)
                QCOMPARE(found[i], slowly(ascending, wanted[i]));
        }
    }

    void sortsByValue_data() { kinds_data(); }
    void sortsByValue() {
        QFETCH(int, kind);
        Random random(static_cast<unsigned>(kind) + 100);
        for (const std::size_t count : {0U, 1U, 2U, 2048U, 2049U, 20'000U}) {
            Values values = randomValues(kind, count, random);
            const Values expected = sorted(values);
            trainscope::analysis::sortByValue(values);
            for (std::size_t i = 0; i < count; ++i)
                QVERIFY(values[i].value == expected[i].value);
            QCOMPARE(totalOf(values), totalOf(expected));
        }
    }

    // Counter totals: wraps, resets and missing reads, against hand-derived numbers and a counter
    // that never wraps.

    void handDerived_data() {
        const auto row
            = test::columns<QByteArray, int, double, std::vector<double>, double, int, int>(
                "metric", "bits", "scale", "values", "total", "wraps", "resets");
        using V = std::vector<double>;
        const QByteArray pcie = "pcie_rx";
        const QByteArray nvlink = "nvlink_tx";
        const QByteArray ib = "ib_tx";
        row("rising", pcie, 32, 1.0, V{5, 10, 25}, 20.0, 0, 0);
        row("wrap", pcie, 32, 1.0, V{kRange32 - 100, 50}, 150.0, 1, 0);
        row("wrap in KiB", nvlink, 32, 1024.0, V{kRange32 - 1, 2}, 3072.0, 1, 0);
        row("wrap over a missing read", pcie, 32, 1.0, V{kRange32 - 100, kMissing, 50}, 150.0, 1,
            0);
        // From 10^9 KiB back to 7 would be 3.4 TB in 0.1 s: no NVLink does that.
        row("reset", nvlink, 32, 1024.0, V{1e9, 7, 9}, 9216.0, 0, 1);
        // A 64-bit counter that falls from small numbers cannot have wrapped.
        row("reset of 64 bits", ib, 64, 1.0, V{1000, 4000, 10}, 3010.0, 0, 1);
        row("fall of unknown width", ib, 0, 1.0, V{1000, 10}, 10.0, 0, 1);
        row("single", pcie, 32, 1.0, V{77}, 0.0, 0, 0);
        row("standing still", pcie, 32, 1.0, V{77, 77}, 0.0, 0, 0);
    }

    void handDerived() {
        QFETCH(QByteArray, metric);
        QFETCH(int, bits);
        QFETCH(double, scale);
        QFETCH(std::vector<double>, values);
        QFETCH(double, total);
        QFETCH(int, wraps);
        QFETCH(int, resets);
        const auto counter = totalled(counterOf(metric.constData(), bits, scale), values);
        QCOMPARE(*counter.total(), total);
        QCOMPARE(counter.wraps(), std::int64_t{wraps});
        QCOMPARE(counter.resets(), std::int64_t{resets});
    }

    void otherUnitsDecideByTheShorterWay() {
        const auto description = counterOf("gpu_energy", 32, 1.0, "J");
        QCOMPARE(totalled(description, {kRange32 - 5, 5}).wraps(), std::int64_t{1});
        QCOMPARE(totalled(description, {1000, 5}).resets(), std::int64_t{1});
    }

    void nothingPresent() {
        const auto counter = totalled(counterOf("pcie_rx", 32, 1.0), {kMissing, kMissing});
        QVERIFY(!counter.total());
        QCOMPARE(counter.missing(), std::int64_t{2});
        QCOMPARE(counter.samples(), std::int64_t{2});
    }

    void wrappedCounterEqualsOneThatNeverWraps() {
        for (unsigned seed = 0; seed < 100; ++seed) {
            std::mt19937_64 random(seed);
            std::uint64_t running = random() % 4'294'967'296U;
            std::uint64_t first = 0;
            std::uint64_t last = 0;
            bool seen = false;
            std::vector<double> values;
            for (int i = 0; i < 5000; ++i) {
                // Up to 40 MB a sample: 0.4 GB/s, so that only few reads lie between two wraps.
                running += random() % 40'000'000;
                if (random() % 50 == 0) {
                    values.push_back(kMissing);
                    continue;
                }
                first = seen ? first : running;
                last = running;
                seen = true;
                values.push_back(static_cast<double>(running % 4'294'967'296U));
            }
            const auto counter = totalled(counterOf("pcie_tx", 32, 1.0), values);
            QCOMPARE(*counter.total(), static_cast<double>(last - first));
            QCOMPARE(counter.wraps(),
                static_cast<std::int64_t>(last / 4'294'967'296U - first / 4'294'967'296U));
            QCOMPARE(counter.resets(), std::int64_t{0});
        }
    }
};

TRAINSCOPE_TEST(tst_Distribution)
#include "tst_Distribution.moc"
