// Rows of logs that do not name their GPU, or their time: who they are of follows from their
// rhythm, and from the lines of dates between them.

#include "importers/meters/ImportLogs.h"
#include "support/TestProgram.h"

#include <QtTest>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

using namespace trainscope;
using namespace trainscope::test;

namespace {

// A row `ms` after ten o'clock.
std::string rowAfter(int ms, double watts) {
    return fmt::format("2026/01/06 10:{:02}:{:02}.{:03}, {:.2f} W\n", ms / 60'000, ms / 1000 % 60,
        ms % 1000, watts);
}

// Rows of `bursts` readings; `at` gives the time of each row of them, `lost` leaves rows out.
std::string burstsOf(int bursts, int rows, const std::function<int(int burst, int row)>& at,
    const std::function<bool(int burst, int row)>& isLost = {}) {
    std::string text = "timestamp, power.draw [W]\n";
    for (int burst = 0; burst < bursts; ++burst) {
        for (int row = 0; row < rows; ++row) {
            if (!isLost || !isLost(burst, row))
                text += rowAfter(at(burst, row), 100.0 + row);
        }
    }
    return text;
}

std::string warningsOf(const ImportedLog& log) {
    std::string all;
    for (const ImportWarning& warning : log.reports.at(0).value().warnings)
        all += warning.text + "\n";
    return all;
}

} // namespace

class tst_UnnamedGpus : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rhythm_data() {
        QTest::addColumn<std::string>("text");
        QTest::addColumn<int>("gpus");
        QTest::newRow("read in a loop that rests after four rows")
            << burstsOf(40, 4, [](int burst, int row) { return 940 * burst + 110 * row; }) << 1;
        QTest::newRow("ten rows a second apart, then a pause")
            << burstsOf(12, 10, [](int burst, int row) { return 22'000 * burst + 1000 * row; })
            << 1;
        QTest::newRow("a loop that rests, then no more") << burstsOf(60, 4, [](int burst, int row) {
            return 110 * (4 * burst + row) + 500 * std::min(burst, 14);
        }) << 1;
        QTest::newRow("8 GPUs") << burstsOf(50, 8, [](int burst, int row) {
            return 1000 * burst + row;
        }) << 8;
        QTest::newRow("8 GPUs, of which three always answer late") << burstsOf(
            50, 8, [](int burst, int row) { return 1000 * burst + row + (row >= 5 ? 400 : 0); })
                                                                   << 8;
        QTest::newRow("readings and rows that are late at times") << burstsOf(
            60, 4, [](int burst, int row) {
                const int late = burst % 13 == 5 && row >= 2 ? 30 : 0;
                return 100 * burst + (burst % 9 == 4 ? 37 : 0) + 3 * row + late;
            }) << 4;
    }
    void rhythm() {
        QFETCH(std::string, text);
        QFETCH(int, gpus);
        ImportedLog log;
        importText(text, log);
        QCOMPARE(log.sink.gpus.size(), static_cast<std::size_t>(gpus));
        QVERIFY2(warningsOf(log).empty(), warningsOf(log).c_str());
        // Each place has its own power where it is a GPU's.
        for (int gpu = 0; gpus > 1 && gpu < gpus; ++gpu) {
            for (const double watts : log.values("gpu_power", gpu))
                QCOMPARE(watts, 100.0 + gpu);
        }
    }
    void lostRow() {
        ImportedLog log;
        importText(burstsOf(
                       60, 2, [](int burst, int row) { return 100 * burst + 2 * row; },
                       [](int burst, int row) { return burst % 20 == 7 && row == 1; }),
            log);
        QCOMPARE(log.values("gpu_power", 0), std::vector<double>(60, 100.0));
        QCOMPARE(log.values("gpu_power", 1), std::vector<double>(57, 101.0));
        QVERIFY(warningsOf(log).find("In 3 groups of rows") != std::string::npos);
    }
    void redactedUuids() {
        std::string text = "timestamp, uuid, power.draw [W]\n";
        for (int second = 0; second < 10; ++second)
            text += fmt::format("2026/01/06 10:00:0{0}.000, GPU-REDACTED, 100.00 W\n"
                                "2026/01/06 10:00:0{0}.001, GPU-REDACTED, 200.00 W\n",
                second);
        ImportedLog log;
        importText(text, log);
        QCOMPARE(log.values("gpu_power", 0), std::vector<double>(10, 100.0));
        QCOMPARE(log.values("gpu_power", 1), std::vector<double>(10, 200.0));
        QVERIFY(log.sink.gpus.at({1, 0}).uuid.empty());
    }
    void dateLines_data() {
        QTest::addColumn<std::string>("date"); // minute {}
        QTest::addColumn<std::string>("head");
        QTest::addColumn<std::string>("before"); // in front of each row
        const std::string head = "power.draw [W], utilization.gpu [%]\n";
        QTest::newRow("date") << std::string("Tue Jan  6 09:0{}:00 UTC 2026") << "index, " + head
                              << std::string("{}, ");
        QTest::newRow("framed, GPUs by place")
            << std::string("=== 2026-01-06T09:0{}:00Z ===") << head << std::string();
        QTest::newRow("label") << std::string("Timestamp: 2026-01-06T09:0{}:00Z")
                               << "index, " + head << std::string("{}, ");
        QTest::newRow("no header")
            << std::string("2026-01-06T09:0{}:00Z") << std::string() << std::string("{}, ");
    }
    void dateLines() {
        QFETCH(std::string, date);
        QFETCH(std::string, head);
        QFETCH(std::string, before);
        std::string text;
        for (int minute = 0; minute < 6; ++minute) {
            text += fmt::format(fmt::runtime(date), minute) + "\n" + head;
            for (int gpu = 0; gpu < 2; ++gpu)
                text += fmt::format(fmt::runtime(before), gpu)
                    + fmt::format("{}.00 W, 50 %\n", 100 * (gpu + 1) + minute);
        }
        ImportedLog log;
        importText(text, log);
        QCOMPARE(log.sink.gpus.size(), std::size_t{2});
        QVERIFY2(warningsOf(log).empty(), warningsOf(log).c_str());
        QCOMPARE(log.values("gpu_power", 1), (std::vector<double>{200, 201, 202, 203, 204, 205}));
        // 2026-01-06 09:00:00 UTC, a minute apart.
        std::vector<std::int64_t> times;
        for (std::int64_t minute = 0; minute < 6; ++minute)
            times.push_back((1'767'690'000 + 60 * minute) * 1'000'000'000);
        QCOMPARE(log.times("gpu_power", 0), times);
    }
    // Rows behind the date of the start alone have no times.
    void oneDateForAll() {
        std::string text = "Tue Jan  6 09:00:00 UTC 2026\nindex, power.draw [W]\n";
        for (int second = 0; second < 5; ++second)
            text += "0, 100.00 W\n1, 200.00 W\n";
        ImportedLog log;
        importText(text, log);
        QVERIFY(!log.reports.at(0).hasValue());
        QVERIFY(log.reports.at(0).error().message.find("no time stamps") != std::string::npos);
    }
    void impossibleNumbers() {
        ImportedLog log;
        importText("timestamp, index, power.draw [W], utilization.gpu [%], clocks.sm [MHz]\n"
                   "2026/01/06 10:00:00.000, 0, 100.00 W, 50 %, 1980 MHz\n"
                   "2026/01/06 10:00:01.000, 0, 4294967.29 W, 150 %, 1980 MHz\n"
                   "2026/01/06 10:00:02.000, 0, 101.00 W, 4294967295 %, 65535 MHz\n"
                   "2026/01/06 10:00:03.000, 0, 102.00 W, 87211 %, 2147483647 MHz\n",
            log);
        const RecordedSeries* shares = log.sink.ofGpu("gpu_utilization", 0);
        QVERIFY(shares != nullptr);
        QCOMPARE(shares->values.at(1), 150.0);
        QVERIFY(std::isnan(shares->values.at(2)) && std::isnan(shares->values.at(3)));
        QVERIFY(std::isnan(log.values("gpu_power", 0).at(1)));
        QVERIFY(std::isnan(log.values("sm_clock", 0).at(2)));
        QVERIFY(std::isnan(log.values("sm_clock", 0).at(3)));
        QCOMPARE(log.reports.at(0).value().missing, std::int64_t{5});
        const std::string told = warningsOf(log);
        QVERIFY2(told.find("2 readings of gpu_utilization cannot be, such as 4294967295:")
                != std::string::npos,
            told.c_str());
        QVERIFY(told.find("1 reading of gpu_power cannot be") != std::string::npos);
    }
};

TRAINSCOPE_TEST(tst_UnnamedGpus)
#include "tst_UnnamedGpus.moc"
