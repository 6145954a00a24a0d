// Elision and wrapping, measured with a font of fixed pitch.

#include "core/plot/Sheet.h"
#include "core/plot/TextFit.h"
#include "core/plot/Ticks.h"
#include "core/plot/figures/FigureParts.h"
#include "core/plot/timeline/support/PlotFixture.h"
#include "core/text/Numbers.h"
#include "support/TestProgram.h"

using namespace trainscope::plot;
using trainscope::test::fixedPitch;

namespace {

struct FlowedSentence {
    PlotScene scene;
    int lines = 0;

    FlowedSentence(const char* text, double width, int most = 64, bool isDrawn = true) {
        const MeasureText measure = fixedPitch;
        const Canvas canvas{lightTheme(), measure, scene};
        lines = flowSentence(canvas, text, {{10.0, 20.0}, width, 15.0, most}, isDrawn);
    }
    // "[bold]" and plain labels by line.
    [[nodiscard]] QString told() const {
        QString all;
        double y = 20.0;
        for (const auto& item : scene.items) {
            const auto& label = std::get<Label>(item);
            all += label.anchor.y > y ? QStringLiteral(" / ") : QStringLiteral(" ");
            y = label.anchor.y;
            const QString text = QString::fromStdString(label.text);
            all += label.bold ? QLatin1Char('[') + text + QLatin1Char(']') : text;
        }
        return all.trimmed();
    }
};

} // namespace

class tst_TextFit : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void elision_data() {
        const auto row
            = trainscope::test::columns<QString, double, QString>("text", "width", "result");
        row("fits", "kernel", 36.0, "kernel");
        row("one short", "kernel", 35.0, "kern…");
        row("two and an ellipsis", "kernel", 18.0, "ke…");
        row("too narrow", "kernel", 17.0, "");
        row("whole characters", "µµµµµµ", 24.0, "µµµ…");
        row("empty", "", 0.0, "");
    }
    void elision() {
        QFETCH(QString, text);
        QFETCH(double, width);
        QFETCH(QString, result);
        QCOMPARE(
            QString::fromStdString(elided(text.toStdString(), width, fixedPitch, TextRole::Small)),
            result);
    }

    void wrapping() {
        const auto lines
            = wrapped("W, 32 GPUs, coloured by node", 72.0, 2, fixedPitch, TextRole::Secondary);
        QCOMPARE(lines.size(), std::size_t{2});
        QCOMPARE(QString::fromStdString(lines[0]), QStringLiteral("W, 32 GPUs,"));
        QCOMPARE(QString::fromStdString(lines[1]), QStringLiteral("coloured by…"));
    }

    // 19 characters of 6 px to a line: "takes 46.9" would fit, its unit no more.
    void numbersStayWithTheirUnits() {
        const auto lines
            = wrapped("training takes 46.9 % less, 12 ms", 114.0, 9, fixedPitch, TextRole::Small);
        QCOMPARE(QString::fromStdString(lines[0]), QStringLiteral("training takes"));
        QCOMPARE(QString::fromStdString(lines[1]), QStringLiteral("46.9 % less, 12 ms"));
        // Without room for both the line breaks there all the same.
        QCOMPARE(wrapped("46.9 kWh", 30.0, 2, fixedPitch, TextRole::Small).size(), std::size_t{2});
    }

    void kernelNames_data() {
        const auto row = trainscope::test::columns<QString, QString>("name", "shortName");
        row("plain", "ampere_bf16_gemm", "ampere_bf16_gemm");
        row("template", "void at::native::vectorized_elementwise_kernel<4, at::native::Add>(int)",
            "vectorized_elementwise_kernel");
        row("arguments", "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclArgs<4096ul>)",
            "ncclDevKernel_AllReduce_Sum_bf16_RING_LL");
        row("anonymous", "void (anonymous namespace)::softmax_warp_forward<float>(float*)",
            "softmax_warp_forward");
        row("operator", "aten::linear", "linear");
        row("nothing left", "<unknown>", "<unknown>");
    }
    void kernelNames() {
        QFETCH(QString, name);
        QFETCH(QString, shortName);
        const std::string text = name.toStdString();
        QCOMPARE(QString::fromStdString(std::string(shortKernelName(text))), shortName);
    }

    // Sentences with bold numbers, measured with a font of fixed pitch: 6 a character.
    void numbers_data() {
        const auto row = trainscope::test::columns<QByteArray, QString>("text", "told");
        row("unit", "took 5.34 MJ.", "took [5.34 MJ] .");
        row("brackets", "(4 and 95 %).", "( [4] and [95 %] ).");
        row("names", "rank0 of gpt3-175b", "rank0 of gpt3-175b");
        row("cluster", "32 × H200 took 2 ×", "32 × H200 took [2 ×]");
        row("end of a clause", "last in 32, ms later", "last in [32] , ms later");
    }
    void numbers() {
        QFETCH(QByteArray, text);
        QFETCH(QString, told);
        QCOMPARE(FlowedSentence(text.constData(), 1e4).told(), told);
    }

    // "took 5.34 MJ" is 12 characters: at 11 the number goes to the next line with its unit.
    void lines() {
        QCOMPARE(FlowedSentence("took 5.34 MJ", 12 * 6.0).lines, 1);
        const FlowedSentence two("took 5.34 MJ", 11 * 6.0);
        QCOMPARE(two.lines, 2);
        QCOMPARE(two.told(), QStringLiteral("took / [5.34 MJ]"));
        QCOMPARE(FlowedSentence("a b c d", 6.0, 2).lines, 2);
    }

    void measuredAlone() {
        const FlowedSentence measured("took 5.34 MJ", 11 * 6.0, 64, false);
        QCOMPARE(measured.lines, 2);
        QVERIFY(measured.scene.items.empty());
    }

    // Value axes: prefixes, round steps, labels.

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

    // Both ends of a label along a line lie inside, half its thickness from the edge.
    void labelsAlongALine_data() {
        const auto row = trainscope::test::columns<double, double, bool>("from", "to", "isFree");
        row("inside", 5.0, 95.0, true);
        row("begins outside", 4.0, 95.0, false);
        row("ends outside", 5.0, 96.0, false);
    }
    void labelsAlongALine() {
        QFETCH(const double, from);
        QFETCH(const double, to);
        QTEST(LabelRoom({0, 0, 100, 100}).isFree(Slant{{from, 50}, {to, 50}, 10.0}), "isFree");
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

TRAINSCOPE_TEST(tst_TextFit)
#include "tst_TextFit.moc"
