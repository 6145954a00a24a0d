// Words about operators: the basis of a figure, and shares of the peak.

#include "core/analysis/operators/support/HandTree.h"
#include "core/plot/operators/OperatorsText.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::plot;
using analysis::FrameKind;
using analysis::StepPass;
using trainscope::test::HandTree;

class tst_OperatorsText : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Lists of an optimizer have no types; what they are in rests on the same assumption.
    void whatIsAssumed() {
        HandTree made;
        const auto step = made.frame(0, FrameKind::Annotation, "Optimizer.step");
        made.work(
            made.frame(step, FrameKind::Operator, "aten::_fused_adamw_", StepPass::Optimizer,
                R"({"Input Dims":[[[2,3]],[[2,3]],[[2,3]],[[2,3]],[],[[]]],)"
                R"("Input type":["TensorList","TensorList","TensorList","TensorList","",""]})"),
            "adam", 10'000);
        const auto product = made.frame(0, FrameKind::Operator, "aten::mm", StepPass::Forward,
            R"({"Input Dims":[[8,512],[512,64]],"Input type":["c10::BFloat16","c10::BFloat16"]})");
        made.work(product, "gemm", 10'000);
        const auto known = analysis::efficiencies(made.tree(), nullptr);
        QVERIFY(known[0].isTypeAssumed && known[step].isTypeAssumed);
        QVERIFY(known[product].flop && !known[product].isTypeAssumed);
        const auto facts = factsOf(known[step]);
        QCOMPARE(facts.back().first, std::string("Type of lists"));
        QVERIFY(factsOf(known[product]).back().first != "Type of lists");
    }

    void sharesOfThePeakInWords() {
        analysis::OperatorMfu mfu;
        mfu.mfu = 0.4123;
        mfu.hfu = 0.52;
        mfu.knownShare = 0.98;
        QCOMPARE(mfuText(mfu, std::nullopt),
            std::string("MFU by operators 41.2 %; work is known of 98 % of the kernels' time"));
        mfu.recomputedFlop = 1e12;
        QCOMPARE(mfuText(mfu, 0.401),
            std::string("MFU by operators 41.2 %, with recomputation 52.0 %; work is known of 98 % "
                        "of the kernels' time; MFU by the model's formula 40.1 %"));
    }
};

TRAINSCOPE_TEST(tst_OperatorsText)
#include "tst_OperatorsText.moc"
