// `predict` of one job and of a table, and a prediction as a run of a database.

#include "support/RunCli.h"
#include "support/TestProgram.h"

using namespace trainscope::test;

namespace {

const std::vector<std::string> kJob{"predict", "--model", "llama3-8b", "--cluster", "2x8xH200",
    "--layout", "tp=2,pp=2", "--micro-batch", "2", "--global-batch", "64", "--seq-len", "4096"};

std::vector<std::string> with(std::vector<std::string> arguments, const QStringList& more) {
    for (const QString& one : more)
        arguments.push_back(one.toStdString());
    return arguments;
}

} // namespace

class tst_Predict : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theObject() {
        const auto ran = runCli(with(kJob, {QStringLiteral("--json")}));
        QCOMPARE(ran.status, 0);
        const auto row = ran.json()["rows"].at(0);
        const double seconds = row["step_time_s"].get<double>();
        QVERIFY(row["step_time_low_s"].get<double>() < seconds);
        QVERIFY(row["step_time_high_s"].get<double>() > seconds);
        QCOMPARE(row["tokens_per_s_per_gpu"].get<double>(), 64.0 * 4096 / seconds / 16);
        double parts = 0.0;
        for (const auto& [name, value] : row["breakdown"].items())
            parts += value.get<double>();
        QVERIFY(std::abs(parts / seconds - 1.0) < 1e-9);
        QCOMPARE(row["memory"].size(), std::size_t{2}); // stages
        QCOMPARE(row["energy_j"].get<double>(), row["mean_power_w"].get<double>() * 16 * seconds);
        QCOMPARE(row["oom"].get<bool>(), false);
        QVERIFY(row["peak_power_w"].get<double>() <= 700.0);
    }

    void lessPowerIsSlower() {
        const auto usual = runCli(with(kJob, {QStringLiteral("--json")})).json()["rows"].at(0);
        const auto capped = runCli(
            with(kJob,
                {QStringLiteral("--json"), QStringLiteral("--power-limit"), QStringLiteral("400")}))
                                .json()["rows"]
                                .at(0);
        QVERIFY(capped["step_time_s"].get<double>() > 1.05 * usual["step_time_s"].get<double>());
        QVERIFY(capped["peak_power_w"].get<double>() <= 401.0);
        QVERIFY(capped["energy_j"].get<double>() < usual["energy_j"].get<double>());
    }

    void aTable() {
        QTemporaryDir folder;
        const std::string path = folder.filePath(QStringLiteral("t.csv")).toStdString();
        std::ofstream(path) << "source,gpu,n_gpus,model,seq_len,precision,tp,pp,micro_batch,"
                               "global_batch,step_time_s\n"
                               "mine,H100,8,llama3-8b,4096,bf16,2,1,1,32,5.0\n"
                               "mine,H100,8,llama3-8b,4096,bf16,2,1,,32,5.0\n";
        const auto ran = runCli({"predict", "--table", path, "--json"});
        QCOMPARE(ran.status, 0);
        const auto json = ran.json();
        QCOMPARE(json["rows"].size(), std::size_t{2});
        QCOMPARE(json["rows"][1]["unsupported"].get<std::string>(),
            std::string("The row does not say micro_batch."));
        const double seconds = json["rows"][0]["step_time_s"].get<double>();
        QCOMPARE(json["mape"]["step_time_s"].get<double>(), std::abs(seconds / 5.0 - 1.0));
        QVERIFY(!json["mape"].contains("tokens_per_s_per_gpu"));
    }

    // A step time that is not above 0 was not measured: it is no error of 100 % and more, and the
    // rows beside it are predicted from each other as without it.
    void rowsOfATableWithoutTime() {
        QTemporaryDir folder;
        const std::string path = folder.filePath(QStringLiteral("t.csv")).toStdString();
        std::ofstream(path) << "source,gpu,n_gpus,model,seq_len,precision,tp,pp,micro_batch,"
                               "global_batch,step_time_s,tokens_per_s_per_gpu\n"
                               "mine,H100,8,llama3-8b,4096,bf16,2,1,1,32,2.0,\n"
                               "mine,H100,8,llama3-8b,4096,bf16,2,1,2,32,0,\n"
                               "mine,H100,8,llama3-8b,4096,bf16,4,1,2,32,,-5\n";
        const auto json
            = runCli({"predict", "--table", path, "--calibrate", path, "--json"}).json();
        for (const auto& row : json["rows"])
            QVERIFY(row["step_time_s"].get<double>() > 0.0);
        const double seconds = json["rows"][0]["step_time_s"].get<double>();
        QCOMPARE(json["mape"]["step_time_s"].get<double>(), std::abs(seconds / 2.0 - 1.0));
        QVERIFY(!json["mape"].contains("tokens_per_s_per_gpu"));
        QVERIFY(!json["rows"][1].contains("measured_step_time_s"));
    }

    void aRunOfTheDatabase() {
        QTemporaryDir folder;
        const QString database = folder.filePath(QStringLiteral("p.trainscope"));
        const auto ran = runCli(with(kJob,
            {QStringLiteral("--into"), database, QStringLiteral("--name"), QStringLiteral("mine"),
                QStringLiteral("--json")}));
        QCOMPARE(ran.status, 0);
        const double seconds = ran.json()["rows"].at(0)["step_time_s"].get<double>();
        const auto summary
            = runCli({"summary", database.toStdString(), "--detail", "--json"}).json();
        QCOMPARE(summary["runs"].size(), std::size_t{1});
        const auto& run = summary["runs"][0];
        QCOMPARE(run["name"].get<std::string>(), std::string("mine"));
        QCOMPARE(run["kind"].get<std::string>(), std::string("predicted"));
        QCOMPARE(run["gpu_count"].get<int>(), 16);
        QVERIFY(std::abs(run["iterations"][1]["duration_s"].get<double>() - seconds) < 1e-6);
        QVERIFY(run["metrics"]["gpu_power"]["max"].get<double>() <= 701.0);
        // The kernels of a stage add up to what the step is busy.
        const auto kernels = runCli({"kernels", database.toStdString(), "--json"}).json();
        QCOMPARE(kernels["ranks"].size(), std::size_t{2});
        QVERIFY(kernels["ranks"][0]["busy_us"].get<double>() < 1e6 * seconds);
        // Predicted again, it replaces itself.
        QCOMPARE(runCli(with(kJob,
                            {QStringLiteral("--into"), database, QStringLiteral("--name"),
                                QStringLiteral("mine")}))
                     .status,
            0);
        QCOMPARE(runCli({"info", database.toStdString(), "--json"}).json()["runs"].size(),
            std::size_t{1});
    }

    // A run as it was launched, and what another layout would have cost.
    void theJobOfARun() {
        QTemporaryDir folder;
        const QString database = folder.filePath(QStringLiteral("p.trainscope"));
        QCOMPARE(runCli(with(kJob, {QStringLiteral("--into"), database})).status, 0);
        const auto plain = runCli(with(kJob, {QStringLiteral("--json")})).json();
        const auto own = runCli({"predict", "--from", database.toStdString(), "--json"}).json();
        QCOMPARE(own["rows"].size(), std::size_t{1});
        QCOMPARE(own["rows"][0]["name"].get<std::string>(), std::string("as launched"));
        QCOMPARE(own["rows"][0]["step_time_s"].get<double>(),
            plain["rows"][0]["step_time_s"].get<double>());
        QVERIFY(!own.contains("measured_step_time_s")); // it is a prediction itself
        const QStringList other{
            QStringLiteral("--layout"), QStringLiteral("tp=8"), QStringLiteral("--json")};
        const auto changed
            = runCli(with({"predict", "--from", database.toStdString()}, other)).json();
        QCOMPARE(changed["rows"].size(), std::size_t{2});
        QCOMPARE(changed["rows"][0]["step_time_s"].get<double>(),
            plain["rows"][0]["step_time_s"].get<double>());
        auto byHand = kJob;
        std::replace(byHand.begin(), byHand.end(), std::string("tp=2,pp=2"), std::string("tp=8"));
        byHand.emplace_back("--json");
        QCOMPARE(changed["rows"][1]["step_time_s"].get<double>(),
            runCli(byHand).json()["rows"][0]["step_time_s"].get<double>());
        const auto text = runCli(with({"predict", "--from", database.toStdString()},
            {QStringLiteral("--layout"), QStringLiteral("tp=8")}));
        VERIFY_SAYS(text.out, "as launched");
        VERIFY_SAYS(text.out, "TP 8");
    }

    // A prediction takes no more of a predicted run than the run says of its job.
    void theJobOfAPredictedRun_data() {
        const auto row = columns<QStringList>("more");
        const auto layout
            = [](const char* text) { return texts("--layout", QString::fromLatin1(text)); };
        row("schedule", layout("tp=2,pp=2,schedule=zero-bubble"));
        row("hybrid sharding", layout("fsdp,shard=4"));
        row("some layers again", texts("--recompute", "block:4"));
        row("adapters", texts("--workload", "lora", "--adapters", "8:qkv+out"));
        row("power", texts("--power-limit", "400"));
        row("clock", texts("--clock", "1200"));
    }
    void theJobOfAPredictedRun() {
        QFETCH(const QStringList, more);
        QTemporaryDir folder;
        const QString database = folder.filePath(QStringLiteral("p.trainscope"));
        std::vector<std::string> job{"predict", "--model", "llama3-8b", "--cluster", "2x8xH200",
            "--micro-batch", "2", "--global-batch", "64", "--seq-len", "4096", "--json"};
        job = with(job, more);
        if (!more.contains(QStringLiteral("--layout")))
            job = with(job, {QStringLiteral("--layout"), QStringLiteral("tp=2,pp=2")});
        const auto made = runCli(with(job, {QStringLiteral("--into"), database}));
        QCOMPARE(made.status, 0);
        const auto own = runCli({"predict", "--from", database.toStdString(), "--json"});
        QCOMPARE(own.status, 0);
        for (const char* key : {"step_time_s", "energy_j", "memory"})
            QVERIFY2(own.json()["rows"][0][key] == made.json()["rows"][0][key], key);
    }

    void whatIsRefused_data() {
        const auto row = columns<QStringList>("more");
        row("nothing", QStringList{});
        row("model", texts("--model", "x", "--cluster", "8xH100", "--global-batch", "8"));
        row("cluster", texts("--model", "llama3-8b", "--cluster", "8xK80", "--global-batch", "8"));
        row("layout",
            texts("--model", "llama3-8b", "--cluster", "8xH100", "--global-batch", "8", "--layout",
                "tp=3"));
        row("from and search", texts("--from", "none.trainscope", "--search"));
        // An option against the run's or the row's own words is refused, not ignored.
        row("from and recompute", texts("--from", "none.trainscope", "--recompute", "full"));
        row("from and precision", texts("--from", "none.trainscope", "--precision", "bf16"));
        row("from and calibrate", texts("--from", "none.trainscope", "--calibrate-run", "a"));
        row("table and power", texts("--table", "none.csv", "--power-limit", "400"));
        row("layers",
            texts("--model", "llama3-8b", "--cluster", "8xH100", "--global-batch", "8",
                "--recompute", "block:4abc"));
    }
    void whatIsRefused() {
        QFETCH(const QStringList, more);
        const auto ran = runCli(with({"predict"}, more));
        QCOMPARE(ran.status, 2);
        QVERIFY(!ran.err.empty());
    }
};

TRAINSCOPE_TEST(tst_Predict)
#include "tst_Predict.moc"
