// One line of telemetry: the plain form on the fast path, and everything else that can still be
// understood.

#include "importers/charllm/TelemetryLine.h"
#include "support/TestProgram.h"

#include <QtTest>

#include <cmath>
#include <random>

using namespace trainscope::importers::charllm;

class tst_TelemetryLine : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void tolerant_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<int>("kind");
        QTest::addColumn<qint64>("ns");
        QTest::addColumn<double>("value");
        const int sample = static_cast<int>(LineKind::Sample);
        const int missing = static_cast<int>(LineKind::Missing);
        const int blank = static_cast<int>(LineKind::Blank);
        const int header = static_cast<int>(LineKind::Header);
        const int bad = static_cast<int>(LineKind::Bad);
        const qint64 t = 1755000000'500000000;
        QTest::newRow("plain") << QByteArray("1755000000.5,693.227") << sample << t << 693.227;
        QTest::newRow("zero is a value") << QByteArray("1755000000.5,0") << sample << t << 0.0;
        QTest::newRow("python float")
            << QByteArray("1755000000.5000002384,1.0") << sample << t + 238 << 1.0;
        QTest::newRow("blanks") << QByteArray("  1755000000.5 , 12 \r") << sample << t << 12.0;
        QTest::newRow("semicolon") << QByteArray("1755000000,5;12,25") << sample << t << 12.25;
        QTest::newRow("tab") << QByteArray("1755000000.5\t12") << sample << t << 12.0;
        QTest::newRow("spaces") << QByteArray("1755000000.5   12") << sample << t << 12.0;
        QTest::newRow("quoted") << QByteArray("\"1755000000.5\",\"12\"") << sample << t << 12.0;
        QTest::newRow("exponents") << QByteArray("1.7550000005e9,1.5E2") << sample << t << 150.0;
        QTest::newRow("comma at the end") << QByteArray("1755000000.5,12,") << sample << t << 12.0;
        QTest::newRow("large counter")
            << QByteArray("1755000000.5,9007199254740993") << sample << t << 9007199254740992.0;
        QTest::newRow("below minus one") << QByteArray("1755000000.5,-5.5") << sample << t << -5.5;
        QTest::newRow("failed read") << QByteArray("1755000000.5,-1") << missing << t << 0.0;
        QTest::newRow("failed read, float")
            << QByteArray("1755000000.5,-1.0") << missing << t << 0.0;
        QTest::newRow("nan") << QByteArray("1755000000.5,nan") << missing << t << 0.0;
        QTest::newRow("N/A") << QByteArray("1755000000.5,[N/A]") << missing << t << 0.0;
        QTest::newRow("empty value") << QByteArray("1755000000.5,") << missing << t << 0.0;
        QTest::newRow("blank") << QByteArray(" \r") << blank << qint64{0} << 0.0;
        QTest::newRow("header") << QByteArray("timestamp,value [W]") << header << qint64{0} << 0.0;
        QTest::newRow("half a line") << QByteArray("1755000000.5") << bad << qint64{0} << 0.0;
        QTest::newRow("two lines in one")
            << QByteArray("1755000000.5,121755000000.6,13") << bad << qint64{0} << 0.0;
        QTest::newRow("words for a value")
            << QByteArray("1755000000.5,twelve") << bad << qint64{0} << 0.0;
        QTest::newRow("infinite") << QByteArray("1755000000.5,inf") << bad << qint64{0} << 0.0;
        QTest::newRow("before 1970") << QByteArray("-5,12") << bad << qint64{0} << 0.0;
        QTest::newRow("beyond 2262") << QByteArray("99999999999,12") << bad << qint64{0} << 0.0;
        QTest::newRow("no separator") << QByteArray("garbage") << bad << qint64{0} << 0.0;
        QTest::newRow("bytes") << QByteArray("\xff\xd8,\xff\xe0", 5) << bad << qint64{0} << 0.0;
        QTest::newRow("very long") << QByteArray(100, '1') + ",1" << bad << qint64{0} << 0.0;
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
        QTest::addColumn<std::string>("text");
        QTest::addColumn<bool>("isPlain");
        QTest::newRow("usual") << std::string("1755000000.1234567,693.227") << true;
        QTest::newRow("whole") << std::string("1755000000,4294967295") << true;
        QTest::newRow("CR") << std::string("1755000000.5,1\r") << true;
        QTest::newRow("nine decimals") << std::string("1755000000.123456789,1") << true;
        QTest::newRow("ten decimals") << std::string("1755000000.1234567891,1") << false;
        QTest::newRow("fifteen digits") << std::string("1,123456789012345") << true;
        QTest::newRow("sixteen digits") << std::string("1,1234567890123456") << true;
        QTest::newRow("beyond 53 bits") << std::string("1,9007199254740993") << true;
        QTest::newRow("twenty digits") << std::string("1,12345678901234567890") << true;
        QTest::newRow("forty digits")
            << std::string("1,123456789012345678901234567890.1234567891") << true;
        QTest::newRow("all digits of a double") << std::string("1,0.30000000000000004") << true;
        QTest::newRow("many leading zeros") << std::string("1,000000000000000000000000.5") << true;
        QTest::newRow("too long") << std::string("1,") + std::string(65, '1') << false;
        QTest::newRow("many decimals") << std::string("1,0.12345678901234") << true;
        QTest::newRow("point at the end") << std::string("1,5.") << true;
        QTest::newRow("failed read") << std::string("1755000000.5,-1") << true;
        QTest::newRow("failed read, float") << std::string("1755000000.5,-1.0") << true;
        QTest::newRow("minus twelve") << std::string("1755000000.5,-12") << false;
        QTest::newRow("almost one") << std::string("1755000000.5,-1.05") << false;
        QTest::newRow("minus alone") << std::string("1755000000.5,-") << false;
        QTest::newRow("no value") << std::string("1755000000.5,") << false;
        QTest::newRow("no time") << std::string(",5") << false;
        QTest::newRow("time with a bare point") << std::string("5.,5") << false;
        QTest::newRow("exponent") << std::string("1,1e3") << true;
        QTest::newRow("exponent and point") << std::string("1,1.5e-05") << true;
        QTest::newRow("too large") << std::string("1,1e999") << false;
        QTest::newRow("half an exponent") << std::string("1,1e") << false;
        QTest::newRow("late") << std::string("9100000000,1") << false;
        QTest::newRow("three columns") << std::string("1,2,3") << false;
        QTest::newRow("blank") << std::string() << false;
    }
    void plainGivesTheSame() {
        QFETCH(std::string, text);
        QFETCH(bool, isPlain);
        const std::string padded = text + "\n" + std::string(kPlainPadding, '9');
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
            const std::string padded = text + "\n" + std::string(kPlainPadding, '9');
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

TRAINSCOPE_TEST(tst_TelemetryLine)
#include "tst_TelemetryLine.moc"
