// Work of operators by hand, by names and arguments as PyTorch's profiler writes them.

#include "core/work/TracedWork.h"
#include "support/TestProgram.h"

using namespace trainscope::work;

namespace {

std::string asJson(std::string python) {
    std::replace(python.begin(), python.end(), '\'', '"');
    return python;
}

Work by(std::string_view name, const std::string& dims, const std::string& types,
    const std::string& values = "[]") {
    const auto found = workOf(name,
        R"({"Input Dims":)" + dims + R"(,"Input type":)" + asJson(types) + R"(,"Concrete Inputs":)"
            + asJson(values) + "}");
    return found ? Work(*found) : Work{-1.0, -1.0};
}

} // namespace

namespace QTest {
template <>
char* toString(const Work& work) {
    return qstrdup(
        (std::to_string(work.flop) + " FLOP, " + std::to_string(work.bytes) + " B").c_str());
}
} // namespace QTest

class tst_TracedWork : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void productsByHand() {
        const std::string two = "['float','float']";
        QCOMPARE(by("aten::mm", "[[3,7],[7,5]]", two), (Work{210, 4.0 * (21 + 35 + 15)}));
        QCOMPARE(by("aten::bmm", "[[2,3,7],[2,7,5]]", two), (Work{420, 8.0 * (21 + 35 + 15)}));
        // Three rows of products with one matrix, which is read once.
        QCOMPARE(by("aten::matmul", "[[2,3,7],[7,5]]", two), (Work{420, 4.0 * (42 + 35 + 30)}));
        QCOMPARE(by("aten::matmul", "[[7],[7]]", two), (Work{14, 4.0 * 15}));
        QCOMPARE(by("aten::linear", "[[2,3,7],[5,7],[5]]", "['float','float','float']"),
            (Work{420 + 30, 4.0 * (42 + 35 + 30 + 5)}));
        // beta = 0: what is added is not read.
        const std::string three = "['c10::Half','c10::Half','c10::Half','Scalar','Scalar']";
        QCOMPARE(by("aten::baddbmm", "[[2,3,5],[2,3,7],[2,7,5],[],[]]", three,
                     "['','','','0.','0.125']"),
            (Work{420, 4.0 * (21 + 35 + 15)}));
        QCOMPARE(by("aten::addmm", "[[5],[3,7],[7,5],[],[]]", three, "['','','','1','1']"),
            (Work{210 + 15, 2.0 * (21 + 35 + 15 + 5)}));
        // 8 bits in, 16 out (c10::ScalarType 15).
        QCOMPARE(by("aten::_scaled_mm", "[[3,7],[7,5],[],[],[],[],[],[]]",
                     "['c10::Float8_e4m3fn','c10::Float8_e4m3fn','float','float','','','Scalar',"
                     "'Scalar']",
                     "['','','','','','','15','True']"),
            (Work{210, 21 + 35 + 2.0 * 15}));
        QCOMPARE(by("aten::mm", "[[3,7],[6,5]]", two), (Work{-1, -1})); // do not fit
        QCOMPARE(by("aten::_grouped_mm", "[[64,7],[4,7,5],[4]]",
                     "['c10::BFloat16','c10::BFloat16','int']"),
            (Work{2.0 * 64 * 7 * 5, 2.0 * (64 * 7 + 4 * 7 * 5 + 64 * 5)}));
        QCOMPARE(by("aten::_grouped_mm", "[[3,64],[64,5],[4]]",
                     "['c10::BFloat16','c10::BFloat16','int']"),
            (Work{2.0 * 3 * 64 * 5, 2.0 * (3 * 64 + 64 * 5 + 4 * 3 * 5)}));
    }

    void expandedTensorsAreReadOnce() {
        const auto found = workOf("aten::bmm",
            R"({"Input Dims":[[8,3,7],[8,7,5]],"Input type":["float","float"],)"
            R"("Input Strides":[[21,7,1],[0,5,1]]})");
        QVERIFY(found.has_value());
        QCOMPARE(found->flop, 8.0 * 210);
        QCOMPARE(found->bytes, 4.0 * (8 * 21 + 35 + 8 * 15));
    }

    void normsByHand() {
        // 141 · 512 in and out, scale and shift, 141 means and deviations.
        QCOMPARE(by("aten::native_layer_norm", "[[1,141,512],[],[512],[512],[]]",
                     "['c10::BFloat16','ScalarList','c10::BFloat16','c10::BFloat16','Scalar']",
                     "['','[512]','','','1e-12']"),
            (Work{5.0 * 72192 + 6.0 * 512, 2.0 * (2 * 72192 + 2 * 512) + 4.0 * 2 * 141}));
    }

    void convolutionsByHand() {
        const std::string types
            = "['float','float','float','ScalarList','ScalarList','ScalarList','Scalar',"
              "'ScalarList','Scalar']";
        // 9 × 9, padded to 11, kernel of 3, step 2: 5 × 5; two groups of 3 channels.
        QCOMPARE(by("aten::convolution", "[[2,6,9,9],[4,3,3,3],[4],[],[],[],[],[],[]]", types,
                     "['','','','[2, 2]','[1, 1]','[1, 1]','False','[0, 0]','2']"),
            (Work{2.0 * 2 * 4 * 25 * 27 + 2 * 4 * 25, 4.0 * (972 + 108 + 200 + 4)}));
        // Transposed: (5 - 1) · 2 - 2 + 2 + 1 + 1 = 10.
        QCOMPARE(by("aten::convolution", "[[2,4,5,5],[4,6,3,3],[],[],[],[],[],[],[]]",
                     "['float','float','','ScalarList','ScalarList','ScalarList','Scalar',"
                     "'ScalarList','Scalar']",
                     "['','','','[2, 2]','[1, 1]','[1, 1]','True','[1, 1]','1']"),
            (Work{2.0 * 200 * 54, 4.0 * (200 + 216 + 2 * 6 * 100)}));
        QCOMPARE(by("aten::convolution", "[[2,6,9,9],[4,3,3,3],[4],[],[],[],[],[],[]]", types),
            (Work{-1, -1})); // steps were not recorded
    }

    // Dao 2023: 4 · s² · d · heads, half where causal, backward 2.5 times that.
    void attentionByHand() {
        const std::string types = "['c10::Half','c10::Half','c10::Half','Scalar','Scalar']";
        const std::string shapes = "[[2,8,64,16],[2,8,64,16],[2,8,64,16],[],[]]";
        const auto name = "aten::_scaled_dot_product_flash_attention";
        const double full = 4.0 * 2 * 8 * 64 * 64 * 16;
        const double tensor = 2.0 * 2 * 8 * 64 * 16;
        QCOMPARE(by(name, shapes, types, "['','','','0.','False']"), (Work{full, 4 * tensor}));
        QCOMPARE(by(name, shapes, types, "['','','','0.','True']"), (Work{full / 2, 4 * tensor}));
        QCOMPARE(by(name, shapes, types), (Work{-1, -1})); // causal or not is not known
        // Two heads of keys and values for eight of queries.
        QCOMPARE(by(name, "[[2,8,64,16],[2,2,64,16],[2,2,64,16],[],[]]", types,
                     "['','','','0.','False']"),
            (Work{full, 2.5 * tensor}));
        // Values half as wide as keys: 2 · s² · (16 + 8).
        QCOMPARE(by(name, "[[2,8,64,16],[2,8,64,16],[2,8,64,8],[],[]]", types,
                     "['','','','0.','False']"),
            (Work{full * 0.75, 3 * tensor}));
        // 16 queries over 64 keys: aligned at the start each sees up to its own place, 128 pairs;
        // at the end 48 keys more: 128 + 16 · 48.
        QCOMPARE(
            by(name, "[[1,1,16,8],[1,1,64,8],[1,1,64,8],[],[]]", types, "['','','','0.','True']")
                .flop,
            4.0 * 128 * 8);
        const std::string flash
            = "['c10::Half','c10::Half','c10::Half','Scalar','Scalar','Scalar','Scalar']";
        QCOMPARE(
            by("flash_attn::_flash_attn_forward", "[[1,16,1,8],[1,64,1,8],[1,64,1,8],[],[],[],[]]",
                flash, "['','','','0.','1','True','-1']")
                .flop,
            4.0 * (128 + 16 * 48) * 8);
        // A window of 3 keys before each of 16 queries: 16 · 4 - 6 pairs.
        QCOMPARE(
            by("flash_attn::_flash_attn_forward", "[[1,16,1,8],[1,16,1,8],[1,16,1,8],[],[],[],[]]",
                flash, "['','','','0.','1','True','3']")
                .flop,
            4.0 * 58 * 8);
        // 4 queries behind 2 keys: 3 keys seen by the first, 4 by each of the others.
        QCOMPARE(
            by("flash_attn::_flash_attn_forward", "[[1,4,1,8],[1,6,1,8],[1,6,1,8],[],[],[],[]]",
                flash, "['','','','0.','1','True','3']")
                .flop,
            4.0 * 15 * 8);
        // One query behind a long cache sees the window alone.
        QCOMPARE(
            by("flash_attn::_flash_attn_forward", "[[1,1,1,8],[1,64,1,8],[1,64,1,8],[],[],[],[]]",
                flash, "['','','','0.','1','True','3']")
                .flop,
            4.0 * 4 * 8);
        QCOMPARE(by("aten::_scaled_dot_product_flash_attention_backward",
                     "[[2,8,64,16],[2,8,64,16],[2,8,64,16],[2,8,64,16],[2,8,64,16],[2,8,64],[],[],"
                     "[],[],[],[]]",
                     "['c10::Half','c10::Half','c10::Half','c10::Half','c10::Half','float','','',"
                     "'Scalar','Scalar','Scalar','Scalar']",
                     "['','','','','','','','','64','64','0.','True']"),
            (Work{full / 2 * 2.5, 8 * tensor}));
    }

    void packedSequencesAreKnownWhereAllAreAsLong() {
        const std::string types
            = "['c10::Half','c10::Half','c10::Half','int','int','Scalar','Scalar','Scalar',"
              "'Scalar','Scalar']";
        const auto name = "flash_attn::_flash_attn_varlen_forward";
        const std::string shapes = "[[64,2,8],[64,2,8],[64,2,8],[5],[5],[],[],[],[],[]]";
        QCOMPARE(by(name, shapes, types, "['','','','','','16','16','0.','1','False']").flop,
            4.0 * 4 * 2 * 16 * 16 * 8);
        QCOMPARE(
            by(name, shapes, types, "['','','','','','20','20','0.','1','False']"), (Work{-1, -1}));
    }

    void whatIsBetweenProducts() {
        const std::string two = "['c10::BFloat16','float']";
        // 2 · 3 results of 32 bits from 16 and 32.
        QCOMPARE(by("aten::mul", "[[2,3],[3]]", two), (Work{6, 6 * 2.0 + 3 * 4.0 + 6 * 4.0}));
        QCOMPARE(by("aten::add_", "[[2,3],[2,3],[]]", "['c10::Half','float','Scalar']"),
            (Work{6, 6 * 2.0 + 6 * 4.0 + 6 * 2.0}));
        QCOMPARE(by("aten::eq", "[[2,3],[]]", "['float','Scalar']"), (Work{6, 24 + 6}));
        QCOMPARE(by("aten::exp", "[[2,3],[2,3]]", "['float','float']"), (Work{6, 48})); // out=
        QCOMPARE(by("aten::copy_", "[[2,3],[2,3],[]]", "['float','c10::Half','Scalar']"),
            (Work{0, 6 * 6.0}));
        QCOMPARE(by("aten::_to_copy", "[[6],[],[]]", "['float','Scalar','']", "['','15','']"),
            (Work{0, 6 * 6.0}));
        QCOMPARE(by("aten::zero_", "[[6]]", "['float']"), (Work{0, 24}));
        QCOMPARE(by("aten::sum", "[[4,6],[],[],[]]", "['float','ScalarList','Scalar','']",
                     "['','[1]','False','']"),
            (Work{24, 4.0 * (24 + 4)}));
        QCOMPARE(by("aten::mean", "[[4,6],[]]", "['float','']", "['','']"), (Work{24, 100}));
        QCOMPARE(by("aten::max", "[[4,6],[],[]]", "['float','Scalar','Scalar']", "['','-1','0']"),
            (Work{24, 96 + 4 * (4.0 + 8.0)}));
        QCOMPARE(by("aten::_softmax", "[[4,6],[],[]]", "['float','Scalar','Scalar']",
                     "['','-1','False']"),
            (Work{5 * 24, 192}));
        QCOMPARE(by("aten::embedding", "[[100,8],[2,3]]", "['c10::Half','long int']"),
            (Work{0, 2 * 48 * 2.0 + 6 * 8.0}));
        QCOMPARE(by("aten::nll_loss_forward", "[[4,10],[4],[],[],[]]",
                     "['float','long int','','Scalar','Scalar']"),
            (Work{4, 4 * 4.0 + 4 * 8.0}));
        QCOMPARE(by("_C::fused_add_rms_norm", "[[4,8],[4,8],[8],[]]",
                     "['c10::BFloat16','c10::BFloat16','c10::BFloat16','Scalar']"),
            (Work{4 * 32 + 32, 2.0 * (2 * 32 + 2 * 32 + 8)}));
    }

    // Gradients are read, weights and moments read and written: 7 times 4 bytes.
    void optimizersByTheirLists() {
        const std::string list = "[[2,3],[4]]";
        const std::string lists
            = "[" + list + "," + list + "," + list + "," + list + ",[],[[],[]]]";
        const auto found = workOf("aten::_fused_adamw_",
            R"({"Input Dims":)" + lists
                + R"(,"Input type":["TensorList","TensorList","TensorList","TensorList","TensorList","TensorList"]})");
        QVERIFY(found.has_value());
        QCOMPARE(found->flop, 14.0 * 10);
        QCOMPARE(found->bytes, 7.0 * 4 * 10);
        QVERIFY(found->isTypeAssumed);
        const auto added = workOf("aten::_foreach_add_",
            R"({"Input Dims":[[[2,3],[4]],[[2,3],[4]],[]],)"
            R"("Input type":["TensorList[c10::BFloat16]","TensorList[c10::BFloat16]","Scalar"]})");
        QVERIFY(added.has_value());
        QCOMPARE(added->flop, 10.0);
        QCOMPARE(added->bytes, 3.0 * 2 * 10);
        QVERIFY(!added->isTypeAssumed);
        // Shapes of a list that was not recorded.
        QVERIFY(!workOf("aten::_foreach_add_",
            R"({"Input Dims":[[],[],[]],"Input type":["TensorList","TensorList","Scalar"]})"));
    }

    void unknownIsAbsent() {
        QVERIFY(!workOf("mine::secret", R"({"Input Dims":[[2,3]],"Input type":["float"]})"));
        QVERIFY(!workOf("aten::view", R"({"Input Dims":[[2,3]],"Input type":["float"]})"));
        QVERIFY(!workOf("aten::mm", ""));
        QVERIFY(!workOf("aten::mm", R"({"Input Dims":[[2,3],[3,2]]})")); // without types
        QVERIFY(!workOf("vllm::unified_attention_with_output",
            R"({"Input Dims":[[2,3,4],[2,3,4],[2,3,4]],"Input type":["float","float","float"]})"));
    }

    void tablesOfTheUsers() {
        const auto table = WorkTable::fromJson(
            R"({"operators":[{"names":["mine::matmul*"],"formula":"product","a":1,"b":0},)"
            R"({"names":["aten::mm"],"formula":"nothing"}]})")
                               .value();
        const std::string detail = R"({"Input Dims":[[7,5],[3,7]],"Input type":["float","float"]})";
        QCOMPARE(workOf("mine::matmul_v2", detail, table)->flop, 210.0);
        QVERIFY(!workOf(
            "aten::mm", R"({"Input Dims":[[3,7],[7,5]],"Input type":["float","float"]})", table));
        QVERIFY(workOf("aten::bmm",
            R"({"Input Dims":[[1,3,7],[1,7,5]],"Input type":["float","float"]})", table));
        for (const auto* const bad : {"", "[]", R"({"operators":[{}]})",
                 R"({"operators":[{"names":["a"],"formula":"guess"}]})",
                 R"({"operators":[{"names":["a"],"formula":"product","a":[1]}]})"})
            QVERIFY(!WorkTable::fromJson(bad).hasValue());
        QVERIFY(WorkTable::builtIn().size() > 80);
    }

    // Operators of XLA state their work themselves.
    void statedWork() {
        const auto product = workOf("fusion.3",
            R"({"hlo category":"convolution fusion","flops":4000,"bytes accessed":200,"shape":"bf16[8]"})");
        QVERIFY(product.has_value());
        QCOMPARE(Work(*product), (Work{4000, 200}));
        QVERIFY(product->units == Units::Matrix);
        QVERIFY(product->type == ElementType::BFloat16);
        const auto sum = workOf(
            "add.1", R"json({"hlo category":"","flops":8,"shape":"(f32[8]{0}, s32[])"})json");
        QVERIFY(sum.has_value());
        QCOMPARE(Work(*sum), (Work{8, 0}));
        QVERIFY(sum->units == Units::Vector);
        QVERIFY(sum->type == ElementType::Float32);
        for (const auto* const none :
            {R"({"hlo category":"loop fusion"})", R"({"hlo category":"","flops":-1})",
                R"({"hlo category":"","flops":"8"})", R"({"flops":8})", R"({"hlo category":)"})
            QVERIFY(!workOf("fusion.3", none));
    }

    // Cut anywhere, or with any byte changed, a detail gives work or nothing, and never a negative
    // or endless amount.
    void damagedDetailsGiveNothing() {
        const std::string whole
            = R"({"Input Dims":[[10,64,56,56],[64,64,3,3],[],[],[],[],[],[],[]],"Input type":)"
              R"(["float","float","","ScalarList","ScalarList","ScalarList","Scalar","ScalarList",)"
              R"("Scalar"],"Concrete Inputs":["","","","[1, 1]","[1, 1]","[1, 1]","False",)"
              R"("[0, 0]","1"]})";
        const auto isSound = [](const std::string& detail) {
            for (const auto* const name :
                {"aten::convolution", "aten::addmm", "aten::mul", "aten::sum", "aten::layer_norm",
                    "aten::_flash_attention_forward", "aten::_fused_adam_", "aten::cat"}) {
                const auto found = workOf(name, detail);
                if (found && !(found->flop >= 0.0 && found->bytes >= 0.0))
                    return false;
            }
            return true;
        };
        for (std::size_t i = 0; i < whole.size(); ++i) {
            QVERIFY(!workOf("aten::convolution", whole.substr(0, i)));
            std::string changed = whole;
            for (const char c : {'9', '-', '[', ']', '"', ','}) {
                changed[i] = c;
                QVERIFY2(isSound(changed), changed.c_str());
            }
        }
        QVERIFY(!parseSignature(std::string(100000, '[')));
    }

    // The least time of work on a GPU of round numbers, by hand.

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

private:
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
};

TRAINSCOPE_TEST(tst_TracedWork)
#include "tst_TracedWork.moc"
