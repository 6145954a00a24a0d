// Numbers in words: the same value as a readout, in a sentence and in a column.

#include "core/text/Numbers.h"
#include "support/TestProgram.h"

class tst_Numbers : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void quantities_data() {
        QTest::addColumn<double>("value");
        QTest::addColumn<QString>("unit");
        QTest::addColumn<QString>("metric");
        QTest::addColumn<QString>("four");
        QTest::addColumn<QString>("three");
        QTest::addColumn<QString>("aligned");
        const auto row = [](double value, const char* unit, const char* metric, const char* four,
                             const char* three, const char* aligned) {
            QTest::addRow("%g %s", value, unit)
                << value << QString::fromUtf8(unit) << QString::fromUtf8(metric)
                << QString::fromUtf8(four) << QString::fromUtf8(three)
                << QString::fromUtf8(aligned);
        };
        row(412.34, "W", "gpu_power", "412.3 W", "412 W", "412.3 W");
        row(1200.0, "W", "gpu_power", "1200 W", "1.2 kW", "1200 W");
        row(23400.0, "W", "node_power", "23.4 kW", "23.4 kW", "23.40 kW");
        row(1.98e9, "Hz", "sm_clock", "1.98 GHz", "1.98 GHz", "1.980 GHz");
        row(71.5, "°C", "gpu_temperature", "71.5 °C", "71.5 °C", "71.50 °C");
        row(0.873, "1", "gpu_utilization", "87.3 %", "87.3 %", "87.30 %");
        row(0.5, "1", "fan_speed", "50 %", "50 %", "50.00 %");
        row(0.25, "1", "tensor_utilization", "25 %", "25 %", "25.00 %");
        row(4.0, "1", "throttle_reasons", "4", "4", "4.000");
        row(5'526'902.0, "1/s", "token_rate", "5.527 M/s", "5.53 M/s", "5526902 1/s");
        row(2.676, "1", "loss", "2.676", "2.68", "2.676");
        row(0.00015, "1", "learning_rate", "0.00015", "0", "0.00015");
        row(3.2e12, "B", "nvlink_rx", "3.2 TB", "3.2 TB", "3.200 TB");
        row(0.0, "B", "nvlink_rx", "0 B", "0 B", "0.000 B");
        row(0.125, "Hz", "", "125 mHz", "125 mHz", "0.125 Hz");
        row(3.52e-7, "s", "", "352 ns", "352 ns", "352.0 ns"); // kernels differ by so much
        row(-3.04, "°C", "", "-3 °C", "-3.04 °C", "-3.040 °C");
        // Four digits of what rounds to the next power are four all the same.
        row(999.96, "W", "gpu_power", "1000 W", "1 kW", "1000 W");
        row(9999.6, "W", "node_power", "10 kW", "10 kW", "10.00 kW");
        row(999.96e6, "Hz", "sm_clock", "1 GHz", "1 GHz", "1.000 GHz");
        // Numbers that have four digits below a unit keep them.
        row(999.6e6, "B", "", "999.6 MB", "1 GB", "999.6 MB");
        row(0.9996e-3, "s", "", "999.6 µs", "1 ms", "999.6 µs");
        // 0.061 s would show two digits of a step.
        row(0.06084, "s", "", "60.84 ms", "60.8 ms", "60.84 ms");
        row(0.0, "s", "", "0 s", "0 s", "0.000 s");
        // A step of 6.794 s is no "6.8 s".
        row(6.794, "s", "", "6.794 s", "6.79 s", "6.794 s");
        row(1.8126, "J", "", "1.813 J", "1.81 J", "1.813 J");
    }
    void quantities() {
        QFETCH(double, value);
        QFETCH(QString, unit);
        QFETCH(QString, metric);
        const auto worded = [&](text::Digits digits) {
            return QString::fromStdString(
                text::quantity(value, unit.toStdString(), digits, metric.toStdString()));
        };
        QTEST(worded(text::Digits::Four), "four");
        QTEST(worded(text::Digits::Three), "three");
        QTEST(worded(text::Digits::Aligned), "aligned");
    }

    void intervals() {
        QCOMPARE(text::withInterval(12'070.0, 11'600.0, 12'500.0, "J"),
            std::string("12.07 kJ (11.6 to 12.5)"));
        QCOMPARE(
            text::withInterval(905.0, 870.0, 1'012.0, "J"), std::string("905 J (870 to 1012)"));
    }

    void missing() {
        QCOMPARE(text::quantity(std::optional<double>(), "W"), std::string("—"));
        QCOMPARE(text::percent(std::optional<double>()), std::string("—"));
        QCOMPARE(text::quantity(std::nan(""), "W"), std::string("no data"));
    }

    void percentages() {
        QCOMPARE(text::percent(0.125), std::string("12.5 %"));
        QCOMPARE(text::percent(0.12345, 2), std::string("12.35 %"));
        QCOMPARE(text::signedPercent(0.045), std::string("+4.5 %"));
        // −0.04 % is 0.0 of a percent, and −0.06 % one tenth.
        QCOMPARE(text::signedPercent(-0.0004), std::string("+0.0 %"));
        QCOMPARE(text::signedPercent(-0.0006), std::string("-0.1 %"));
        QCOMPARE(text::percent(-0.0004), std::string("0.0 %"));
        QCOMPARE(text::percent(-0.004, 0), std::string("0 %"));
        // A share that is not nothing is not told as nothing.
        QCOMPARE(text::percent(0.0004), std::string("<0.1 %"));
        QCOMPARE(text::percent(0.000'004, 2), std::string("<0.01 %"));
        QCOMPARE(text::percent(0.004, 0), std::string("<1 %"));
        QCOMPARE(text::percent(0.3 - 0.1 - 0.2), std::string("0.0 %")); // 0 but for its rounding
        QCOMPARE(text::roundedPercent(0.000'3), std::string("0.03 %"));
        QCOMPARE(text::roundedPercent(0.000'003), std::string("<0.01 %"));
        QCOMPARE(text::roundedPercent(0.0), std::string("0 %"));
        QCOMPARE(text::percent(0.0421, text::Digits::Three), std::string("4.21 %"));
        QCOMPARE(text::percent(0.873, text::Digits::Aligned), std::string("87.30 %"));
    }

    void counts() {
        QCOMPARE(text::counted(1, "GPU"), std::string("1 GPU"));
        QCOMPARE(text::counted(4, "GPU"), std::string("4 GPUs"));
        QCOMPARE(text::counted(2, "entry", "entries"), std::string("2 entries"));
        QCOMPARE(text::numberList({0, 4, 5, 6, 9}), std::string("0, 4-6, 9"));
        QCOMPARE(text::numberList({0, 2, 4, 6}, 2), std::string("0, 2 and 2 more"));
        QCOMPARE(text::rankList({0, 1, 2, 3, 16, 17, 18}), std::string("0-3, 16-18"));
        QCOMPARE(text::rankList({0, 1, 4, 5}), std::string("0, 1, 4, 5"));
        QCOMPARE(text::rankList({0, 4, 8, 12, 16}), std::string("0-16 step 4"));
        QCOMPARE(text::rankList({0, 4, 8}), std::string("0, 4, 8"));
        QCOMPARE(text::rankList({7}), std::string("7"));
    }
};

TRAINSCOPE_TEST(tst_Numbers)
#include "tst_Numbers.moc"
