// The least time of work on a GPU of round numbers, by hand.

#include "core/work/Roofline.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::work;

class tst_Roofline : public QObject {
    Q_OBJECT

    // 100 TFLOP/s of 16 bits, 200 of 8; 1 TB/s.
    static catalogue::GpuModel gpu() {
        catalogue::GpuModel model;
        model.bf16Flops = 1e14;
        model.fp8Flops = 2e14;
        model.memoryBandwidth = 1e12;
        return model;
    }
    static TracedWork work(double flop, double bytes, ElementType type, Units units) {
        return TracedWork{{flop, bytes}, type, units};
    }

private Q_SLOTS:
    void theLargerBoundCounts() {
        const Roof roof = roofOf(gpu(), ElementType::BFloat16, Units::Matrix);
        // 1 ms of operations, 0.1 ms of bytes; and the reverse.
        const auto compute = work(1e11, 1e8, ElementType::BFloat16, Units::Matrix);
        QCOMPARE(attainable(compute, roof)->seconds, 1e-3);
        QVERIFY(attainable(compute, roof)->bound == Bound::Compute);
        QCOMPARE(intensityOf(compute), std::optional(1000.0));
        const auto memory = work(1e10, 1e9, ElementType::BFloat16, Units::Matrix);
        QCOMPARE(attainable(memory, roof)->seconds, 1e-3);
        QVERIFY(attainable(memory, roof)->bound == Bound::Memory);
    }

    void peaksFollowTypeAndSparsity() {
        QCOMPARE(roofOf(gpu(), ElementType::Float8, Units::Matrix).flops, std::optional(2e14));
        QCOMPARE(
            roofOf(gpu(), ElementType::BFloat16, Units::SparseMatrix).flops, std::optional(2e14));
        QVERIFY(!roofOf(gpu(), ElementType::BFloat16, Units::Vector).flops);
        // TF32 or not is not known: bytes alone are a lower bound.
        const Roof roof = roofOf(gpu(), ElementType::Float32, Units::Matrix);
        QVERIFY(!roof.flops);
        const auto least = attainable(work(1e12, 1e9, ElementType::Float32, Units::Matrix), roof);
        QCOMPARE(least->seconds, 1e-3);
        QVERIFY(least->isPeakUnknown);
        QVERIFY(
            !attainable(work(1e12, 1e9, ElementType::Float32, Units::Vector), roof)->isPeakUnknown);
        QVERIFY(!attainable(work(1, 1, ElementType::Float32, Units::Vector), Roof{}));
    }

    // The peak of fp32 is that which its kernels are told to use.
    void singlePrecisionIsToldByKernels() {
        catalogue::GpuModel model = gpu();
        model.fp32Flops = 2e13;
        model.tf32Flops = 5e13;
        const auto peak = [&](const char* kernel) {
            return roofOf(model, ElementType::Float32, Units::Matrix, singlePrecisionOf(kernel))
                .flops;
        };
        QCOMPARE(peak("ampere_sgemm_128x64_tn"), std::optional(2e13));
        QCOMPARE(peak("void cutlass::Kernel2<cutlass_80_simt_sgemm_128x32_8x5_nn_align1>"),
            std::optional(2e13));
        QCOMPARE(peak("Cijk_Alik_Bljk_SB_Bias_AS_SAV_UserArgs_MT64x16x32"), std::optional(2e13));
        QCOMPARE(peak("sm90_xmma_gemm_f32f32_tf32f32_f32_tn_n"), std::optional(5e13));
        QCOMPARE(peak("cutlass_80_tensorop_s1688gemm_128x128_16x5_nt_align4"), std::optional(5e13));
        QVERIFY(!peak("Cijk_Alik_Bljk_HHS_BH_MT64x16x32"));
        QVERIFY(!peak("triton_mm"));
    }
};

TRAINSCOPE_TEST(tst_Roofline)
#include "tst_Roofline.moc"
