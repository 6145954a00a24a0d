// A log says the same however it is cut into blocks: read a line at a time, in random pieces, and
// as a whole.

#include "importers/common/Number.h"
#include "importers/common/Stamp.h"
#include "importers/meters/LogReader.h"
#include "importers/support/RecordingSink.h"
#include "support/TestProgram.h"

#include <QtTest>

#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <random>
#include <tuple>

using namespace trainscope;
using namespace trainscope::importers;
using namespace trainscope::importers::meters::smi;

namespace {

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

class tst_Blocks : public QObject {
    Q_OBJECT

private Q_SLOTS:
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

TRAINSCOPE_TEST(tst_Blocks)
#include "tst_Blocks.moc"
