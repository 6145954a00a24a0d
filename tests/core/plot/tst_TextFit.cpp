// Elision and wrapping, measured with a font of fixed pitch.

#include "core/plot/TextFit.h"
#include "core/plot/timeline/support/PlotFixture.h"
#include "support/TestProgram.h"

using namespace trainscope::plot;
using trainscope::test::fixedPitch;

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
};

TRAINSCOPE_TEST(tst_TextFit)
#include "tst_TextFit.moc"
