// Exact times and plain numbers from text, and the cells of logs.

#include "importers/common/Cells.h"
#include "importers/common/Number.h"
#include "support/TestProgram.h"

using namespace trainscope::importers;

class tst_Number : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void exactNanoseconds_data() {
        const auto row = trainscope::test::columns<QByteArray, qint64, bool, qint64>(
            "text", "unit", "valid", "expected");
        const qint64 s = 1'000'000'000;
        const qint64 us = 1'000;
        row("whole seconds", "1755000000", s, true, qint64{1755000000} * s);
        row("python repr", "1755000000.1234567", s, true, 1755000000123456700);
        row("nine places", "1755000000.123456789", s, true, 1755000000123456789);
        row("below a nanosecond", "1755000000.1234567899", s, true, 1755000000123456789);
        row("kineto microseconds", "4212936054935.312", us, true, 4212936054935312);
        row("absolute microseconds", "1706850122845782", us, true, 1706850122845782000);
        row("beyond a double's digits", "1706850122845782.123", us, true, 1706850122845782123);
        row("negative, towards zero", "-0.0000000019", s, true, -1);
        row("exponent", "1.755E+9", s, true, qint64{1755000000} * s);
        row("small exponent", "25e-3", s, true, 25000000);
        row("leading zeros", "000000000000000000000000000000000001.5", s, true, 1500000000);
        row("forty decimals", "0.1234567891111111111111111111111111111111", s, true, 123456789);
        row("no digit before", ".5", s, true, 500000000);
        row("no digit behind", "5.", s, true, 5000000000);
        row("blanks", " 5 \r", s, true, 5000000000);
        row("odd unit", "1.5", 60'000'000'000, true, 90'000'000'000);
        row("vanishing", "1e-400000", s, true, 0);
        row("largest", "9223372036.854775807", s, true, std::numeric_limits<qint64>::max());
        row("overflow", "9223372036.854775808", s, false, 0);
        row("huge", "1e400", s, false, 0);
        row("forty digits", QByteArray(40, '9'), s, false, 0);
        row("empty", "", s, false, 0);
        row("point", ".", s, false, 0);
        row("two points", "1.2.3", s, false, 0);
        row("text", "12s", s, false, 0);
        row("bare exponent", "1e", s, false, 0);
        row("nan", "nan", s, false, 0);
        row("decimal comma", "1,5", s, false, 0);
    }
    void exactNanoseconds() {
        QFETCH(QByteArray, text);
        QFETCH(qint64, unit);
        QFETCH(bool, valid);
        QFETCH(qint64, expected);
        const auto ns = decimalToNs({text.data(), static_cast<std::size_t>(text.size())}, unit);
        QCOMPARE(ns.has_value(), valid);
        QCOMPARE(qint64{ns.value_or(0)}, expected);
    }

    void plainNumbers_data() {
        const auto row
            = trainscope::test::columns<QByteArray, bool, double>("text", "valid", "expected");
        row("power", "693.227", true, 693.227);
        row("negative", "-1", true, -1.0);
        row("plus", "+7", true, 7.0);
        row("blanks", " 12\t", true, 12.0);
        row("exponent", "1.5e+3", true, 1500.0);
        row("too small", "1e-999", true, 0.0);
        row("too large", "1e999", false, 0.0);
        row("plus minus", "+-1", false, 0.0);
        row("unit", "12 W", false, 0.0);
        row("nan", "nan", false, 0.0);
        row("infinity", "inf", false, 0.0);
        row("hexadecimal", "0x10", false, 0.0);
        row("empty", QByteArray(), false, 0.0);
    }
    void plainNumbers() {
        QFETCH(QByteArray, text);
        QFETCH(bool, valid);
        QFETCH(double, expected);
        const auto number = parseNumber({text.data(), static_cast<std::size_t>(text.size())});
        QCOMPARE(number.has_value(), valid);
        QCOMPARE(number.value_or(0.0), expected);
    }

    void missingText_data() {
        trainscope::test::columns<QByteArray, bool>("text", "missing");
        for (const char* text : {"", " ", "-", "N/A", "[N/A]", "[Not Supported]", "ERR!", "nan",
                 "NaN", "[Unknown Error]", "[Requested functionality has been deprecated]"})
            QTest::addRow("'%s'", text) << QByteArray(text) << true;
        for (const char* text : {"-1", "0", "0.0", "N/A 5", "error"})
            QTest::addRow("'%s'", text) << QByteArray(text) << false;
    }
    void missingText() {
        QFETCH(QByteArray, text);
        QFETCH(bool, missing);
        QCOMPARE(isMissingText({text.data(), static_cast<std::size_t>(text.size())}), missing);
    }

    void commasInCells_data() {
        // number: -1: absent
        const auto row = trainscope::test::columns<QString, double>("cell", "number");
        row("decimal", "115,49 W", 115.49);
        row("below one", "0,125 W", 0.125);
        row("no thousands before it", "1234,500 W", 1234.5);
        row("clock", "1,980 MHz", 1980.0);
        row("memory", "81,559 MiB", 81559.0);
        row("either", "1,980 W", -1.0);
        row("either, without a unit", "1,980", -1.0);
        row("several", "1,234,567 MiB", -1.0);
        row("both", "1,234.5 W", 1234.5);
    }

    void commasInCells() {
        QFETCH(QString, cell);
        QFETCH(double, number);
        const std::string text = cell.toStdString();
        const auto value = parseCell(text, CellForm::Number);
        QCOMPARE(value ? value->number : -1.0, number);
    }

    void prefixesOfUnits() {
        QCOMPARE(findUnit("mW")->scale, 1e-3);
        QCOMPARE(findUnit("mw")->scale, 1e-3);
        QCOMPARE(findUnit("MW")->scale, 1e6);
        QCOMPARE(findUnit("mJ")->scale, 1e-3);
        QCOMPARE(findUnit("MJ")->scale, 1e6);
        QCOMPARE(findUnit("kw")->scale, 1e3);
        QCOMPARE(findUnit("MHZ")->scale, 1e6);
    }

    void fahrenheit() {
        QVERIFY(isFahrenheit("°F") && isFahrenheit("degrees F") && isFahrenheit("f"));
        QVERIFY(!isFahrenheit("°C") && !isFahrenheit(""));
        QCOMPARE(celsiusOf(212.0), 100.0);
        QVERIFY(!findUnit("F"));
    }

    void missingCells() {
        for (const char* text : {"-1", "-1.0", "-1 W", "-1.00 W", "[N/A]", "-"})
            QVERIFY2(isMissingCell(text), text);
        for (const char* text : {"-100 W", "-1.5", "1 W", "0"})
            QVERIFY2(!isMissingCell(text), text);
    }
};

TRAINSCOPE_TEST(tst_Number)
#include "tst_Number.moc"
