// `predict --calibrate` by a run database, and by a table and a database together.

#include "core/predict/support/PlantedRuns.h"
#include "support/RunCli.h"
#include "support/TestProgram.h"

using namespace trainscope::test;

class tst_PredictCalibrate : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::string m_database;

    [[nodiscard]] std::vector<std::string> asked(const std::vector<std::string>& more) const {
        std::vector<std::string> arguments{"predict", "--model", "llama2-13b", "--cluster",
            "1x8xH100", "--layout", "tp=4", "--global-batch", "64", "--calibrate", m_database};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return arguments;
    }

private Q_SLOTS:
    void initTestCase() {
        m_database = pathIn(m_folder, "planted.trainscope");
        auto store = store::Store::openOrCreate(m_database);
        QVERIFY(store.hasValue());
        QVERIFY(writePlantedRuns(store.value()));
    }

    void theObject() {
        const auto ran = runCli(asked({"--json"}));
        QVERIFY2(ran.status == 0, ran.err.c_str());
        const auto json = ran.json();
        const auto& calibration = json["calibration"];
        QCOMPARE(calibration["rows"], 8);
        bool isFound = false;
        for (const auto& constant : calibration["constants"]) {
            QVERIFY(!constant["meaning"].get<std::string>().empty());
            if (constant["constant"] != "gemm_16" || constant["of"] != "H100 SXM5")
                continue;
            isFound = true;
            QVERIFY(std::abs(constant["factor"].get<double>() / kPlantedSpeed - 1.0) < 0.05);
            QVERIFY(constant["factor_low"].get<double>() < kPlantedSpeed);
            QVERIFY(constant["factor_high"].get<double>() > kPlantedSpeed);
        }
        QVERIFY(isFound);
        const auto& power = calibration["power"].at(0);
        QVERIFY(std::abs(power["idle_w"].get<double>() - kPlantedIdleW) < 4.0);
        QVERIFY(
            std::abs(power["resistance_c_per_w"].get<double>() / kPlantedResistance - 1.0) < 0.05);
        const auto& source = calibration["sources"]["measured runs"];
        QVERIFY(source["left_out_mape"].get<double>() < 0.02);
        QVERIFY(source["left_configuration_out_mape"].get<double>() < 0.02);
        QCOMPARE(calibration["runs"].size(), std::size_t{8});
        for (const auto& run : calibration["runs"]) {
            QVERIFY(std::abs(run["error"].get<double>()) < 0.02);
            QVERIFY(std::abs(run["power_error"].get<double>()) < 0.05);
            QCOMPARE(run["gpus"].size(), std::size_t{8});
        }
        const auto& row = json["rows"].at(0);
        VERIFY_SAYS(row["power_source"].get<std::string>(), "planted");
        for (const char* key : {"memory", "energy", "mean_power", "peak_power", "hottest"}) {
            const std::string unit = std::string(key) == "memory" ? "_b"
                : std::string(key) == "energy"                    ? "_j"
                : std::string(key) == "hottest"                   ? "_c"
                                                                  : "_w";
            const double value = row[key + unit].get<double>();
            QVERIFY(row[key + std::string("_low") + unit].get<double>() <= value);
            QVERIFY(row[key + std::string("_high") + unit].get<double>() >= value);
        }
    }

    void theText() {
        const auto ran = runCli(asked({}));
        QCOMPARE(ran.status, 0);
        for (const char* words :
            {"speed of large matrix products in 16 bits", "each predicted without itself",
                "Power and heat as measured", "Measured runs against their own calibration",
                "planted tp=8 2", "power and heat by what was measured of"})
            QVERIFY2(ran.out.find(words) != std::string::npos, words);
    }

    void oneRunOfIt() {
        const auto json
            = runCli(asked({"--calibrate-run", "planted tp=4 1", "--json"})).json()["calibration"];
        QCOMPARE(json["rows"], 1);
        QCOMPARE(json["runs"].size(), std::size_t{1});
        QCOMPARE(json["runs"][0]["run"], "planted tp=4 1");
    }

    void aTableBesides() {
        const std::string table = pathIn(m_folder, "t.csv");
        std::ofstream(table) << "source,gpu,n_gpus,model,seq_len,precision,tp,pp,micro_batch,"
                                "global_batch,step_time_s\n"
                                "mine,A100,8,llama3-8b,4096,bf16,2,1,1,32,11.0\n";
        const auto json = runCli(asked({"--calibrate", table, "--json"})).json()["calibration"];
        QCOMPARE(json["rows"], 9);
        QVERIFY(json["sources"].contains("mine"));
    }

    // Two sources: each is predicted from the other alone.
    void sourcesAreLeftOut() {
        const std::string table = pathIn(m_folder, "s.csv");
        std::ofstream(table) << "source,gpu,n_gpus,model,seq_len,precision,tp,pp,micro_batch,"
                                "global_batch,step_time_s\n"
                                "one,A100,8,llama3-8b,4096,bf16,2,1,1,32,4.9\n"
                                "two,A100,8,llama3-8b,4096,bf16,1,1,1,32,4.8\n";
        const auto rowsOf = [&](const char* groups) {
            return jsonOf(
                {"predict", "--table", table, "--calibrate", table, "--leave-out", groups})["rows"];
        };
        const auto left = rowsOf("sources");
        const auto all = jsonOf({"predict", "--table", table, "--calibrate", table})["rows"];
        QCOMPARE(left.size(), all.size());
        const auto shipped = jsonOf({"predict", "--table", table})["rows"];
        const auto offBy
            = [](const auto& row) { return std::abs(row["error"].template get<double>()); };
        for (std::size_t i = 0; i < left.size(); ++i) {
            // Both are slower than shipped: each tells of the other, and of itself most.
            QVERIFY(shipped[i]["error"].get<double>() < -0.1);
            QVERIFY(offBy(left[i]) < 0.5 * offBy(shipped[i]));
            QVERIFY(offBy(all[i]) < 0.5 * offBy(left[i]));
            // The error has what rows like it tell, that of constants has not.
            QVERIFY(left[i]["error"] != left[i]["error_by_constants"]);
            QVERIFY(shipped[i]["error"] == shipped[i]["error_by_constants"]);
        }
        QCOMPARE(rowsOf("tenths").size(), std::size_t{2});
        QVERIFY(runCli({"predict", "--table", table, "--leave-out", "sources"}).status == 2);
        QVERIFY(runCli({"predict", "--table", table, "--calibrate", table, "--leave-out", "halves"})
                    .status
            == 2);
        QVERIFY(runCli(asked({"--leave-out", "sources"})).status == 2);
    }

    void whatIsRefused() {
        QCOMPARE(runCli(asked({"--calibrate-run", "no such run"})).status, 2);
        QVERIFY(runCli({"predict", "--model", "llama3-8b", "--cluster", "8xH100", "--global-batch",
                           "8", "--calibrate-run", "x"})
                    .status
            != 0);
        QVERIFY(runCli(asked({"--calibrate", "/no/such/file"})).status != 0);
    }
};

TRAINSCOPE_TEST(tst_PredictCalibrate)
#include "tst_PredictCalibrate.moc"
