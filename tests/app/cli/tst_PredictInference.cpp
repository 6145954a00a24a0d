// `predict` of inference and of LoRA: what it says, what it refuses, tables, and a run with the
// phases of a prompt and of the tokens after it.

#include "support/RunCli.h"
#include "support/TestProgram.h"

using namespace trainscope::test;

namespace {

const std::vector<std::string> kServed{"predict", "--model", "llama3-70b", "--cluster", "8xH200",
    "--layout", "tp=4,pp=2", "--micro-batch", "8", "--global-batch", "32", "--workload",
    "inference", "--seq-len", "1152", "--generated", "128"};

// An option that is there gets another value.
std::vector<std::string> servedWith(const std::vector<std::string>& more) {
    std::vector<std::string> arguments = kServed;
    for (std::size_t i = 0; i < more.size(); ++i) {
        const auto found = std::find(arguments.begin(), arguments.end(), more[i]);
        if (found == arguments.end())
            arguments.push_back(more[i]);
        else
            *std::next(found) = more[++i];
    }
    return arguments;
}

} // namespace

class tst_PredictInference : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theObject() {
        const auto ran = runCli(servedWith({"--json"}));
        QCOMPARE(ran.status, 0);
        const auto row = ran.json()["rows"].at(0);
        const double seconds = row["step_time_s"].get<double>();
        const double first = row["time_to_first_token_s"].get<double>();
        const double token = row["time_per_output_token_s"].get<double>();
        QVERIFY(token < first && first < seconds);
        QVERIFY(row["time_per_output_token_low_s"].get<double>() < token);
        QVERIFY(row["time_to_first_token_high_s"].get<double>() > first);
        QVERIFY(std::abs((row["prefill_s"].get<double>() + row["decode_s"].get<double>()) / seconds
                    - 1.0)
            < 1e-9);
        // Two groups of two micro-batches, of a prompt and 127 tokens each.
        QVERIFY(std::abs(2 * (first + 127 * token) / seconds - 1.0) < 1e-9);
        QCOMPARE(row["tokens_per_s_per_gpu"].get<double>(), 32.0 * 1152 / seconds / 8);
        QCOMPARE(row["generated_tokens_per_s_per_gpu"].get<double>(), 32.0 * 128 / seconds / 8);
        double parts = 0.0;
        for (const auto& [name, value] : row["breakdown"].items())
            parts += value.get<double>();
        QVERIFY(std::abs(parts / seconds - 1.0) < 1e-9);
        QCOMPARE(row["memory"][0]["gradients_b"].get<double>(), 0.0);
        QVERIFY(row["mean_power_w"].get<double>() > 200.0);
    }

    void inWords() {
        const auto ran = runCli(kServed);
        QCOMPARE(ran.status, 0);
        VERIFY_SAYS(ran.out, "First token");
        QVERIFY(ran.out.find("1,024 tokens") != std::string::npos
            || ran.out.find("1024 tokens") != std::string::npos);
    }

    void promptsAlone() {
        const auto ran = runCli(servedWith({"--generated", "0", "--json"}));
        QCOMPARE(ran.status, 0);
        const auto row = ran.json()["rows"].at(0);
        QVERIFY(!row.contains("time_per_output_token_s"));
        QCOMPARE(row["decode_s"].get<double>(), 0.0);
    }

    void searched() {
        const auto ran = runCli({"predict", "--search", "--model", "llama3-8b", "--cluster",
            "8xH100", "--workload", "inference", "--global-batch", "64", "--seq-len", "2304",
            "--generated", "256", "--top", "3", "--json"});
        QCOMPARE(ran.status, 0);
        VERIFY_SAYS(ran.out, "time_to_first_token_s");
    }

    void aRunOfTheDatabase() {
        QTemporaryDir folder;
        const std::string database = pathIn(folder, "p.trainscope");
        QVERIFY(succeeds(servedWith({"--into", database, "--name", "served"})));
        const auto kernels = runCli({"kernels", database, "--json"});
        VERIFY_SAYS(kernels.out, "predicted gemm, prefill");
        VERIFY_SAYS(kernels.out, "predicted gemm, decode");
        QVERIFY(kernels.out.find("adam") == std::string::npos);
        const auto summary = jsonOf({"summary", database, "--detail"});
        const auto& run = summary["runs"][0];
        QCOMPARE(run["kind"], "predicted");
        // Its launch configuration says what it is, so that the same is predicted of it.
        const auto seconds = runCli(servedWith({"--json"})).json()["rows"].at(0)["step_time_s"];
        const std::string csv = pathIn(folder, "p.csv");
        QVERIFY(succeeds({"figure", database, "--kind", "prediction", "--run", "served", "--out",
            pathIn(folder, "p.svg"), "--csv", csv}));
        std::ifstream file(csv);
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        QVERIFY(text.find("first_token") != std::string::npos
            || text.find("First token") != std::string::npos);
        QVERIFY(std::abs(run["iterations"][1]["duration_s"].get<double>() - seconds.get<double>())
            < 1e-6);
    }

    void aTable() {
        QTemporaryDir folder;
        const std::string path = pathIn(folder, "t.csv");
        std::ofstream(path) << "source,gpu,n_gpus,model,seq_len,precision,tp,pp,micro_batch,"
                               "global_batch,workload,generated_tokens,step_time_s\n"
                               "mine,H200,8,llama3-70b,1152,bf16,4,2,8,32,inference,128,9.0\n"
                               "mine,H200,8,llama3-70b,1152,bf16,4,2,8,32,inference,1152,9.0\n"
                               "mine,H200,8,llama3-70b,1152,bf16,4,2,8,32,cooking,,9.0\n"
                               "mine,H200,8,llama3-70b,1152,bf16,4,2,1,32,lora,,9.0\n";
        const auto json = jsonOf({"predict", "--table", path});
        const auto own = runCli(servedWith({"--json"})).json()["rows"].at(0);
        QVERIFY(
            std::abs(json["rows"][0]["step_time_s"].get<double>() / own["step_time_s"].get<double>()
                - 1.0)
            < 1e-9);
        QVERIFY(json["rows"][0].contains("time_to_first_token_s"));
        QVERIFY(json["rows"][1].contains("unsupported"));
        VERIFY_SAYS(json["rows"][2]["unsupported"].get<std::string>(), "cooking");
        QVERIFY(json["rows"][3].contains("step_time_s"));
    }

    void adapters() {
        const auto seconds = [](const char* adapters) {
            const auto ran = runCli({"predict", "--model", "llama3-8b", "--cluster", "8xH100",
                "--workload", "lora", "--adapters", adapters, "--global-batch", "32", "--json"});
            return ran.status == 0 ? ran.json()["rows"].at(0)["step_time_s"].get<double>() : 0.0;
        };
        QVERIFY(seconds("16:qkv") > 0.0);
        QVERIFY(seconds("64:all") > seconds("16:qkv"));
        QCOMPARE(seconds("16:everything"), 0.0);
    }

    void whatIsRefused_data() {
        using A = std::vector<std::string>;
        const auto row = columns<A, std::string>("more", "reason");
        row("recomputation", A{"--recompute", "full"}, "recomputes nothing");
        row("recomputed in a search", A{"--recompute", "full", "--search"}, "recomputes nothing");
        row("tokens", A{"--generated", "1152"}, "cannot be generated");
        row("training", A{"--workload", "training"}, "generates no tokens");
        row("adapters", A{"--adapters", "16:qkv"}, "workload lora");
        row("workload", A{"--workload", "x"}, "no workload 'x'");
        row("virtual stages", A{"--layout", "tp=4,pp=2,vpp=2"}, "Virtual stages");
    }
    void whatIsRefused() {
        QFETCH(const std::vector<std::string>, more);
        QFETCH(const std::string, reason);
        const auto ran = runCli(servedWith(more));
        QCOMPARE(ran.status, 2);
        VERIFY_SAYS(ran.err, reason);
    }
};

TRAINSCOPE_GUI_TEST(tst_PredictInference)
#include "tst_PredictInference.moc"
