// Phases by the names of annotations, operators and kernels.

#include <QtTest>

#include "core/analysis/traces/Phase.h"
#include "support/TestProgram.h"

using namespace trainscope::analysis;

class tst_Phase : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void annotations_data() {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<int>("mark");
        const auto row = [](const char* name, Mark mark) {
            QTest::newRow(name) << QByteArray(name) << static_cast<int>(mark);
        };
        row("## forward ##", Mark::Forward);
        row("DistributedDataParallel.forward", Mark::Forward);
        row("forward-compute", Mark::Forward); // Megatron's timers
        row("backward-compute", Mark::Backward);
        row("forward-backward", Mark::None);
        row("optimizer", Mark::Optimizer);
        row("optimizer-inner-step", Mark::Optimizer);
        row("Optimizer.step#Adam.step", Mark::Optimizer);
        row("Optimizer.zero_grad#SGD.zero_grad", Mark::Optimizer);
        row("[Strategy]DDPStrategy.backward", Mark::Backward);
        row("transformer_layer_bwd", Mark::Backward);
        row("ProfilerStep#3", Mark::None);
        row("nccl:all_reduce", Mark::None);
        row("", Mark::None);
    }
    void annotations() {
        QFETCH(QByteArray, name);
        QFETCH(int, mark);
        QCOMPARE(static_cast<int>(markOfAnnotation(name.toStdString())), mark);
    }
    void operators() {
        QVERIFY(
            markOfOperator("autograd::engine::evaluate_function: MmBackward0") == Mark::Backward);
        QVERIFY(
            markOfOperator("autograd::engine::evaluate_function: torch::autograd::AccumulateGrad")
            == Mark::Backward);
        QVERIFY(markOfOperator("aten::_flash_attention_backward") == Mark::Backward);
        // Backward calls these too.
        QVERIFY(markOfOperator("aten::_flash_attention_forward") == Mark::None);
        QVERIFY(markOfOperator("aten::mm") == Mark::None);
        // record_function of old profilers.
        QVERIFY(markOfOperator("Optimizer.step#SGD.step") == Mark::Optimizer);
        QVERIFY(markOfOperator("## forward ##") == Mark::Forward);
    }
    void kernels() {
        QVERIFY(markOfKernel("flash_bwd_dq_dk_dv_loop_kernel", "attention") == Mark::Backward);
        QVERIFY(markOfKernel("sm80_xmma_wgrad_implicit_gemm", "gemm") == Mark::Backward);
        QVERIFY(
            markOfKernel("multi_tensor_apply_kernel<AdamFunctor>", "optimizer") == Mark::Optimizer);
        QVERIFY(markOfKernel("flash_fwd_kernel", "attention") == Mark::Forward);
        QVERIFY(markOfKernel("fused_fwd_bwd_kernel", "other") == Mark::Backward);
        QVERIFY(markOfKernel("ampere_sgemm", "gemm") == Mark::None);
    }
};

TRAINSCOPE_TEST(tst_Phase)
#include "tst_Phase.moc"
