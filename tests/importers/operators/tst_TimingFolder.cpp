// Folders of timings: small ones whose shapes are worked out by hand, broken ones, and the
// published samples where they are.

#include <QtTest>

#include "importers/operators/TimingFolder.h"
#include "support/TestProgram.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

using namespace trainscope::importers;
using namespace trainscope::importers::operators;
using namespace trainscope::predict;

namespace {

using Files = std::vector<std::pair<std::string, std::string>>;

bool goOn(const ProgressState&) {
    return true;
}

Result<TimingFolder> readFiles(Files files) {
    const auto tree = memoryTree(std::move(files));
    return readTimings(*tree, goOn);
}

TimingFolder folderOf(Files files) {
    auto folder = readFiles(std::move(files));
    return folder.hasValue() ? folder.value() : TimingFolder{};
}

// The only row of a file with that name and content.
TimedOperator rowOf(const std::string& name, const std::string& head, const std::string& line) {
    const auto folder = folderOf({{"a100/GPU_" + name + "_fp16.csv", head + "\n" + line + "\n"}});
    const auto& operators = folder.timings.operators;
    return operators.size() == 1 && operators.front().rows.size() == 1
        ? operators.front().rows.front()
        : TimedOperator{};
}

} // namespace

class tst_TimingFolder : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // A row without a size, or on no whole number of GPUs, is no sample.
    void shapesWithoutSizeAreLeftOut() {
        const auto folder = folderOf({{"a100/GPU_linear1_fp16.csv",
                                          "mp,b,l,dim,F_dur(us),B_dur(us)\n1,2,1024,0,1,2\n"
                                          "1,2,1024,4096,1,2\n"},
            {"nccl_lab/GPU_allreduce_fp16.csv",
                "shape,nodes,GPUsPerNode,dur(us)\n1024,0,4,9\n1024,1e20,4,9\n1024,2,4,9\n"
                "1024,600000,1000000,9\n"}});
        QCOMPARE(folder.timings.operators.front().rows.size(), std::size_t{1});
        QCOMPARE(folder.timings.collectives.size(), std::size_t{1});
        QCOMPARE(folder.timings.collectives.front().nodes, 2);
        QCOMPARE(folder.report.rows, std::int64_t{2});
        QCOMPARE(folder.report.skipped, std::int64_t{4});
    }

    // 2 samples of 1024 tokens, hidden 4096 in 32 heads, on 4 ranks.
    void shapesFollowFromModelAndRanks_data() {
        const auto row = test::keyed<QString, QString, double, double, double, double>(
            "name", "kind", "batch", "m", "n", "k");
        row("linear1", "gemm", 1, 2048, 3072, 4096);
        row("linear2", "gemm", 1, 2048, 4096, 1024);
        row("linear3", "gemm", 1, 2048, 4096, 4096);
        row("linear4", "gemm", 1, 2048, 4096, 4096);
        row("linear_final", "gemm", 1, 2048, 12672, 4096); // ⌈50257 / 512⌉ · 128
        row("baddbmm", "attention_scores", 16, 1024, 1024, 128);
        row("bmm", "attention_values", 16, 1024, 128, 1024);
        row("flash_atten", "flash_attention", 16, 1024, 128, 1024);
        row("ScaledUpperTriangMaskedSoftmax", "softmax", 16, 1024, 1024, 1);
        row("RoPE", "rope", 2, 1024, 2048, 1); // queries and keys
        row("gelu", "gelu", 1, 2048, 4096, 1);
        row("layernorm", "layer_norm", 1, 2048, 4096, 1);
        row("RMSlayernorm", "rms_norm", 1, 2048, 4096, 1);
        row("res_add", "residual", 1, 2048, 4096, 1);
        row("embedding", "embedding", 1, 2048, 4096, 12672);
        row("parallel_cross_entropy_128", "cross_entropy", 1, 2048, 12672, 1);
    }
    void shapesFollowFromModelAndRanks() {
        QFETCH(QString, name);
        QFETCH(QString, kind);
        const auto row = rowOf(name.toStdString(), "mp,b,h,l,dim,F_dur(us),B_dur(us)",
            "4.0,2.0,32.0,1024.0,4096.0,100.5,201.0");
        QTEST(row.work.batch, "batch");
        QTEST(row.work.m, "m");
        QTEST(row.work.n, "n");
        QTEST(row.work.k, "k");
        QCOMPARE(std::string(toString(row.work.kind)), kind.toStdString());
        QCOMPARE(row.forward, 100.5e-6);
        QCOMPARE(row.backward, 201e-6);
    }

    // 4 encoders of 12 · 2048² on 2 ranks, and ⌈50257 / 256⌉ · 128 words of 2048.
    void optimizersUpdateAStage() {
        const auto middle
            = rowOf("middleStage_optimizer", "mp,dim,encoders,dur(us)", "2.0,2048.0,4.0,3803.8");
        QCOMPARE(middle.work.m, 100663296.0);
        QCOMPARE(middle.work.n, 48.0);
        QCOMPARE(middle.forward, 3803.8e-6);
        QVERIFY(std::isnan(middle.backward));
        const auto first
            = rowOf("firstStage_optimizer", "mp,dim,encoders,dur(us)", "2.0,2048.0,4.0,5268.6");
        QCOMPARE(first.work.m, 100663296.0 + 25216.0 * 2048.0);
    }

    void exchangesCountBytes() {
        const std::string head = "shape,nodes,GPUsPerNode,dur(us)\n";
        const auto folder = folderOf({
            {"nccl_perl/G_allgather_large_fp16_2_4.csv", head + "1000.0,2.0,4.0,50.0\n"},
            {"nccl_perl/G_allreduce_fp16.csv", head + "1000.0,2.0,4.0,20.0\n1000,1,2,9\n"},
            {"nccl_perl/G_allreduce_fp16_2_4.csv", head + "1000.0,2.0,4.0,20.0\n"},
            {"nccl_perl/G_p2p_fp16_2_1.csv", head + "1000.0,2.0,1.0,5.0\n"},
        });
        const auto& exchanges = folder.timings.collectives;
        QCOMPARE(exchanges.size(), std::size_t{4}); // all-reduces of two arrangements
        const auto find = [&](CollectiveKind kind, int nodes) {
            return std::find_if(exchanges.begin(), exchanges.end(),
                [&](const auto& one) { return one.kind == kind && one.nodes == nodes; });
        };
        // The shard of one of 8 ranks, 2 B an element.
        const auto gather = find(CollectiveKind::AllGather, 2);
        QCOMPARE(gather->rows.front().bytes, 16000.0);
        QCOMPARE(gather->rows.front().seconds, 50e-6);
        QCOMPARE(gather->fabric, std::string("perl"));
        QCOMPARE(gather->gpusPerNode, 4);
        const auto reduce = find(CollectiveKind::AllReduce, 2);
        QCOMPARE(reduce->rows.size(), std::size_t{1}); // in two files
        QCOMPARE(reduce->rows.front().bytes, 2000.0);
        QCOMPARE(find(CollectiveKind::SendRecv, 2)->rows.front().bytes, 2000.0);
    }

    void statedErrorsStandBesideTheirOperator() {
        const auto folder = folderOf({
            {"a/G.csv",
                "GPU,Function,Precision,Propagation,Best_model,Best_config,Best_error%\n"
                "G,gelu,fp16,fwd,xgboost,\"{'gamma': 0, 'subsample': 0.8}\",0.025\n"
                "G,gelu,fp16,bwd,xgboost,\"{'gamma': 0}\",0.031\n"},
            {"a/G_gelu_fp16.csv", "mp,b,l,dim,F_dur(us),B_dur(us)\n1,2,1024,512,10,20\n"},
            {"b/G_gelu_fp16.csv", "mp,b,l,dim,F_dur(us),B_dur(us)\n1,2,1024,512,10,20\n"},
            {"nccl_x/G.csv",
                "GPU,Function,Precision,Nodes,GPUsPerNode,Best_model,Best_config,Best_error%\n"
                "G,p2p,fp16,2,1,rforest,\"{}\",0.044\n"},
            {"nccl_x/G_p2p_fp16_2_1.csv", "shape,nodes,GPUsPerNode,dur(us)\n9,2,1,5\n"},
        });
        const auto& operators = folder.timings.operators;
        QCOMPARE(operators.size(), std::size_t{2});
        QCOMPARE(operators[0].statedForward, std::optional(0.025));
        QCOMPARE(operators[0].statedBackward, std::optional(0.031));
        QVERIFY(!operators[1].statedForward);
        QCOMPARE(folder.timings.collectives.front().statedError, std::optional(0.044));
        QCOMPARE(folder.report.warningCount, std::int64_t{0});
    }

    void badLinesAreCountedAndTold() {
        const auto folder = folderOf({{"a/G_gelu_fp16.csv",
            "mp,b,l,dim,F_dur(us),B_dur(us)\n1,2,1024,512,10,20\n1,2,oops,512,10,20\n\n"
            "1,2,1024,512,10\n1,4,1024,512,10,nan\n1,4,1024,512,10,20\n"}});
        QCOMPARE(folder.report.rows, std::int64_t{2});
        QCOMPARE(folder.report.skipped, std::int64_t{3});
        QCOMPARE(folder.report.warnings.size(), std::size_t{3});
        QCOMPARE(folder.report.warnings[0].file, std::string("a/G_gelu_fp16.csv"));
        QCOMPARE(folder.report.warnings[0].line, std::int64_t{3});
        QCOMPARE(folder.report.warnings[1].line, std::int64_t{5});
        QCOMPARE(folder.report.warnings[1].text,
            std::string("This line has 5 cells where the first has 6."));
    }

    void otherFilesAreTold() {
        const auto folder = folderOf({
            {"a/G_gelu_fp16.csv", "mp,b,l,dim,F_dur(us),B_dur(us)\n1,2,1024,512,10,20\n"},
            {"a/G_linear1_fp16.csv", "mp,b,l,F_dur(us),B_dur(us)\n1,2,1024,10,20\n"},
            {"a/G_convolution_fp16.csv", "x\n1\n"},
            {"a/power.csv", "time,watts\n1,2\n"},
            {"a/README.md", "about"},
        });
        QCOMPARE(folder.files, std::size_t{1});
        QCOMPARE(folder.report.warnings.size(), std::size_t{3});
        const auto isTold = [&](const std::string& text) {
            return std::any_of(folder.report.warnings.begin(), folder.report.warnings.end(),
                [&](const auto& one) { return one.text.find(text) != std::string::npos; });
        };
        QVERIFY(isTold("The columns dim are missing"));
        QVERIFY(isTold("\"convolution\" is no operator"));
        QVERIFY(isTold("neither timings nor errors of a model"));
    }

    void nothingToReadIsAnError() {
        QCOMPARE(readFiles({{"notes.txt", "hello"}}).error().code, ErrorCode::Unrecognised);
        QCOMPARE(readFiles({}).error().code, ErrorCode::Unrecognised);
    }

    void readingStopsWhenAsked() {
        const auto tree = memoryTree({{"a/G_gelu_fp16.csv", "x"}});
        const auto stopped = readTimings(*tree, [](const ProgressState&) { return false; });
        QCOMPARE(stopped.error().code, ErrorCode::Cancelled);
    }
};

TRAINSCOPE_TEST(tst_TimingFolder)
#include "tst_TimingFolder.moc"
