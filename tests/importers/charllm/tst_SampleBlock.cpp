// Whole files of telemetry: any prefix, garbage anywhere, blocks and line ends at any place.

#include "importers/charllm/FileImport.h"
#include "importers/support/BrokenTree.h"
#include "support/TestProgram.h"

#include <QtTest>

#include <cmath>
#include <random>

using namespace trainscope;
using namespace trainscope::importers;
using namespace trainscope::importers::charllm;

namespace {

struct Samples {
    std::vector<TimeNs> times;
    std::vector<double> values;
    ImportReport report;
    bool failed = false;
};

Samples readAll(const SourceTree& tree) {
    Samples samples;
    auto stream = tree.open("f.csv");
    if (!stream.hasValue()) {
        samples.failed = true;
        return samples;
    }
    LineBlocks blocks(std::move(stream).value(), SampleBlock::kLongestLine);
    FileTally tally("f.csv", samples.report);
    for (bool isFirst = true, hasMore = true; hasMore; isFirst = false) {
        const auto next = blocks.next();
        samples.failed |= !next.hasValue();
        hasMore = next.hasValue() && next.value().has_value();
        if (!hasMore)
            break;
        SampleBlock block = readSamples(*next.value(), isFirst);
        tally.add(block);
        samples.times.insert(samples.times.end(), block.times.begin(), block.times.end());
        samples.values.insert(samples.values.end(), block.values.begin(), block.values.end());
    }
    tally.finish();
    return samples;
}

Samples readText(const std::string& text) {
    return readAll(*memoryTree({{"f.csv", text}}));
}

// 10 Hz; the i-th value is i, every 7th read failed.
std::string telemetry(int rows) {
    std::string text;
    for (int i = 0; i < rows; ++i)
        text += std::to_string(1755000000 + i / 10) + "." + std::to_string(i % 10) + ","
            + (i % 7 == 6 ? "-1" : std::to_string(i)) + "\n";
    return text;
}

} // namespace

class tst_SampleBlock : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void manyBlocks() {
        constexpr int kRows = 100000;
        const Samples samples = readText(telemetry(kRows));
        QCOMPARE(samples.times.size(), std::size_t{kRows});
        for (int i = 0; i < kRows; ++i) {
            const auto at = static_cast<std::size_t>(i);
            QCOMPARE(qint64{samples.times[at].ns}, 1755000000'000000000 + qint64{i} * 100'000'000);
            QVERIFY(i % 7 == 6 ? std::isnan(samples.values[at]) : samples.values[at] == i);
        }
        QCOMPARE(samples.report.skipped, std::int64_t{0});
        QCOMPARE(samples.report.bytes, std::uint64_t{telemetry(kRows).size()});
    }

    void everyPrefixIsConsistent() {
        const std::string text = "time,value\r\n" + telemetry(40) + "\r\ngarbage\n" + telemetry(5);
        for (std::size_t length = 0; length <= text.size(); ++length) {
            const Samples samples = readText(text.substr(0, length));
            QVERIFY(!samples.failed);
            QCOMPARE(samples.times.size(), samples.values.size());
            const auto lines = std::count(
                text.begin(), text.begin() + static_cast<std::ptrdiff_t>(length), '\n');
            const auto read
                = static_cast<std::ptrdiff_t>(samples.times.size()) + samples.report.skipped;
            // Header and blank line count for neither; the last line may stand without its end.
            QVERIFY2(read <= lines + 1 && read >= lines - 2, qPrintable(QString::number(length)));
            QCOMPARE(samples.report.bytes, std::uint64_t{length});
        }
    }

    void garbageInTheMiddle() {
        const Samples samples = readText("100,1\n101,2\n\x01\xff"
                                         "binary\n102,3\n103;4;5\n104\n105,6");
        QCOMPARE(samples.values, (std::vector<double>{1, 2, 3, 6}));
        QCOMPARE(samples.report.skipped, std::int64_t{3});
        QCOMPARE(samples.report.warnings.size(), std::size_t{3});
        QCOMPARE(samples.report.warnings[0].line, std::int64_t{3});
        QCOMPARE(samples.report.warnings[0].file, std::string("f.csv"));
        QVERIFY(samples.report.warnings[0].text.find("??binary") != std::string::npos);
        QCOMPARE(samples.report.warnings[1].line, std::int64_t{5});
        QCOMPARE(samples.report.warnings[2].line, std::int64_t{6});
    }

    void headerOnlyInTheFirstLine() {
        QCOMPARE(readText("timestamp,value\n1,2\n").report.skipped, std::int64_t{0});
        QCOMPARE(readText("1,2\ntimestamp,value\n").report.skipped, std::int64_t{1});
    }

    void warningsAreBounded() {
        std::string text;
        for (int i = 0; i < 5000; ++i)
            text += "x\n";
        const Samples samples = readText(text);
        QCOMPARE(samples.report.skipped, std::int64_t{5000});
        QCOMPARE(samples.report.warnings.size(), std::size_t{6});
        QCOMPARE(samples.report.warnings.back().text,
            std::string("4995 more lines of this file were skipped."));
    }

    void endlessLineIsGivenUp() {
        const Samples samples
            = readText("1,2\n" + std::string(3'000'000, '7') + "\n3,4\n" + std::string(70000, ' '));
        QCOMPARE(samples.values, (std::vector<double>{2, 4}));
        QCOMPARE(samples.report.skipped, std::int64_t{2});
        QCOMPARE(samples.report.warnings[0].line, std::int64_t{2});
    }

    void windowsFiles() {
        QCOMPARE(readText("\xEF\xBB\xBF"
                          "1,2\r\n3,4\r\n")
                     .values,
            (std::vector<double>{2, 4}));
        QCOMPARE(readText("\x1b[31m1,2\x1b[0m\n").values, (std::vector<double>{2}));
    }

    void brokenStreamKeepsWholeLines() {
        const test::BrokenTree tree({{"f.csv", "1,10\n2,20\n3,30\n"}}, 13);
        const Samples samples = readAll(tree);
        QVERIFY(samples.failed);
        QCOMPARE(samples.values, (std::vector<double>{10, 20}));
    }

    void randomBytes() {
        std::mt19937 random(1);
        for (int round = 0; round < 300; ++round) {
            std::string text = telemetry(50);
            for (int i = 0; i < 20; ++i)
                text[random() % text.size()] = static_cast<char>(random() % 256);
            const Samples samples = readText(text);
            QCOMPARE(samples.times.size(), samples.values.size());
            QVERIFY(samples.times.size() <= 70);
        }
    }
};

TRAINSCOPE_TEST(tst_SampleBlock)
#include "tst_SampleBlock.moc"
