// Whole files of telemetry: any prefix, garbage anywhere, blocks and line ends at any place.

#include "importers/charllm/FileImport.h"
#include "importers/charllm/RunPlan.h"
#include "importers/support/BrokenTree.h"
#include "support/TestProgram.h"

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
        VERIFY_SAYS(samples.report.warnings[0].text, "??binary");
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

    // One line of telemetry: the plain form on the fast path, and everything else that can still be
    // understood.
    void tolerant_data() {
        const auto row
            = test::columns<QByteArray, int, qint64, double>("text", "kind", "ns", "value");
        const int sample = static_cast<int>(LineKind::Sample);
        const int missing = static_cast<int>(LineKind::Missing);
        const int blank = static_cast<int>(LineKind::Blank);
        const int header = static_cast<int>(LineKind::Header);
        const int bad = static_cast<int>(LineKind::Bad);
        const qint64 t = 1755000000'500000000;
        row("plain", "1755000000.5,693.227", sample, t, 693.227);
        row("zero is a value", "1755000000.5,0", sample, t, 0.0);
        row("python float", "1755000000.5000002384,1.0", sample, t + 238, 1.0);
        row("blanks", "  1755000000.5 , 12 \r", sample, t, 12.0);
        row("semicolon", "1755000000,5;12,25", sample, t, 12.25);
        row("tab", "1755000000.5\t12", sample, t, 12.0);
        row("spaces", "1755000000.5   12", sample, t, 12.0);
        row("quoted", "\"1755000000.5\",\"12\"", sample, t, 12.0);
        row("exponents", "1.7550000005e9,1.5E2", sample, t, 150.0);
        row("comma at the end", "1755000000.5,12,", sample, t, 12.0);
        row("large counter", "1755000000.5,9007199254740993", sample, t, 9007199254740992.0);
        row("below minus one", "1755000000.5,-5.5", sample, t, -5.5);
        row("failed read", "1755000000.5,-1", missing, t, 0.0);
        row("failed read, float", "1755000000.5,-1.0", missing, t, 0.0);
        row("nan", "1755000000.5,nan", missing, t, 0.0);
        row("N/A", "1755000000.5,[N/A]", missing, t, 0.0);
        row("empty value", "1755000000.5,", missing, t, 0.0);
        row("blank", " \r", blank, 0, 0.0);
        row("header", "timestamp,value [W]", header, 0, 0.0);
        row("half a line", "1755000000.5", bad, 0, 0.0);
        row("two lines in one", "1755000000.5,121755000000.6,13", bad, 0, 0.0);
        row("words for a value", "1755000000.5,twelve", bad, 0, 0.0);
        row("infinite", "1755000000.5,inf", bad, 0, 0.0);
        row("before 1970", "-5,12", bad, 0, 0.0);
        row("beyond 2262", "99999999999,12", bad, 0, 0.0);
        row("no separator", "garbage", bad, 0, 0.0);
        row("bytes", QByteArray("\xff\xd8,\xff\xe0", 5), bad, 0, 0.0);
        row("very long", QByteArray(100, '1') + ",1", bad, 0, 0.0);
    }
    void tolerant() {
        QFETCH(QByteArray, text);
        QFETCH(int, kind);
        QFETCH(qint64, ns);
        QFETCH(double, value);
        const auto line = parseTelemetryLine({text.data(), static_cast<std::size_t>(text.size())});
        QCOMPARE(static_cast<int>(line.kind), kind);
        QCOMPARE(qint64{line.ns}, ns);
        QCOMPARE(line.value, value);
    }

    void plainGivesTheSame_data() {
        const auto row = test::columns<std::string, bool>("text", "isPlain");
        row("usual", "1755000000.1234567,693.227", true);
        row("whole", "1755000000,4294967295", true);
        row("CR", "1755000000.5,1\r", true);
        row("nine decimals", "1755000000.123456789,1", true);
        row("ten decimals", "1755000000.1234567891,1", false);
        row("fifteen digits", "1,123456789012345", true);
        row("sixteen digits", "1,1234567890123456", true);
        row("beyond 53 bits", "1,9007199254740993", true);
        row("twenty digits", "1,12345678901234567890", true);
        row("forty digits", "1,123456789012345678901234567890.1234567891", true);
        row("all digits of a double", "1,0.30000000000000004", true);
        row("many leading zeros", "1,000000000000000000000000.5", true);
        row("too long", std::string("1,") + std::string(65, '1'), false);
        row("many decimals", "1,0.12345678901234", true);
        row("point at the end", "1,5.", true);
        row("failed read", "1755000000.5,-1", true);
        row("failed read, float", "1755000000.5,-1.0", true);
        row("minus twelve", "1755000000.5,-12", false);
        row("almost one", "1755000000.5,-1.05", false);
        row("minus alone", "1755000000.5,-", false);
        row("no value", "1755000000.5,", false);
        row("no time", ",5", false);
        row("time with a bare point", "5.,5", false);
        row("exponent", "1,1e3", true);
        row("exponent and point", "1,1.5e-05", true);
        row("too large", "1,1e999", false);
        row("half an exponent", "1,1e", false);
        row("late", "9100000000,1", false);
        row("three columns", "1,2,3", false);
        row("blank", std::string(), false);
    }
    void plainGivesTheSame() {
        QFETCH(std::string, text);
        QFETCH(bool, isPlain);
        const std::string padded = text + "\n" + std::string(16, '9');
        const std::string_view line(padded.data(), text.size() + 1);
        PlainLine plain;
        const char* next = parsePlainLine(line.data(), line.data() + line.size(), plain);
        QCOMPARE(next != nullptr, isPlain);
        if (!isPlain)
            return;
        QCOMPARE(next, line.data() + line.size());
        const TelemetryLine slow = parseTelemetryLine(text);
        QCOMPARE(qint64{plain.ns}, qint64{slow.ns});
        QCOMPARE(std::isnan(plain.value), slow.kind == LineKind::Missing);
        QVERIFY(std::isnan(plain.value) || plain.value == slow.value);
    }

    void randomLinesAgree() {
        std::mt19937 random(11);
        int plainLines = 0;
        for (int round = 0; round < 200000; ++round) {
            std::string text;
            const auto digits = [&](unsigned most) {
                for (auto count = random() % (most + 1); count > 0; --count)
                    text.push_back(static_cast<char>('0' + random() % 10));
            };
            digits(11);
            if (random() % 4 != 0) {
                text += '.';
                digits(10);
            }
            text += ",";
            if (random() % 8 == 0)
                text += random() % 2 == 0 ? "-1" : "-";
            digits(random() % 3 == 0 ? 24 : 10);
            if (random() % 2 == 0) {
                text += '.';
                digits(random() % 3 == 0 ? 24 : 6);
            }
            const std::string padded = text + "\n" + std::string(16, '9');
            const std::string_view line(padded.data(), text.size() + 1);
            PlainLine plain;
            if (parsePlainLine(line.data(), line.data() + line.size(), plain) == nullptr)
                continue;
            ++plainLines;
            const TelemetryLine slow = parseTelemetryLine(text);
            QVERIFY2(slow.ns == plain.ns, text.c_str());
            QVERIFY2(slow.kind == LineKind::Missing ? std::isnan(plain.value)
                                                    : slow.value == plain.value,
                text.c_str());
        }
        QVERIFY(plainLines > 50000);
    }
};

TRAINSCOPE_TEST(tst_SampleBlock)
#include "tst_SampleBlock.moc"
