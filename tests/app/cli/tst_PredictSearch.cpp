// `predict --search` and `--what-if`: their JSON, and the verdict between two clusters.

#include "support/RunCli.h"
#include "support/TestProgram.h"

using namespace trainscope::test;

class tst_PredictSearch : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theObject() {
        const auto json = jsonOf({"predict", "--search", "--model", "llama3-8b", "--cluster",
            "2x8xH100", "--global-batch", "64", "--seq-len", "8192", "--top", "4"});
        std::int64_t refused = 0;
        for (const auto& [reason, count] : json["refused"].items())
            refused += count.get<std::int64_t>();
        QCOMPARE(
            json["searched"].get<std::int64_t>(), refused + json["feasible"].get<std::int64_t>());
        QCOMPARE(json["rows"].size(), std::size_t{4});
        double before = 0.0;
        for (const auto& row : json["rows"]) {
            const auto& layout = row["layout"];
            QCOMPARE(layout["tp"].get<int>() * layout["cp"].get<int>() * layout["dp"].get<int>()
                    * layout["pp"].get<int>(),
                16);
            const double seconds = row["step_time_s"].get<double>();
            QVERIFY(row["step_time_low_s"].get<double>() < seconds);
            QVERIFY(seconds < row["step_time_high_s"].get<double>());
            QVERIFY(seconds >= before);
            before = seconds;
            QCOMPARE(row["tokens_per_s_per_gpu"].get<double>(), 64.0 * 8192 / seconds / 16);
            for (const char* key : {"mfu", "memory_b", "energy_j", "peak_power_w"})
                QVERIFY2(row[key].get<double>() > 0.0, key);
            for (const char* key : {"ep", "vpp", "zero"})
                QVERIFY2(layout.contains(key), key);
        }
    }

    void whatIsSaidIsNotSearched() {
        const auto json = jsonOf({"predict", "--search", "--model", "llama3-8b", "--cluster",
            "2x8xH100", "--global-batch", "64", "--layout", "tp=4,pp=2", "--micro-batch", "2",
            "--recompute", "full"});
        QVERIFY(!json["rows"].empty());
        for (const auto& row : json["rows"]) {
            QCOMPARE(row["layout"]["tp"], 4);
            QCOMPARE(row["layout"]["pp"], 2);
            QCOMPARE(row["micro_batch"], 2);
            QCOMPARE(row["recompute"], "full");
        }
    }

    void replicasAndBlocksThatAreSaidAreNotSearched() {
        const auto json = jsonOf({"predict", "--search", "--model", "llama3-8b", "--cluster",
            "2x8xH100", "--global-batch", "64", "--layout", "dp=4", "--recompute", "block:2",
            "--top", "3"});
        QCOMPARE(json["rows"].size(), std::size_t{3});
        for (const auto& row : json["rows"]) {
            QCOMPARE(row["layout"]["dp"], 4);
            QCOMPARE(row["recompute"], "block:2");
        }
    }

    void twoClustersAreJudged() {
        const auto json = jsonOf({"predict", "--search", "--model", "llama3-8b", "--cluster",
            "1x8xB200", "--cluster", "4x8xA100", "--global-batch", "64", "--top", "2"});
        QCOMPARE(json["clusters"].size(), std::size_t{2});
        QCOMPARE(json["clusters"][0]["rows"].size(), std::size_t{2});
        const auto& verdict = json["verdict"];
        QCOMPARE(verdict["winner"], "scale-up");
        QCOMPARE(verdict["scale_up"].get<std::string>(),
            json["clusters"][0]["cluster"].get<std::string>());
        QVERIFY(!verdict["statements"].empty());
    }

    void whatIf() {
        std::set<std::string> names;
        const auto json = jsonOf({"predict", "--model", "llama3-8b", "--cluster", "8xH100",
            "--layout", "tp=8", "--global-batch", "16", "--what-if"});
        for (const auto& one : json["rows"][0]["what_if"])
            names.insert(one["what"].get<std::string>());
        QVERIFY(names
            == (std::set<std::string>{"link_bandwidth", "network_bandwidth", "memory_bandwidth",
                "memory_size", "global_batch", "micro_batch", "sequence", "power_limit"}));
    }

    // 8 GPUs train on 300 G tokens at their rate.
    void theAnswerAndItsTraining() {
        const auto json = jsonOf({"predict", "--search", "--model", "llama3-8b", "--cluster",
            "8xH100", "--global-batch", "64", "--tokens", "300B", "--what-if"});
        const auto& answer = json["answer"];
        QCOMPARE(answer["layout"], json["rows"][0]["layout"]);
        QCOMPARE(answer["step_time_s"], json["rows"][0]["step_time_s"]);
        QVERIFY(answer.contains("hottest_c") && answer.contains("mean_power_w"));
        const auto& training = answer["training"];
        const double seconds = 300e9 / (8.0 * answer["tokens_per_s_per_gpu"].get<double>());
        const auto isAbout = [&training](const char* key, double expected) {
            return std::abs(training[key].get<double>() / expected - 1.0) < 1e-9;
        };
        QVERIFY(isAbout("time_s", seconds));
        QVERIFY(isAbout("days", seconds / 86400.0));
        QVERIFY(isAbout("gpu_hours", 8.0 * seconds / 3600.0));
        const double joules = answer["mean_power_w"].get<double>() * 8.0 * seconds;
        QVERIFY(isAbout("energy_mwh", joules / 3.6e9));
        QVERIFY(training["days_low"].get<double>() < training["days"].get<double>());
        for (const auto& row : json["rows"])
            QVERIFY(row["training"]["days"].get<double>() >= training["days"].get<double>());
        bool hasMemory = false;
        for (const auto& one : answer["what_if"]) {
            for (const auto& point : one["points"]) {
                hasMemory = hasMemory || point.contains("layout");
                if (!point.contains("days"))
                    continue;
                const double trained = point["days"].get<double>() * 86400.0 * 8.0
                    * point["tokens_per_s_per_gpu"].get<double>();
                QVERIFY(std::abs(trained / 300e9 - 1.0) < 1e-9);
            }
        }
        QVERIFY(hasMemory);
    }

    // Rows say which of the choices they are a tie with; each choice is one with itself.
    void tiesAreTold() {
        const auto ran = runCli({"predict", "--search", "--model", "llama3-8b", "--cluster",
            "2x8xH100", "--global-batch", "64", "--json"});
        const auto json = ran.json();
        QVERIFY(json["choices"].size() > 1);
        std::size_t number = 0;
        for (const auto& choice : json["choices"])
            QCOMPARE(choice["ties"].get<std::size_t>(), ++number);
        QCOMPARE(json["choices"][0]["layout"], json["rows"][0]["layout"]);
        for (const auto& row : json["rows"]) {
            if (!row.contains("ties"))
                continue;
            const auto& first = json["choices"][row["ties"].get<std::size_t>() - 1];
            QVERIFY(row["step_time_s"].get<double>() <= first["step_time_high_s"].get<double>());
            QVERIFY(row["step_time_low_s"].get<double>() <= first["step_time_s"].get<double>());
        }
        const auto text = runCli({"predict", "--search", "--model", "llama3-8b", "--cluster",
            "2x8xH100", "--global-batch", "64", "--tokens", "1T"});
        VERIFY_SAYS(text.out, "The best layout: llama3-8b on 16 × H100");
        VERIFY_SAYS(text.out, ", 1T tokens\n");
        VERIFY_SAYS(text.out, "\n  = 1 ");
    }

    void whatIsNoTraining() {
        const std::vector<std::string> job{"predict", "--model", "llama3-8b", "--cluster", "8xH100",
            "--layout", "tp=8", "--global-batch", "16"};
        const auto with = [&job](const std::vector<std::string>& more) {
            auto all = job;
            all.insert(all.end(), more.begin(), more.end());
            return runCli(all);
        };
        const auto interrupted = with({"--restart-time", "60"});
        QCOMPARE(interrupted.status, 2);
        VERIFY_SAYS(interrupted.err, "say how many tokens");
        QCOMPARE(with({"--tokens", "0"}).status, 2);
        QCOMPARE(with({"--tokens", "1T", "--workload", "inference"}).status, 2);
        QCOMPARE(runCli({"predict", "--table", "t.csv", "--tokens", "1T"}).status, 2);
        QVERIFY(!with({"--json"}).json()["rows"][0].contains("training"));
    }

    void refusals() {
        const std::vector<std::string> search{"predict", "--search", "--model", "llama3-8b",
            "--cluster", "8xH100", "--global-batch", "16"};
        std::vector<std::string> arguments = search;
        arguments.insert(arguments.end(), {"--objective", "money"});
        QCOMPARE(runCli(arguments).status, 2);
        arguments = search;
        arguments.insert(arguments.end(), {"--memory-share", "2"});
        QCOMPARE(runCli(arguments).status, 2);
        for (const char* unsearched : {"tp=2,order=tp-pp-dp", "pp=2,stage-layers=15-17"}) {
            arguments = search;
            arguments.insert(arguments.end(), {"--layout", unsearched});
            QCOMPARE(runCli(arguments).status, 2);
        }
        QCOMPARE(runCli({"predict", "--model", "llama3-8b", "--cluster", "8xH100", "--global-batch",
                            "16", "--cluster-power", "3000"})
                     .status,
            2);
        QCOMPARE(runCli({"predict", "--model", "llama3-8b", "--cluster", "8xH100", "--cluster",
                            "8xA100", "--global-batch", "16"})
                     .status,
            2);
    }

    // A dense model has no exchanges of experts to hide; a mixture of experts is tried.
    void dualPipe() {
        const auto with = [](const char* model) {
            return runCli({"predict", "--search", "--model", model, "--cluster", "4x8xH100",
                "--global-batch", "64", "--layout", "pp=4,schedule=dualpipe", "--json"});
        };
        QCOMPARE(with("llama3-8b").json()["searched"].get<int>(), 0);
        QVERIFY(with("mixtral-8x7b").json()["searched"].get<int>() > 0);
        VERIFY_SAYS(runCli({"predict", "--search", "--model", "llama3-8b", "--cluster", "8xH100",
                               "--global-batch", "16", "--layout", "schedule=dualpipe"})
                        .out,
            "No layout is possible.\nThe given settings exclude every layout: dualpipe is for "
            "mixtures of experts");
    }

    // 350 GB of weights alone do not fit into 80 GB.
    void nothingToKeep() {
        QTemporaryDir folder;
        const QString database = folder.filePath(QStringLiteral("p.trainscope"));
        const auto ran = runCli({"predict", "--search", "--model", "gpt3-175b", "--cluster",
            "1xH100", "--global-batch", "8", "--into", database.toStdString()});
        QCOMPARE(ran.status, 1);
        VERIFY_SAYS(ran.err, "nothing goes into");
        QVERIFY(!QFile::exists(database));
    }
};

TRAINSCOPE_TEST(tst_PredictSearch)
#include "tst_PredictSearch.moc"
