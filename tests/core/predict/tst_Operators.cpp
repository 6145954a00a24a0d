// Floating-point operations and bytes against the closed forms of the papers, by hand.

#include <QtTest>

#include "core/predict/operators/Operator.h"
#include "support/TestProgram.h"

#include <string>

using namespace trainscope;
using namespace trainscope::predict;

class tst_Operators : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void productsCountEveryMultiplyAddTwice() {
        // 2 · 3 · 5 · 7 = 210; inputs and output in 16 bits: 2 · (3·7 + 7·5 + 3·5) = 142 B.
        const Operator gemm{.kind = OperatorKind::Gemm, .m = 3, .n = 5, .k = 7};
        QCOMPARE(forwardWork(gemm).flop, 210.0);
        QCOMPARE(forwardWork(gemm).bytes, 142.0);
        QCOMPARE(backwardWork(gemm).flop, 420.0);
        Operator frozen = gemm;
        frozen.hasFrozenWeights = true;
        QCOMPARE(backwardWork(frozen).flop, 210.0);
    }

    void eightBitInputsAreHalfTheBytes() {
        // 1 · (3·7 + 7·5) + 2 · 3·5 = 86 B.
        const Operator gemm{
            .kind = OperatorKind::Gemm, .m = 3, .n = 5, .k = 7, .precision = Precision::Fp8};
        QCOMPARE(forwardWork(gemm).bytes, 86.0);
    }

    // Dao 2023: forward 4 · s² · d · heads, half of it where causal, backward 2.5 times that.
    void flashAttentionIsThatOfItsPaper() {
        Operator flash{
            .kind = OperatorKind::FlashAttention, .batch = 32, .m = 2048, .n = 128, .k = 2048};
        const double full = 4.0 * 2048 * 2048 * 128 * 32;
        QCOMPARE(forwardWork(flash).flop, full / 2);
        QCOMPARE(backwardWork(flash).flop, full / 2 * 2.5);
        flash.isCausal = false;
        QCOMPARE(forwardWork(flash).flop, full);
    }

    void whatIsBetweenProductsHasNoFlop() {
        const Operator norm{.kind = OperatorKind::RmsNorm, .m = 10, .n = 100};
        QCOMPARE(forwardWork(norm).flop, 0.0);
        QCOMPARE(forwardWork(norm).bytes, 4000.0); // 2 B in, 2 B out
        const Operator swiglu{.kind = OperatorKind::Swiglu, .m = 10, .n = 100};
        QCOMPARE(forwardWork(swiglu).bytes, 6000.0);
    }

    void namesAreKept() {
        QCOMPARE(std::string(toString(OperatorKind::GroupedGemm)), std::string("grouped_gemm"));
        QCOMPARE(precisionFrom("BF16"), std::optional(Precision::Bf16));
        QCOMPARE(recomputeFrom("per-operator"), std::optional(Recompute::PerOperator));
        QVERIFY(!precisionFrom("int4"));
    }
};

TRAINSCOPE_TEST(tst_Operators)
#include "tst_Operators.moc"
