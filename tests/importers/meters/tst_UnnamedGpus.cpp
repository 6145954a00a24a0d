// Rows of logs that do not name their GPU, or their time: who they are of follows from their
// rhythm, and from the lines of dates between them.

#include "importers/common/Number.h"
#include "importers/common/Stamp.h"
#include "importers/meters/ImportLogs.h"
#include "importers/meters/ImportMeters.h"
#include "importers/meters/LogReader.h"
#include "importers/meters/MeterSamples.h"
#include "importers/support/BrokenTree.h"
#include "importers/support/RecordingSink.h"
#include "support/TestProgram.h"

#include <fmt/format.h>

using namespace trainscope::importers;
using namespace trainscope::importers::meters::smi;
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

using Random = std::mt19937_64;

constexpr const char* kHeader = "timestamp, index, name, power.draw [W], temperature.gpu";
constexpr const char* kOtherHeader = "timestamp, index, temperature.gpu, fan.speed [%]";

std::string stamp(int row) {
    std::array<char, 40> text{};
    (void)std::snprintf(text.data(), text.size(), "2026/04/22 %02d:%02d:%02d.%03d", row / 3600 % 24,
        row / 60 % 60, row % 60, row * 7 % 1000);
    return text.data();
}

std::string oddLine(Random& random) {
    constexpr std::array<const char*, 8> kOdd{"", "\"", "Unable to determine the device handle",
        "2026/04/22 00:00", "garbage", "2026/04/22 00:03:09.407, 1, H100", ",,,,",
        "\x1b[1m2026/04/22 05:00:00.000, 1, NVIDIA H100, 5.00 W, 50\x1b[0m"};
    return kOdd[random() % kOdd.size()];
}

std::string cell(Random& random, const std::string& usual) {
    constexpr std::array<const char*, 5> kOdd{"[N/A]", "-1", "\"5.25\"", "nonsense", "7 kW"};
    return random() % 20 == 0 ? kOdd[random() % kOdd.size()] : usual;
}

// Begins in order, so that the columns are found; then anything, other columns among it.
std::string randomLog(Random& random) {
    std::string text = std::string(kHeader) + "\n";
    bool isOther = false;
    for (int row = 0; row < 400; ++row) {
        const auto dice = row < 40 ? 99 : random() % 100;
        const std::string gpu = std::to_string(row % 4);
        if (dice == 0)
            isOther = !isOther;
        if (dice <= 1)
            text += std::string(isOther ? kOtherHeader : kHeader) + "\n";
        else if (dice < 6)
            text += oddLine(random) + "\n";
        const std::string heat = cell(random, std::to_string(30 + random() % 60));
        const std::string power
            = std::to_string(random() % 700) + "." + std::to_string(10 + random() % 90) + " W";
        text += stamp(row) + ", " + gpu + ", ";
        text += isOther ? heat + ", " + std::to_string(random() % 101) + " %"
                        : "NVIDIA H100, " + cell(random, power) + ", " + heat;
        text += random() % 9 == 0 ? "\r\n" : "\n";
    }
    return text;
}

using Warnings = std::vector<std::pair<std::int64_t, std::string>>;
struct Reading {
    std::vector<std::tuple<std::string, int, std::vector<TimeNs>, std::vector<std::uint64_t>>>
        series;
    Warnings warnings;
    std::int64_t rows = 0;
    std::int64_t skipped = 0;

    bool operator==(const Reading&) const = default;
};

Reading read(const std::string& text, std::size_t blockSize) {
    const auto order = readColumnOrder(linesOfHead(text.substr(0, text.rfind('\n', 3000) + 1)));
    test::RecordingSink sink;
    ImportReport report;
    const RunId run = sink.run({}).value();
    MeterTable table(sink, run, report, {}, 0);
    MeterLog log(table, report, "f", {});
    LogReader reader(order.value(), log);
    const auto tree = memoryTree({{"f", text}});
    LineBlocks blocks(tree->open("f").value(), RowBlock::kLongestLine, blockSize);
    Reading reading;
    if (!reader.read(blocks, [](std::uint64_t) { return true; }).hasValue()
        || !log.finish().hasValue() || !table.finish().hasValue())
        return reading;
    for (const auto& series : sink.allSeries) {
        std::vector<std::uint64_t> bits;
        for (const double value : series.values)
            bits.push_back(std::isnan(value) ? 0 : std::bit_cast<std::uint64_t>(value));
        reading.series.emplace_back(
            series.description.metric.name, series.description.subject.rank, series.times, bits);
    }
    for (const ImportWarning& warning : report.warnings)
        reading.warnings.emplace_back(warning.line, warning.text);
    reading.rows = report.rows;
    reading.skipped = report.skipped;
    return reading;
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
        const ImportedLog log(text);
        QCOMPARE(log.sink.gpus.size(), static_cast<std::size_t>(gpus));
        QVERIFY2(warningsOf(log).empty(), warningsOf(log).c_str());
        // Each place has its own power where it is a GPU's.
        for (int gpu = 0; gpus > 1 && gpu < gpus; ++gpu) {
            for (const double watts : log.values("gpu_power", gpu))
                QCOMPARE(watts, 100.0 + gpu);
        }
    }
    // The second node's ranks follow those of the first.
    void rhythmOfTwoNodes() {
        const std::string text
            = burstsOf(50, 8, [](int burst, int row) { return 1000 * burst + row; });
        const ImportedLog log(*importers::memoryTree({{"node0.csv", text}, {"node1.csv", text}}));
        QCOMPARE(log.sink.gpus.size(), std::size_t{16});
        QCOMPARE(log.sink.gpus.rbegin()->second.rank, 15);
    }
    void lostRow() {
        const ImportedLog log(burstsOf(
            60, 2, [](int burst, int row) { return 100 * burst + 2 * row; },
            [](int burst, int row) { return burst % 20 == 7 && row == 1; }));
        QCOMPARE(log.values("gpu_power", 0), std::vector<double>(60, 100.0));
        QCOMPARE(log.values("gpu_power", 1), std::vector<double>(57, 101.0));
        VERIFY_SAYS(warningsOf(log), "In 3 groups of rows");
    }
    void redactedUuids() {
        std::string text = "timestamp, uuid, power.draw [W]\n";
        for (int second = 0; second < 10; ++second)
            text += fmt::format("2026/01/06 10:00:0{0}.000, GPU-REDACTED, 100.00 W\n"
                                "2026/01/06 10:00:0{0}.001, GPU-REDACTED, 200.00 W\n",
                second);
        const ImportedLog log(text);
        QCOMPARE(log.values("gpu_power", 0), std::vector<double>(10, 100.0));
        QCOMPARE(log.values("gpu_power", 1), std::vector<double>(10, 200.0));
        QVERIFY(log.sink.gpus.at({1, 0}).uuid.empty());
    }
    void dateLines_data() {
        // date: minute {}
        // before: in front of each row
        const auto row = columns<std::string, std::string, std::string>("date", "head", "before");
        const std::string head = "power.draw [W], utilization.gpu [%]\n";
        row("date", "Tue Jan  6 09:0{}:00 UTC 2026", "index, " + head, "{}, ");
        row("framed, GPUs by place", "=== 2026-01-06T09:0{}:00Z ===", head, std::string());
        row("label", "Timestamp: 2026-01-06T09:0{}:00Z", "index, " + head, "{}, ");
        row("no header", "2026-01-06T09:0{}:00Z", std::string(), "{}, ");
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
        const ImportedLog log(text);
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
        const ImportedLog log(text);
        VERIFY_FAILS(log.reports.at(0), "no time stamps");
    }
    void impossibleNumbers() {
        const ImportedLog log(
            "timestamp, index, power.draw [W], utilization.gpu [%], clocks.sm [MHz]\n"
            "2026/01/06 10:00:00.000, 0, 100.00 W, 50 %, 1980 MHz\n"
            "2026/01/06 10:00:01.000, 0, 4294967.29 W, 150 %, 1980 MHz\n"
            "2026/01/06 10:00:02.000, 0, 101.00 W, 4294967295 %, 65535 MHz\n"
            "2026/01/06 10:00:03.000, 0, 102.00 W, 87211 %, 2147483647 MHz\n");
        const RecordedSeries* shares = log.sink.ofGpu("gpu_utilization", 0);
        QVERIFY(shares != nullptr);
        QCOMPARE(shares->values.at(1), 150.0);
        QVERIFY(std::isnan(shares->values.at(2)) && std::isnan(shares->values.at(3)));
        QVERIFY(std::isnan(log.values("gpu_power", 0).at(1)));
        QVERIFY(std::isnan(log.values("sm_clock", 0).at(2)));
        QVERIFY(std::isnan(log.values("sm_clock", 0).at(3)));
        QCOMPARE(log.reports.at(0).value().missing, std::int64_t{5});
        const std::string told = warningsOf(log);
        VERIFY_SAYS(told, "2 readings of gpu_utilization cannot be, such as 4294967295:");
        VERIFY_SAYS(told, "1 reading of gpu_power cannot be");
    }

    void everyFormatIsKnown() {
        for (const std::string_view text : kMeterSamples) {
            const ImportedMeters imported(text);
            QVERIFY2(imported.units.size() == 1, std::string(text.substr(0, 60)).c_str());
            QVERIFY2(imported.reports[0].hasValue(), std::string(text.substr(0, 60)).c_str());
            QVERIFY(!imported.units[0].summary.empty());
            QVERIFY(imported.reports[0].value().facts.contains("clock"));
            QVERIFY(imported.reports[0].value().facts.contains("format"));
        }
    }
    // Values before the disk failed stay, and the run is partial.
    void breaksOff() {
        std::string text(kSmiDmonText);
        for (int second = 11; second < 60; ++second) {
            text += " 20260422   00:03:" + std::to_string(second)
                + "      0    111     41     42     97     30   2619   1980   9648\n";
        }
        const BrokenTree tree({{"a.txt", text}}, text.size() - 200);
        const ImportedMeters imported(tree);
        QCOMPARE(imported.reports.size(), std::size_t{1});
        QVERIFY(imported.reports[0].hasValue());
        QVERIFY(imported.sink.runs[0].status == RunStatus::Partial);
        QVERIFY(imported.ofGpu("gpu_power", 0).size() > 40);
    }
    void failingSink() {
        for (int call = 1; call < 12; ++call) {
            ImportedMeters imported;
            imported.sink.failAt = call;
            imported.add(*importers::memoryTree({{"log.txt", std::string(kExpositionText)}}));
            QCOMPARE(imported.reports[0].hasValue(), imported.sink.calls < call);
        }
    }

    // A log says the same however it is cut into blocks: read a line at a time, in random pieces,
    // and as a whole.
    void anyBlocks() {
        Random random(5);
        std::int64_t rows = 0;
        for (int round = 0; round < 60; ++round) {
            const std::string text = randomLog(random);
            const Reading expected = read(text, 1);
            rows += expected.rows;
            QVERIFY(!expected.series.empty());
            for (const std::size_t size :
                {std::size_t{50} + random() % 500, std::size_t{4000}, LineBlocks::kBlock})
                QVERIFY(read(text, size) == expected);
        }
        QVERIFY(rows > 20'000);
    }

    // By hand: the line numbers and values of a log with other columns in its middle.
    void otherColumns() {
        const std::string text = std::string(kHeader) + "\n" + stamp(0)
            + ", 0, NVIDIA H100, 100.50 W, 40\n" + kOtherHeader + "\n" + stamp(1)
            + ", 0, 41, 30 %\nbad\n";
        for (const std::size_t size : {std::size_t{1}, LineBlocks::kBlock}) {
            const Reading reading = read(text, size);
            QCOMPARE(reading.rows, std::int64_t{2});
            QCOMPARE(reading.warnings.size(), std::size_t{2});
            QCOMPARE(reading.warnings[0].first, std::int64_t{3});
            QCOMPARE(reading.warnings[1].first, std::int64_t{5});
            QCOMPARE(reading.series.size(), std::size_t{3}); // power, temperature, fan
        }
    }

    void usualStampsAreAsAny() {
        const auto usual = parseStamp("2026/04/22 00:03:09.407");
        const auto other = parseStamp("2026-04-22T00:03:09.407");
        QVERIFY(usual && other);
        QCOMPARE(qint64{usual->time.ns}, qint64{1776816189407000000});
        QVERIFY(usual->time == other->time && usual->kind == other->kind);
        QVERIFY(!parseStamp("2026/04/22 00:03:0x.407"));
        QVERIFY(!parseStamp("2026/13/22 00:03:09"));
        QVERIFY(!parseStamp("2026/04/22 00:03:09.407 garbage"));
        QVERIFY(parseStamp("2026/04/22 00:03:09.407Z")->kind == StampKind::Zoned);
    }

    void plainNumbersAreAsAny() {
        Random random(6);
        int plain = 0;
        for (int round = 0; round < 100'000; ++round) {
            std::string text;
            for (auto i = random() % 12; i > 0; --i)
                text += "0123456789.e- "[random() % 14];
            std::string_view rest = text;
            const auto number = takePlainNumber(rest);
            if (!number) {
                QVERIFY(rest == text);
                continue;
            }
            ++plain;
            const std::string taken = text.substr(0, text.size() - rest.size());
            QCOMPARE(*number, parseNumber(taken).value());
        }
        QVERIFY(plain > 10'000);
    }
};

TRAINSCOPE_TEST(tst_UnnamedGpus)
#include "tst_UnnamedGpus.moc"
