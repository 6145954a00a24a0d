// Value axes: prefixes, round steps, labels.

#include "core/plot/Ticks.h"
#include "core/plot/figures/FigureParts.h"
#include "core/text/Numbers.h"
#include "support/TestProgram.h"

using namespace trainscope::plot;

class tst_Ticks : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void units_data() {
        const auto row = trainscope::test::columns<QString, QString, double, QString, double>(
            "metric", "si", "magnitude", "unit", "scale");
        row("one gpu", "gpu_power", "W", 1200.0, "W", 1.0);
        row("a cluster", "gpu_power", "W", 22800.0, "kW", 1e-3);
        row("clock", "sm_clock", "Hz", 1.98e9, "GHz", 1e-9);
        row("slow clock", "mem_clock", "Hz", 810e6, "MHz", 1e-6);
        row("rate", "nvlink_rx", "B/s", 186e9, "GB/s", 1e-9);
        row("idle rate", "nvlink_rx", "B/s", 0.0, "B/s", 1.0);
        row("fraction", "gpu_utilization", "1", 0.97, "%", 100.0);
        row("bit mask", "throttle_reasons", "1", 64.0, "", 1.0);
        row("celsius", "gpu_temperature", "°C", 92.0, "°C", 1.0);
        row("seconds", "step", "s", 0.004, "ms", 1e3);
    }
    void units() {
        QFETCH(QString, metric);
        QFETCH(QString, si);
        QFETCH(double, magnitude);
        QFETCH(QString, unit);
        QFETCH(double, scale);
        const trainscope::text::ShownUnit result
            = trainscope::text::shownUnit(si.toStdString(), magnitude, metric.toStdString());
        QCOMPARE(QString::fromStdString(result.unit), unit);
        QCOMPARE(result.scale, scale);
    }

    void steps_data() {
        const auto row = trainscope::test::columns<double, double>("least", "step");
        row("exact", 1.0, 1.0);
        row("up to two", 1.1, 2.0);
        row("up to five", 2.1, 5.0);
        row("up to ten", 5.1, 10.0);
        row("small", 0.03, 0.05);
        row("large", 1.2e9, 2e9);
        row("nonsense", -3.0, 1.0);
    }
    void steps() {
        QFETCH(double, least);
        QFETCH(double, step);
        QVERIFY(std::abs(roundStep(least) / step - 1.0) < 1e-12);
    }

    void ticks_data() {
        const auto row = trainscope::test::columns<double, double, double, int, QString>(
            "low", "high", "scale", "most", "labels");
        row("power", 0.0, 800.0, 1.0, 5, "0 200 400 600 800");
        row("fewer", 0.0, 800.0, 1.0, 3, "0 500");
        row("GHz", 1.5e9, 2.0e9, 1e-9, 6, "1.5 1.6 1.7 1.8 1.9 2.0");
        row("percent", 0.0, 1.0, 100.0, 3, "0 50 100");
        row("negative", -10.0, 10.0, 1.0, 5, "-10 -5 0 5 10");
        row("inside", 13.0, 27.0, 1.0, 4, "15 20 25");
        row("empty", 5.0, 5.0, 1.0, 4, "");
    }
    void ticks() {
        QFETCH(double, low);
        QFETCH(double, high);
        QFETCH(double, scale);
        QFETCH(int, most);
        QFETCH(QString, labels);
        QStringList found;
        for (const auto& tick : valueTicks(low, high, scale, most))
            found.append(QString::fromStdString(tick.label));
        QCOMPARE(found.join(QLatin1Char(' ')), labels);
    }

    void ranges_data() {
        const auto row = trainscope::test::columns<double, double, double, double>(
            "low", "high", "roundLow", "roundHigh");
        row("power", 0.0, 713.0, 0.0, 800.0);
        row("temperature", 41.0, 83.0, 40.0, 90.0);
        row("constant zero", 0.0, 0.0, 0.0, 1.0);
        row("already round", 0.0, 100.0, 0.0, 100.0);
    }
    void ranges() {
        QFETCH(double, low);
        QFETCH(double, high);
        QFETCH(double, roundLow);
        QFETCH(double, roundHigh);
        const ValueRange range = roundRange(low, high, 1.0);
        QCOMPARE(range.low, roundLow);
        QCOMPARE(range.high, roundHigh);
    }

    void logarithmic_data() {
        const auto row = trainscope::test::columns<double, double, double, QString>(
            "low", "high", "scale", "labels");
        row("decades", 1.0, 1000.0, 1.0, "1 10 100 1000");
        // Not the nearest power of ten, which 5e5 is no more than 1e6 is.
        row("large", 1.5e5, 6e5, 1.0, "2e5 5e5");
        row("small", 1e-5, 6e-5, 1.0, "1e-5 2e-5 5e-5");
        // Only 1 GHz of 1, 2 and 5 lies between 0.99996 and 1.76 GHz: round numbers 0.2 apart.
        row("narrow", 0.99996e9, 1.76e9, 1e-9, "1.0 1.2 1.4 1.6");
    }
    void logarithmic() {
        QFETCH(double, low);
        QFETCH(double, high);
        QFETCH(double, scale);
        QFETCH(QString, labels);
        FigureAxis axis;
        axis.range = {low, high};
        axis.unit.scale = scale;
        axis.log = true;
        QStringList found;
        for (const auto& tick : ticksOf(axis, 5))
            found.append(QString::fromStdString(tick.label));
        QCOMPARE(found.join(QLatin1Char(' ')), labels);
    }

    void aConstantGetsARange() {
        const ValueRange range = roundRange(1.755e9, 1.755e9, 1e-9);
        QVERIFY(range.low < 1.755e9 && 1.755e9 < range.high);
    }

    void quantities_data() {
        const auto row = trainscope::test::columns<QString, QString, double, QString>(
            "metric", "unit", "value", "text");
        row("power", "gpu_power", "W", 688.04, "688 W");
        row("clock", "sm_clock", "Hz", 1.755e9, "1.755 GHz");
        row("rate", "nvlink_rx", "B/s", 186.42e9, "186.4 GB/s");
        row("percent", "gpu_utilization", "1", 0.97, "97 %");
        row("zero", "gpu_power", "W", 0.0, "0 W");
        row("missing", "gpu_power", "W", std::nan(""), "no data");
    }
    void quantities() {
        QFETCH(QString, metric);
        QFETCH(QString, unit);
        QFETCH(double, value);
        QFETCH(QString, text);
        QCOMPARE(QString::fromStdString(trainscope::text::quantity(value, unit.toStdString(),
                     trainscope::text::Digits::Four, metric.toStdString())),
            text);
    }
};

TRAINSCOPE_TEST(tst_Ticks)
#include "tst_Ticks.moc"
