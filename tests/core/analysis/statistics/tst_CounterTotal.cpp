// Counter totals: wraps, resets and missing reads, against hand-derived numbers and a counter that
// never wraps.

#include "core/analysis/statistics/Accumulators.h"
#include "support/TestProgram.h"

using namespace trainscope;
using trainscope::analysis::CounterTotal;

namespace {

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

class tst_CounterTotal : public QObject {
    Q_OBJECT

private Q_SLOTS:
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

TRAINSCOPE_TEST(tst_CounterTotal)
#include "tst_CounterTotal.moc"
