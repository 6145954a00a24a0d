// `predict` of one job and of a table, and a prediction as a run of a database.

#include "support/RunCli.h"
#include "support/TestProgram.h"

using namespace trainscope::test;

namespace {

const std::vector<std::string> kJob{"predict", "--model", "llama3-8b", "--cluster", "2x8xH200",
    "--layout", "tp=2,pp=2", "--micro-batch", "2", "--global-batch", "64", "--seq-len", "4096"};

using Words = std::vector<std::string>;

Words with(Words arguments, const Words& more) {
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

const std::string kTableHead = "source,gpu,n_gpus,model,seq_len,precision,tp,pp,micro_batch,"
                               "global_batch,step_time_s";

} // namespace

class tst_Predict : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() {
        m_folder = std::make_unique<QTemporaryDir>();
        m_database = pathIn(*m_folder, "p.trainscope");
        m_table = pathIn(*m_folder, "t.csv");
    }
    void theObject() {
        const auto row = rowOf(kJob);
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
        QCOMPARE(row["oom"], false);
        QVERIFY(row["peak_power_w"].get<double>() <= 700.0);
    }

    void lessPowerIsSlower() {
        const auto usual = rowOf(kJob);
        const auto capped = rowOf(with(kJob, {"--power-limit", "400"}));
        QVERIFY(capped["step_time_s"].get<double>() > 1.05 * usual["step_time_s"].get<double>());
        QVERIFY(capped["peak_power_w"].get<double>() <= 401.0);
        QVERIFY(capped["energy_j"].get<double>() < usual["energy_j"].get<double>());
    }

    void aTable() {
        std::ofstream(m_table) << kTableHead
                               << "\nmine,H100,8,llama3-8b,4096,bf16,2,1,1,32,5.0\n"
                                  "mine,H100,8,llama3-8b,4096,bf16,2,1,,32,5.0\n";
        const auto json = jsonOf({"predict", "--table", m_table});
        QCOMPARE(json["rows"].size(), std::size_t{2});
        QCOMPARE(json["rows"][1]["unsupported"], "The row does not say micro_batch.");
        const double seconds = json["rows"][0]["step_time_s"].get<double>();
        QCOMPARE(json["mape"]["step_time_s"].get<double>(), std::abs(seconds / 5.0 - 1.0));
        QVERIFY(!json["mape"].contains("tokens_per_s_per_gpu"));
    }

    // A step time that is not above 0 was not measured: it is no error of 100 % and more, and the
    // rows beside it are predicted from each other as without it.
    void rowsOfATableWithoutTime() {
        std::ofstream(m_table) << kTableHead
                               << ",tokens_per_s_per_gpu\n"
                                  "mine,H100,8,llama3-8b,4096,bf16,2,1,1,32,2.0,\n"
                                  "mine,H100,8,llama3-8b,4096,bf16,2,1,2,32,0,\n"
                                  "mine,H100,8,llama3-8b,4096,bf16,4,1,2,32,,-5\n";
        const auto json = jsonOf({"predict", "--table", m_table, "--calibrate", m_table});
        for (const auto& row : json["rows"])
            QVERIFY(row["step_time_s"].get<double>() > 0.0);
        const double seconds = json["rows"][0]["step_time_s"].get<double>();
        QCOMPARE(json["mape"]["step_time_s"].get<double>(), std::abs(seconds / 2.0 - 1.0));
        QVERIFY(!json["mape"].contains("tokens_per_s_per_gpu"));
        QVERIFY(!json["rows"][1].contains("measured_step_time_s"));
    }

    void aRunOfTheDatabase() {
        const auto kept = with(kJob, {"--into", m_database, "--name", "mine"});
        const double seconds = rowOf(kept)["step_time_s"].get<double>();
        const auto summary = jsonOf({"summary", m_database, "--detail"});
        QCOMPARE(summary["runs"].size(), std::size_t{1});
        const auto& run = summary["runs"][0];
        QCOMPARE(run["name"], "mine");
        QCOMPARE(run["kind"], "predicted");
        QCOMPARE(run["gpu_count"], 16);
        QVERIFY(std::abs(run["iterations"][1]["duration_s"].get<double>() - seconds) < 1e-6);
        QVERIFY(run["metrics"]["gpu_power"]["max"].get<double>() <= 701.0);
        // The kernels of a stage add up to what the step is busy.
        const auto kernels = jsonOf({"kernels", m_database});
        QCOMPARE(kernels["ranks"].size(), std::size_t{2});
        QVERIFY(kernels["ranks"][0]["busy_us"].get<double>() < 1e6 * seconds);
        // Predicted again, it replaces itself.
        QVERIFY(succeeds(kept));
        QCOMPARE(jsonOf({"info", m_database})["runs"].size(), std::size_t{1});
    }

    // A run as it was launched, and what another layout would have cost.
    void theJobOfARun() {
        QVERIFY(succeeds(with(kJob, {"--into", m_database})));
        const auto plain = rowOf(kJob)["step_time_s"];
        const auto own = jsonOf({"predict", "--from", m_database});
        QCOMPARE(own["rows"].size(), std::size_t{1});
        QCOMPARE(own["rows"][0]["name"], "as launched");
        QCOMPARE(own["rows"][0]["step_time_s"], plain);
        QVERIFY(!own.contains("measured_step_time_s")); // it is a prediction itself
        const Words other{"predict", "--from", m_database, "--layout", "tp=8"};
        const auto changed = jsonOf(other)["rows"];
        QCOMPARE(changed.size(), std::size_t{2});
        QCOMPARE(changed[0]["step_time_s"], plain);
        auto byHand = kJob;
        std::replace(byHand.begin(), byHand.end(), std::string("tp=2,pp=2"), std::string("tp=8"));
        QCOMPARE(changed[1]["step_time_s"], rowOf(byHand)["step_time_s"]);
        const auto text = runCli(other).out;
        VERIFY_SAYS(text, "as launched");
        VERIFY_SAYS(text, "TP 8");
    }

    // A prediction takes no more of a predicted run than the run says of its job.
    void theJobOfAPredictedRun_data() {
        const auto row = columns<Words>("more");
        row("schedule", Words{"--layout", "tp=2,pp=2,schedule=zero-bubble"});
        row("hybrid sharding", Words{"--layout", "fsdp,shard=4"});
        const Words layout{"--layout", "tp=2,pp=2"};
        row("some layers again", with(layout, {"--recompute", "block:4"}));
        row("adapters", with(layout, {"--workload", "lora", "--adapters", "8:qkv+out"}));
        row("power", with(layout, {"--power-limit", "400"}));
        row("clock", with(layout, {"--clock", "1200"}));
    }
    void theJobOfAPredictedRun() {
        QFETCH(const Words, more);
        const auto made = rowOf(
            with({"predict", "--model", "llama3-8b", "--cluster", "2x8xH200", "--micro-batch", "2",
                     "--global-batch", "64", "--seq-len", "4096", "--into", m_database},
                more));
        const auto own = rowOf({"predict", "--from", m_database});
        for (const char* key : {"step_time_s", "energy_j", "memory"})
            QVERIFY2(own[key] == made[key], key);
    }

    void whatIsRefused_data() {
        const auto row = columns<Words>("more");
        const Words model{"--model", "llama3-8b", "--global-batch", "8", "--cluster"};
        row("nothing", Words{});
        row("model", Words{"--model", "x", "--cluster", "8xH100", "--global-batch", "8"});
        row("cluster", with(model, {"8xK80"}));
        row("layout", with(model, {"8xH100", "--layout", "tp=3"}));
        row("layers", with(model, {"8xH100", "--recompute", "block:4abc"}));
        row("from and search", Words{"--from", "none.trainscope", "--search"});
        // An option against the run's or the row's own words is refused, not ignored.
        row("from and recompute", Words{"--from", "none.trainscope", "--recompute", "full"});
        row("from and precision", Words{"--from", "none.trainscope", "--precision", "bf16"});
        row("from and calibrate", Words{"--from", "none.trainscope", "--calibrate-run", "a"});
        row("table and power", Words{"--table", "none.csv", "--power-limit", "400"});
    }
    void whatIsRefused() {
        QFETCH(const Words, more);
        const auto ran = runCli(with({"predict"}, more));
        QCOMPARE(ran.status, 2);
        QVERIFY(!ran.err.empty());
    }

private:
    static nlohmann::json rowOf(const Words& arguments) { return jsonOf(arguments)["rows"].at(0); }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::string m_database;
    std::string m_table;
};

TRAINSCOPE_TEST(tst_Predict)
#include "tst_Predict.moc"
