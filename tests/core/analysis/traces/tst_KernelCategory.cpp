// Kernel names of NVIDIA and AMD traces and the categories that people sort them into.

#include "core/analysis/traces/CollectiveKind.h"
#include "core/analysis/traces/KernelCategory.h"
#include "support/TestProgram.h"

using trainscope::analysis::KernelCategories;
using namespace trainscope::analysis;

class tst_KernelCategory : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void category_data() {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<QByteArray>("collective");
        QTest::addColumn<QByteArray>("expected");
        const auto row = [](const char* name, const char* collective, const char* expected) {
            QTest::addRow("%s/%s", name, collective)
                << QByteArray(name) << QByteArray(collective) << QByteArray(expected);
        };
        row("ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)", "", "all_reduce");
        row("ncclDevKernel_AllReduce_Sum_f16_RING_LL(ncclDevComm*)", "allreduce", "all_reduce");
        row("ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(x)", "_reduce_scatter_base",
            "reduce_scatter");
        row("ncclDevKernel_AllGather_RING_LL(x)", "", "all_gather");
        row("ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWorkElem)", "", "send_recv");
        row("ncclDevKernel_SendRecv(x)", "all_to_allv", "all_to_all");
        row("ncclDevKernel_SendRecv(x)", "send", "send_recv");
        row("ncclDevKernel_Broadcast_RING_LL(x)", "", "broadcast");
        row("ncclDevKernel_Reduce_Sum_f32_RING_LL(x)", "", "communication");
        row("ncclDevKernel_Generic(ncclDevKernelArgsStorage<4096ul>)", "", "communication");
        row("ncclDevKernel_Generic(ncclDevKernelArgsStorage<4096ul>)", "allreduce", "all_reduce");
        row("ncclDevKernel_Generic_1(x)", "_allgather_base", "all_gather");
        row("ncclDevKernel_Generic_1(x)", "all_to_allv", "all_to_all");
        row("ncclDevKernel_Generic_1(x)", "send", "send_recv");
        row("ncclDevKernel_Generic_1(x)", "broadcast", "broadcast");
        row("ncclDevKernel_Generic_1(x)", "barrier", "communication");
        row("void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16, 16>()", "",
            "other");
        row("void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>(vllm::RankData*)", "",
            "other");
        row("void deep_ep::intranode::dispatch<8, 768, 8192>(int4*)", "", "other");
        row("nvshmemi_transfer_rma_nbi", "", "other");
        row("void flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<1>",
            "", "other");
        row("triton_tem_fused_flash_attention_0", "", "attention");
        row("triton_poi_fused_all_gather_into_tensor_wait_tensor_0", "", "elementwise");
        row("miopenSp3AsmConv_v30_3_1_gfx9_fp16_dot2_edc_f2x3_stride1", "", "gemm");
        row("miopenGcnAsmConv1x1U", "", "gemm");
        // Operators of XLA.
        row("all-reduce-start.3", "", "all_reduce");
        row("fusion.4 (all-reduce-scatter fusion)", "", "reduce_scatter");
        row("collective-permute.1", "", "send_recv");
        row("all-to-all.2", "", "all_to_all");
        row("fusion.3 (convolution fusion)", "", "gemm");
        row("fusion.9 (loop fusion)", "", "elementwise");
        row("bitcast.2 (data formatting)", "", "elementwise");
        row("ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_32x5_tn", "", "gemm");
        row("nvjet_tst_192x192_64x3_2x1_v_bz_coopB_NNN", "", "gemm");
        row("Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT256x192x64", "", "gemm");
        row("void cutlass::Kernel2<cutlass_80_tensorop_f16_s16816gemm_relu_f16>()", "", "gemm");
        row("void cublasLt::splitKreduce_kernel<32, 16, int, float>()", "", "gemm");
        row("sm80_xmma_fprop_implicit_gemm_indexed_tf32f32", "", "gemm");
        row("void "
            "cutlass::device_kernel<flash::enable_sm90_or_later<flash::FlashAttnBwdSm90<x>>>()",
            "", "attention");
        row("fmhaSm100aKernel_QkvE4m3OBfloat16H64PagedKvCausal", "", "attention");
        row("attn_fwd", "", "attention");
        row("void (anonymous "
            "namespace)::scaled_upper_triang_masked_softmax_warp_forward<c10::Half>()",
            "", "attention");
        row("void cuApplyLayerNorm<c10::Half, float, c10::Half>(c10::Half*)", "", "normalisation");
        row("vllm::fused_add_rms_norm_kernel<c10::BFloat16, 8>()", "", "normalisation");
        row("void at::native::batch_norm_backward_kernel<c10::BFloat16>()", "", "normalisation");
        row("void multi_tensor_apply_kernel<TensorListMetadata<4>, AdamFunctor<float>>()", "",
            "optimizer");
        row("void at::native::vectorized_elementwise_kernel<4, "
            "at::native::CUDAFunctor_add<float>>()",
            "", "elementwise");
        row("triton_poi_fused__unsafe_view_add_3", "", "elementwise");
        row("void fbgemm_gpu::permute_2D_data_kernel<false>()", "", "elementwise");
        row("hadamard_transform_kernel", "", "elementwise");
        row("void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float>>()", "",
            "elementwise");
        row("void fft2d_c2r_32x32<float>()", "", "other");
        row("", "", "other");
    }
    void category() {
        QFETCH(QByteArray, name);
        QFETCH(QByteArray, collective);
        QFETCH(QByteArray, expected);
        const auto category
            = KernelCategories::builtIn().categoryOf(name.toStdString(), collective.toStdString());
        QCOMPARE(QByteArray(category.data(), static_cast<qsizetype>(category.size())), expected);
    }
    void communicationByName() {
        QVERIFY(KernelCategories::isCommunication("ncclDevKernel_Generic(x)"));
        QVERIFY(KernelCategories::isCommunication("void MSCCLPP_kernel()"));
        QVERIFY(KernelCategories::isCommunication("RCCL_AllReduce"));
        QVERIFY(!KernelCategories::isCommunication("multimem_all_reduce_kernel"));
        QVERIFY(!KernelCategories::isCommunication("ampere_sgemm_128x64_nn"));
    }
    void userTableComesFirst() {
        const auto table = KernelCategories::fromJson(
            R"({"rules": [{"category": "rope", "any": ["My_GEMM", "rotary"]}]})")
                               .value();
        QVERIFY(table.categoryOf("my_gemm_kernel") == "rope");
        QVERIFY(table.categoryOf("other_gemm_kernel") == "gemm");
        QVERIFY(KernelCategories::label("rope") == "rope");
    }
    void userTableMayStandAlone() {
        const auto table = KernelCategories::fromJson(
            R"({"replace": true, "rules": [{"category": "big", "with": ["sm80", "sm90"], "any": ["GEMM"]},
            {"category": "rest", "any": ["gemm"], "communication": false}]})")
                               .value();
        QVERIFY(table.categoryOf("sm90_gemm") == "big");
        QVERIFY(table.categoryOf("sm70_gemm") == "rest");
        QVERIFY(table.categoryOf("nccl_gemm") == "other");
        QVERIFY(table.categoryOf("ncclDevKernel_AllReduce", "allreduce") == "other");
    }
    // Classes by categorize_kernel() of the artifact's plots for these names, worked out by hand.
    void charllmClasses_data() {
        const auto row = test::keyed<QByteArray, QByteArray>("name", "expected");
        row("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
            "all_reduce");
        row("ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(x)", "reduce_scatter");
        row("ncclDevKernel_AllGather_RING_LL(x)", "all_gather");
        row("ncclDevKernel_SendRecv(x)", "send_recv");
        row("ncclDevKernel_Broadcast_RING_LL(x)", "send_recv");
        row("ncclDevKernel_Generic_1(x)", "memory_elementwise"); // "kernel" is in its name
        row("void userbuffers_fp16_sum_inplace_gpu_rw_ag()", "memory_elementwise");
        row("kuserbuffers_pushsend()", "memory_elementwise");
        row("triton_poi_fused_add_0", "memory_elementwise");
        row("triton_mm_gemm_3", "compute");
        row("triton_mm_gemm_mul_3",
            "memory_elementwise"); // the sum, add, mul, div rule comes first
        row("ampere_bf16_s16816gemm_bf16_128x128", "compute");
        row("cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_3_128x128",
            "compute");
        row("void cutlass::Kernel2<cutlass_80_tensorop_gemm>()", "compute");
        row("void at::native::vectorized_elementwise_kernel<4>()", "memory_elementwise");
        row("void transformer_engine::normalization::ln_fwd_tuned_kernel<x>()",
            "memory_elementwise");
        row("void cuApplyLayerNorm<c10::Half, float>(c10::Half*)", "layer_norm");
        row("nvjet_tst_192x192_64x3", "other");
    }
    void charllmClasses() {
        QFETCH(QByteArray, name);
        QFETCH(QByteArray, expected);
        const auto category
            = KernelCategories::charllm().categoryOf(name.toStdString(), "allreduce");
        QCOMPARE(QByteArray(category.data(), static_cast<qsizetype>(category.size())), expected);
        QVERIFY(KernelCategories::label(category) != category);
    }
    void choices() {
        const QTemporaryDir folder;
        const std::string file
            = folder.filePath(QStringLiteral("kernel_categories.json")).toStdString();
        QVERIFY(
            KernelCategories::fromFolder(folder.path().toStdString()).value().categoryOf("my_gemm")
            == "gemm");
        QVERIFY(!KernelCategories::fromChoice(file).hasValue());
        QFile written(QString::fromStdString(file));
        QVERIFY(written.open(QIODevice::WriteOnly));
        written.write(R"({"rules": [{"category": "mine", "any": ["my_"]}]})");
        written.close();
        QVERIFY(KernelCategories::fromChoice(file).value().categoryOf("my_gemm") == "mine");
        QVERIFY(
            KernelCategories::fromFolder(folder.path().toStdString()).value().categoryOf("my_gemm")
            == "mine");
        QVERIFY(KernelCategories::fromChoice("charllm").value().categoryOf("my_gemm") == "compute");
        QVERIFY(KernelCategories::fromChoice("default").value().categoryOf("my_gemm") == "gemm");
        QVERIFY(written.open(QIODevice::WriteOnly));
        written.write("[]");
        written.close();
        const auto broken = KernelCategories::fromChoice(file);
        QVERIFY(!broken.hasValue());
        QCOMPARE(broken.error().where, file);
    }
    void badTablesSayWhatIsWrong_data() {
        const auto row = trainscope::test::columns<QByteArray, QByteArray>("json", "part");
        row("not JSON", "{", "not a JSON object");
        row("no rules", "{}", "no list of rules");
        row("no category", QByteArray(R"({"rules": [{"any": ["a"]}]})"), "Rule 1 has no category");
        row("no parts", QByteArray(R"({"rules": [{"category": "a", "any": []}]})"),
            "Rule 1 has no list");
        row("empty part", QByteArray(R"({"rules": [{"category": "a", "any": [""]}]})"), "no text");
        row("odd replace", QByteArray(R"({"replace": 1, "rules": []})"), "neither true nor false");
    }
    void badTablesSayWhatIsWrong() {
        QFETCH(QByteArray, json);
        QFETCH(QByteArray, part);
        const auto table = KernelCategories::fromJson(json.toStdString());
        QVERIFY(!table.hasValue());
        QVERIFY2(QByteArray::fromStdString(table.error().message).contains(part),
            table.error().message.c_str());
    }
    void everyKeyHasALabel() {
        for (const char* key : {"all_reduce", "reduce_scatter", "all_gather", "all_to_all",
                 "send_recv", "broadcast", "communication", "gemm", "attention", "normalisation",
                 "elementwise", "optimizer", "other"})
            QVERIFY(KernelCategories::label(key) != key);
    }

    // Collectives by a kernel's name and arguments: kinds, bytes and bus factors by the conventions
    // of nccl-tests, read off by hand.

    void kindsByArgumentThenByKernel_data() {
        QTest::addColumn<QString>("kernel");
        QTest::addColumn<QString>("argument");
        QTest::addColumn<QString>("kind");
        const auto row = [](const char* kernel, const char* argument, const char* kind) {
            QTest::newRow(qPrintable(
                QStringLiteral("%1/%2").arg(QLatin1String(kernel), QLatin1String(argument))))
                << QString::fromLatin1(kernel) << QString::fromLatin1(argument)
                << QString::fromLatin1(kind);
        };
        row("ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*)", "", "all_reduce");
        row("ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL", "", "reduce_scatter");
        row("ncclDevKernel_AllGather_RING_LL", "", "all_gather");
        row("ncclDevKernel_Broadcast_RING_LL", "", "broadcast");
        row("ncclDevKernel_Reduce_Sum_f32_RING_LL", "", "reduce");
        row("ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", "", "send_recv");
        row("ncclDevKernel_SendRecv", "all_to_allv", "all_to_all");
        row("ncclDevKernel_SendRecv", "recv", "send_recv");
        row("ncclDevKernel_Generic", "_reduce_scatter_base", "reduce_scatter");
        row("ncclDevKernel_Generic", "_allgather_base", "all_gather");
        row("ncclDevKernel_Generic", "alltoall_base", "all_to_all");
        row("ncclDevKernel_AllReduce_Sum_u8_RING_LL", "barrier", "barrier");
        row("ncclDevKernel_AllReduce_Sum_u8_RING_LL", "coalesced", "all_reduce");
        row("ncclDevKernel_Generic", "", "communication");
    }
    void kindsByArgumentThenByKernel() {
        QFETCH(QString, kernel);
        QFETCH(QString, argument);
        QFETCH(QString, kind);
        const auto found
            = trainscope::toString(collectiveKind(kernel.toStdString(), argument.toStdString()));
        QCOMPARE(QString::fromUtf8(found.data(), static_cast<int>(found.size())), kind);
    }
    void bytesAreTheWholeBuffer() {
        // A reduce-scatter of 8 ranks hands in 96 elements and keeps 12, 2 bytes each.
        CollectiveDetail detail;
        detail.inElements = 96;
        detail.outElements = 12;
        detail.dataType = "BFloat16";
        QCOMPARE(bytesOf(detail).value_or(-1.0), 192.0);
        std::swap(detail.inElements, detail.outElements); // the all-gather back
        QCOMPARE(bytesOf(detail).value_or(-1.0), 192.0);
        detail.dataType = "c10::Float8_e4m3fn";
        QCOMPARE(bytesOf(detail).value_or(-1.0), 96.0);
        detail.dataType = "Long";
        QCOMPARE(bytesOf(detail).value_or(-1.0), 768.0);
        detail.dataType = "Quaternion";
        QVERIFY(!bytesOf(detail));
        detail.dataType = "Float";
        detail.inElements.reset();
        detail.outElements.reset();
        QVERIFY(!bytesOf(detail));
    }
    void busFactorsOfNcclTests() {
        QCOMPARE(busFactor(CollectiveKind::AllReduce, 8), 1.75);
        QCOMPARE(busFactor(CollectiveKind::AllReduce, 2), 1.0);
        QCOMPARE(busFactor(CollectiveKind::AllGather, 4), 0.75);
        QCOMPARE(busFactor(CollectiveKind::ReduceScatter, 4), 0.75);
        QCOMPARE(busFactor(CollectiveKind::AllToAll, 16), 0.9375);
        QCOMPARE(busFactor(CollectiveKind::Broadcast, 16), 1.0);
        QCOMPARE(busFactor(CollectiveKind::SendRecv, 2), 1.0);
        QCOMPARE(busFactor(CollectiveKind::AllReduce, 1), 0.0);
    }
    void elidedRanksComeFromStartAndStride() {
        const auto elided = parseCollectiveDetail(
            R"({"Process Group Ranks":"[0, 8, 16, ...]","Group size":4,"Global rank start":0,)"
            R"("Global rank stride":8,"Seq":17,"Src Rank":3,"dtype":"Half","In msg nelems":"12"})");
        QCOMPARE(elided.ranks, (std::vector<int>{0, 8, 16, 24}));
        QCOMPARE(elided.sequence.value_or(-1), 17);
        QCOMPARE(elided.source.value_or(-1), 3);
        QVERIFY(!elided.destination);
        QCOMPARE(bytesOf(elided).value_or(-1.0), 24.0);
        const auto unknown = parseCollectiveDetail(R"({"Process Group Ranks":"[0, 8, ...]"})");
        QVERIFY(unknown.ranks.empty());
        QCOMPARE(unknown.ranksText, std::string("[0, 8, ...]"));
    }
};

TRAINSCOPE_TEST(tst_KernelCategory)
#include "tst_KernelCategory.moc"
