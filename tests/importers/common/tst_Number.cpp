// Exact times and plain numbers from text, and the cells of logs.

#include "importers/common/Cells.h"
#include "importers/common/Number.h"
#include "support/TestProgram.h"

#include <QtTest>

using namespace trainscope::importers;

class tst_Number : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void exactNanoseconds_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<qint64>("unit");
        QTest::addColumn<bool>("valid");
        QTest::addColumn<qint64>("expected");
        const qint64 s = 1'000'000'000;
        const qint64 us = 1'000;
        QTest::newRow("whole seconds")
            << QByteArray("1755000000") << s << true << qint64{1755000000} * s;
        QTest::newRow("python repr")
            << QByteArray("1755000000.1234567") << s << true << qint64{1755000000123456700};
        QTest::newRow("nine places")
            << QByteArray("1755000000.123456789") << s << true << qint64{1755000000123456789};
        QTest::newRow("below a nanosecond")
            << QByteArray("1755000000.1234567899") << s << true << qint64{1755000000123456789};
        QTest::newRow("kineto microseconds")
            << QByteArray("4212936054935.312") << us << true << qint64{4212936054935312};
        QTest::newRow("absolute microseconds")
            << QByteArray("1706850122845782") << us << true << qint64{1706850122845782000};
        QTest::newRow("beyond a double's digits")
            << QByteArray("1706850122845782.123") << us << true << qint64{1706850122845782123};
        QTest::newRow("negative, towards zero")
            << QByteArray("-0.0000000019") << s << true << qint64{-1};
        QTest::newRow("exponent") << QByteArray("1.755E+9") << s << true << qint64{1755000000} * s;
        QTest::newRow("small exponent") << QByteArray("25e-3") << s << true << qint64{25000000};
        QTest::newRow("leading zeros") << QByteArray("000000000000000000000000000000000001.5") << s
                                       << true << qint64{1500000000};
        QTest::newRow("forty decimals") << QByteArray("0.1234567891111111111111111111111111111111")
                                        << s << true << qint64{123456789};
        QTest::newRow("no digit before") << QByteArray(".5") << s << true << qint64{500000000};
        QTest::newRow("no digit behind") << QByteArray("5.") << s << true << qint64{5000000000};
        QTest::newRow("blanks") << QByteArray(" 5 \r") << s << true << qint64{5000000000};
        QTest::newRow("odd unit") << QByteArray("1.5") << qint64{60'000'000'000} << true
                                  << qint64{90'000'000'000};
        QTest::newRow("vanishing") << QByteArray("1e-400000") << s << true << qint64{0};
        QTest::newRow("largest") << QByteArray("9223372036.854775807") << s << true
                                 << std::numeric_limits<qint64>::max();
        QTest::newRow("overflow") << QByteArray("9223372036.854775808") << s << false << qint64{0};
        QTest::newRow("huge") << QByteArray("1e400") << s << false << qint64{0};
        QTest::newRow("forty digits") << QByteArray(40, '9') << s << false << qint64{0};
        QTest::newRow("empty") << QByteArray("") << s << false << qint64{0};
        QTest::newRow("point") << QByteArray(".") << s << false << qint64{0};
        QTest::newRow("two points") << QByteArray("1.2.3") << s << false << qint64{0};
        QTest::newRow("text") << QByteArray("12s") << s << false << qint64{0};
        QTest::newRow("bare exponent") << QByteArray("1e") << s << false << qint64{0};
        QTest::newRow("nan") << QByteArray("nan") << s << false << qint64{0};
        QTest::newRow("decimal comma") << QByteArray("1,5") << s << false << qint64{0};
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
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<bool>("valid");
        QTest::addColumn<double>("expected");
        QTest::newRow("power") << QByteArray("693.227") << true << 693.227;
        QTest::newRow("negative") << QByteArray("-1") << true << -1.0;
        QTest::newRow("plus") << QByteArray("+7") << true << 7.0;
        QTest::newRow("blanks") << QByteArray(" 12\t") << true << 12.0;
        QTest::newRow("exponent") << QByteArray("1.5e+3") << true << 1500.0;
        QTest::newRow("too small") << QByteArray("1e-999") << true << 0.0;
        QTest::newRow("too large") << QByteArray("1e999") << false << 0.0;
        QTest::newRow("plus minus") << QByteArray("+-1") << false << 0.0;
        QTest::newRow("unit") << QByteArray("12 W") << false << 0.0;
        QTest::newRow("nan") << QByteArray("nan") << false << 0.0;
        QTest::newRow("infinity") << QByteArray("inf") << false << 0.0;
        QTest::newRow("hexadecimal") << QByteArray("0x10") << false << 0.0;
        QTest::newRow("empty") << QByteArray() << false << 0.0;
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
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<bool>("missing");
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
        QTest::addColumn<QString>("cell");
        QTest::addColumn<double>("number"); // -1: absent
        QTest::newRow("decimal") << "115,49 W" << 115.49;
        QTest::newRow("below one") << "0,125 W" << 0.125;
        QTest::newRow("no thousands before it") << "1234,500 W" << 1234.5;
        QTest::newRow("clock") << "1,980 MHz" << 1980.0;
        QTest::newRow("memory") << "81,559 MiB" << 81559.0;
        QTest::newRow("either") << "1,980 W" << -1.0;
        QTest::newRow("either, without a unit") << "1,980" << -1.0;
        QTest::newRow("several") << "1,234,567 MiB" << -1.0;
        QTest::newRow("both") << "1,234.5 W" << 1234.5;
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
