// `profile` on a small folder of timings, and on the published samples where they are.

#include "support/RunCli.h"
#include "support/TestFiles.h"
#include "support/TestProgram.h"

using namespace trainscope::test;

namespace {

// In per cent, forward and backward, of the published regressors on the same samples: arXiv
// 2509.22832, github.com/Littlesnakess/GPUModeling25 (regression results beside the samples).
using Errors = std::pair<double, double>;
const std::map<std::string, std::map<std::string, Errors>> kPublished{
    {"A100 SXM4 80GB",
        {{"baddbmm", {6.84, 4.94}}, {"bmm", {4.60, 6.76}}, {"fillmask", {1.22, 1.02}},
            {"flash_atten", {11.87, 10.57}}, {"gelu", {2.55, 2.68}}, {"layernorm", {7.38, 6.88}},
            {"linear_final", {5.04, 4.61}}, {"linear1", {5.61, 4.96}}, {"linear2", {5.96, 3.89}},
            {"linear3", {5.67, 4.35}}, {"linear4", {5.32, 4.71}},
            {"parallel_cross_entropy_128", {9.92, 9.75}}, {"RoPE", {3.57, 3.63}},
            {"softmax", {8.34, 5.19}}, {"ScaledUpperTriangMaskedSoftmax", {4.83, 5.14}},
            {"RMSlayernorm", {3.85, 3.00}}, {"res_add", {3.34, 3.34}}}},
    {"GH200",
        {{"baddbmm", {2.65, 2.33}}, {"bmm", {2.04, 3.24}}, {"fillmask", {0.94, 0.61}},
            {"flash_atten", {6.68, 7.12}}, {"gelu", {2.37, 2.66}}, {"layernorm", {3.15, 4.52}},
            {"linear_final", {2.54, 3.12}}, {"linear1", {4.27, 3.52}}, {"linear2", {3.88, 4.20}},
            {"linear3", {4.65, 5.69}}, {"linear4", {4.41, 3.98}},
            {"parallel_cross_entropy_128", {12.76, 11.38}}, {"RoPE", {4.33, 6.22}},
            {"softmax", {4.93, 5.13}}, {"ScaledUpperTriangMaskedSoftmax", {3.52, 3.18}},
            {"RMSlayernorm", {3.87, 3.49}}, {"res_add", {3.67, 3.67}}}},
};

void write(const std::string& path, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path) << text;
}

} // namespace

class tst_ProfileCommand : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    [[nodiscard]] std::string path(const std::string& name) const {
        return m_folder.path().toStdString() + "/" + name;
    }

private Q_SLOTS:
    void initTestCase() {
        std::string rows = "mp,b,l,dim,F_dur(us),B_dur(us)\n";
        for (int b = 1; b <= 16; ++b)
            rows += "1," + std::to_string(b) + ",1024,4096," + std::to_string(100 * b) + ","
                + std::to_string(150 * b) + "\n";
        write(path("samples/a100/NVIDIAA100-SXM4-80GB_gelu_fp16.csv"), rows);
        write(path("samples/nccl_perl/NVIDIAA100-SXM4-80GB_p2p_fp16_2_1.csv"),
            "shape,nodes,GPUsPerNode,dur(us)\n1000000,2,1,1000\n2000000,2,1,2000\n");
        write(path("broken/a100/NVIDIAA100-SXM4-80GB_gelu_fp16.csv"), rows + "1,2,3\n");
    }

    // Two sizes between two GPUs: the bus bandwidth of an all-reduce is its algorithm's then.
    void tablesOfNcclTests() {
        write(path("tests/nccl_lab/all_reduce.out"),
            "# nThread 1 nGpus 2 minBytes 1048576 maxBytes 2097152 step: 2(factor)\n"
            "#  Rank  0 Group  0 Pid   1000 on     node-1 device  0 [0x07] NVIDIA H100 80GB HBM3\n"
            "#  Rank  1 Group  0 Pid   1000 on     node-1 device  1 [0x0b] NVIDIA H100 80GB HBM3\n"
            "#       size         count      type   redop    root     time   algbw   busbw #wrong"
            "     time   algbw   busbw #wrong\n"
            "     1048576        262144     float     sum      -1    20.00   52.43   52.43      0"
            "    20.10   52.17   52.17      0\n"
            "     2097152        524288     float     sum      -1    30.00   69.91   69.91      0"
            "    30.10   69.67   69.67      0\n");
        const auto json = jsonOf({"profile", path("tests"), "--into", path("t.json")});
        QCOMPARE(json["files"], 1);
        QCOMPARE(json["fabrics"][0]["fabric"], "lab");
        QCOMPARE(json["fabrics"][0]["curves"], 1);
        QVERIFY(json["rows"][0]["name"].get<std::string>().starts_with("all_reduce"));
    }

    void profileIsWrittenAndTold() {
        const auto json = jsonOf({"profile", path("samples"), "--into", path("p.json")});
        QCOMPARE(json["files"], 2);
        QCOMPARE(json["lines"], 18);
        QCOMPARE(json["gpus"][0]["gpu"], "A100 SXM4 80GB");
        QCOMPARE(json["gpus"][0]["stack"]["gap_s"], 0.0);
        QCOMPARE(json["fabrics"][0]["fabric"], "perl");
        QCOMPARE(json["rows"].size(), 2U);
        QCOMPARE(json["rows"][0]["name"], "gelu");
        QCOMPARE(json["rows"][0]["samples"], 16);
        QVERIFY(!json["rows"][0].contains("notes"));
        QVERIFY(std::filesystem::file_size(path("p.json")) > 500);
    }

    void tableListsOperators() {
        const auto ran = runCli({"profile", path("samples"), "--into", path("p.json")});
        QVERIFY2(ran.status == 0, ran.err.c_str());
        VERIFY_SAYS(ran.out, "gelu");
        VERIFY_SAYS(ran.out, "perl: p2p 2×1");
    }

    void stackCanBeSet() {
        const auto json = jsonOf({"profile", path("samples"), "--into", path("p.json"),
            "--scores-extra-bytes", "5", "--gap-ms", "0.5", "--jitter", "2"});
        QCOMPARE(json["gpus"][0]["stack"]["scores_extra_bytes"], 5.0);
        QCOMPARE(json["gpus"][0]["stack"]["gap_s"], 0.0005);
        QCOMPARE(json["gpus"][0]["stack"]["jitter"], 0.02);
    }

    void badLinesAndFoldersAreTold() {
        const auto broken = runCli({"profile", path("broken"), "--into", path("p.json")});
        QCOMPARE(broken.status, 1);
        VERIFY_SAYS(broken.err, "gelu_fp16.csv:18: This line has 3 cells");
        write(path("empty/readme.txt"), "nothing");
        QCOMPARE(runCli({"profile", path("empty"), "--into", path("q.json")}).status, 3);
        QVERIFY(!std::filesystem::exists(path("q.json")));
        QCOMPARE(runCli({"profile", path("samples")}).status, 2);
        QCOMPARE(runCli({"profile", path("samples"), "--into", path("no/such/p.json")}).status, 3);
    }

    // A trace of five products at 40 % of an A100's peak, imported, is samples of these.
    void databasesGiveTheirTraces() {
        std::string events;
        double at = 1000.0; // µs
        for (int i = 0; i < 5; ++i) {
            const int m = 1024 << i;
            const double lasts = 2.0 * m * 4096 * 4096 / (0.4 * 312e12) * 1e6;
            const std::string begin = std::to_string(at);
            const std::string id = std::to_string(100 + i);
            events += R"(,{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":)" + begin
                + R"(,"dur":20,"args":{"Input Dims":[[)" + std::to_string(m)
                + R"(,4096],[4096,4096]],"Input type":["c10::BFloat16","c10::BFloat16"]}})"
                + R"(,{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,)"
                + R"("ts":)" + std::to_string(at + 5) + R"(,"dur":5,"args":{"correlation":)" + id
                + R"(}},{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":)"
                + std::to_string(at + 20) + R"(,"dur":)" + std::to_string(lasts)
                + R"(,"args":{"device":0,"stream":7,"correlation":)" + id + "}}";
            at += lasts + 100.0;
        }
        write(path("trace/rank0.json"),
            R"({"deviceProperties":[{"id":0,"name":"NVIDIA A100-SXM4-80GB"}],)"
            R"("distributedInfo":{"rank":0,"world_size":1},"traceEvents":[)"
                + events.substr(1) + "]}");
        QVERIFY(succeeds({"import", path("trace"), "--into", path("traces.trainscope")}));
        const auto json = jsonOf({"profile", path("traces.trainscope"), "--into", path("t.json")});
        QCOMPARE(json["runs"].size(), 1U);
        QCOMPARE(json["gpus"][0]["gpu"], "A100 SXM4 80GB");
        QCOMPARE(json["rows"].size(), 1U);
        QCOMPARE(json["rows"][0]["samples"], 5);
        std::ifstream file(path("t.json"));
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        // 2 · 1024 · 4096² / (0.4 · 312e12) s
        VERIFY_SAYS(text, "\"forward_us\":[275.3");
        // Beside published ones.
        const auto both = runCli({"profile", path("samples"), path("traces.trainscope"), "--into",
            path("t.json"), "--json"});
        QCOMPARE(both.json()["rows"].size(), 3U);
    }

    // Every operator but the embedding, and the optimizers, is predicted better than published.
    void publishedSamplesArePredictedBetterThanPublished() {
        const std::string samples = realFiles() + "/data/operator_samples";
        if (realFiles().empty() || !std::filesystem::exists(samples))
            QSKIP("the published samples are not beside the checkout: nothing was tested");
        std::size_t compared = 0;
        const auto report = jsonOf({"profile", samples, "--into", path("real.json")});
        for (const auto& row : report["rows"]) {
            const auto gpu = kPublished.find(row["gpu"]);
            if (gpu == kPublished.end() || row.contains("fabric")
                || !gpu->second.contains(row["name"]))
                continue;
            const Errors published = gpu->second.at(row["name"]);
            const std::string what = row.dump();
            QVERIFY2(100.0 * row["forward_error"].get<double>() < published.first, what.c_str());
            QVERIFY2(100.0 * row["backward_error"].get<double>() < published.second, what.c_str());
            // The folder states the published errors too.
            QVERIFY2(std::abs(100.0 * row["stated_forward_error"].get<double>() - published.first)
                    < 0.01,
                what.c_str());
            ++compared;
        }
        QCOMPARE(compared, std::size_t{34});
        QVERIFY(std::filesystem::file_size(path("real.json")) < 5'000'000);
    }
};

TRAINSCOPE_TEST(tst_ProfileCommand)
#include "tst_ProfileCommand.moc"
