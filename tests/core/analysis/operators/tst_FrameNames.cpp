// Names and arguments of calls that are one frame, and what compiled kernels are named after.

#include <QtTest>

#include "core/analysis/operators/FrameNames.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::analysis;
using namespace std::string_literals;

class tst_FrameNames : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void numbersOfAnnotationsAndArguments() {
        QCOMPARE(foldedAnnotation("ProfilerStep#12"), std::string("ProfilerStep#"));
        QCOMPARE(foldedAnnotation("iteration 7"), std::string("iteration"));
        QCOMPARE(foldedAnnotation("layer 3"), std::string("layer 3"));
        QCOMPARE(
            foldedAnnotation("Optimizer.step#Adam.step"), std::string("Optimizer.step#Adam.step"));
        const std::string folded
            = foldedSignature("{\"Concrete Inputs\":[\"\",\"0.125\",\"[1, "
                              "1]\",\"True\",\"1e-05\"],\"Input Dims\":[[1]]}");
        QCOMPARE(folded,
            std::string(
                "{\"Concrete Inputs\":[\"\",\"\",\"[1, 1]\",\"True\",\"\"],\"Input Dims\":[[1]]}"));
        const std::string quoted
            = foldedSignature("{\"Concrete Inputs\":[\"[0.1, 0.2]\",\"a \\\" b\"]}");
        QCOMPARE(quoted, std::string("{\"Concrete Inputs\":[\"\",\"a \\\" b\"]}"));
        const std::string cut = "{\"Concrete Inputs\":[\"cut of";
        QCOMPARE(foldedSignature(cut), cut);
    }

    void sourcesOfCompiledKernels() {
        // As PyTorch's Inductor named kernels of a compiled GPT: names of operators, sorted, by
        // "_".
        const auto fused = [](const char* name) {
            std::string list;
            for (const std::string& source : fusedOperators(name))
                list += source + " ";
            return list;
        };
        QCOMPARE(fused("triton_red_fused_add_mean_mul_pow_rsqrt_0"), "add mean mul pow rsqrt "s);
        QCOMPARE(fused("triton_per_fused__fused_rms_norm__fused_rms_norm_backward_add_view_20"),
            "_fused_rms_norm _fused_rms_norm_backward add view "s);
        QCOMPARE(
            fused("triton_poi_fused__to_copy_add_select_select_backward_slice_slice_backward_44"),
            "_to_copy add select select_backward slice slice_backward "s);
        QCOMPARE(fused("triton_poi_fused__unsafe_view_mul_nll_loss_forward_threshold_backward_5"),
            "_unsafe_view mul nll_loss_forward threshold_backward "s);
        QCOMPARE(fused("ampere_sgemm_128x64_tn"), std::string());
    }
};

TRAINSCOPE_TEST(tst_FrameNames)
#include "tst_FrameNames.moc"
