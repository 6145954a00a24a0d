// Collectives by a kernel's name and arguments: kinds, bytes and bus factors by the conventions of
// nccl-tests, read off by hand.

#include "core/analysis/traces/CollectiveKind.h"
#include "support/TestProgram.h"

using namespace trainscope::analysis;

class tst_CollectiveKind : public QObject {
    Q_OBJECT

private Q_SLOTS:
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

TRAINSCOPE_TEST(tst_CollectiveKind)
#include "tst_CollectiveKind.moc"
