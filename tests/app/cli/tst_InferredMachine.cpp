// The machine of a real log that names no GPU: eight H100 whose positions 1, 2, 5 and 6 are hot,
// held back by a power cap.

#include "support/RunCli.h"
#include "support/TestFiles.h"
#include "support/TestProgram.h"

using namespace trainscope::test;

class tst_InferredMachine : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::string m_database;

    [[nodiscard]] nlohmann::json detail() const {
        return jsonOf({"summary", m_database, "--detail"})["runs"][0];
    }
    [[nodiscard]] nlohmann::json cluster(const std::vector<std::string>& options = {}) const {
        std::vector<std::string> command{"cluster", m_database, "--json"};
        command.insert(command.end(), options.begin(), options.end());
        return runCli(command).json()["runs"][0];
    }

private Q_SLOTS:
    void initTestCase() {
        if (realFiles().empty())
            QSKIP("the real recordings are not beside the checkout: nothing was tested");
        m_database = pathIn(m_folder, "one.trainscope");
        QVERIFY(
            succeeds({"import", realFiles() + "/data/nvidia_smi/pgolf_8xH100_019b_diag_nvsmi.csv",
                "--into", m_database}));
    }

    // Mean temperatures of the busy samples, by an independent reading of the file: 46.6, 54.8,
    // 57.0, 48.4, 46.0, 56.3, 54.4 and 48.0 °C.
    void hotPositions() {
        const auto run = detail();
        QCOMPARE(run["airflow"]["origin"], "inferred");
        QCOMPARE(run["airflow"]["order"], nlohmann::json({0, 3, 4, 7, 1, 2, 5, 6}));
        const double gradient = run["front_rear_gradient_c"];
        QVERIFY2(gradient > 5.0 && gradient < 8.5, std::to_string(gradient).c_str());
        QCOMPARE(cluster()["airflow_origin"], "inferred");
    }

    void powerCap() {
        const auto throttle = detail()["throttle"];
        QCOMPARE(throttle["power_limit_origin"], "inferred");
        QVERIFY(std::abs(throttle["power_limit_w"].get<double>() - 700.0) < 14.0);
        double all = 0.0;
        for (const auto& cause : throttle["causes"])
            all += cause["gpu_seconds"].get<double>();
        QVERIFY(throttle["causes"]["power"]["gpu_seconds"].get<double>() > 0.9 * all);
        QVERIFY(!throttle["causes"].contains("thermal"));
        QVERIFY(throttle["inferred_gpu_seconds"].get<double>() > 0.9 * all);
        const auto told = jsonOf({"findings", m_database});
        for (const auto& one : told["findings"]) {
            if (one["rule"] == "throttling")
                VERIFY_SAYS(one["text"].get<std::string>(), "for power reasons (inferred)");
        }
    }

    void modelAndWhatIsSaidOfIt() {
        QCOMPARE(cluster()["gpu_model"], "H100 SXM5 (inferred)");
        QCOMPARE(cluster()["gpu_model_inferred"], true);
        const auto info = jsonOf({"info", m_database})["runs"][0];
        QVERIFY(!info.contains("gpu_model"));
        const auto said = cluster({"--gpu-model", "H200"});
        QCOMPARE(said["gpu_model"], "H200");
        QCOMPARE(said["gpu_model_inferred"], false);
        // Other facts of the machine leave it.
        QCOMPARE(cluster({"--nodes-per-rack", "4"})["gpu_model"], "H200");
        QCOMPARE(cluster({"--reset"})["gpu_model"], "H100 SXM5 (inferred)");
    }

    // The folder's name says H100. A board of which 20,148 MiB are free and
    // used is none, one of 81,200 MiB may be.
    void boardOfAnotherSize_data() {
        const auto row = columns<int, bool>("freeMiB", "isInferred");
        row("20 GB", 20'146, false);
        row("80 GB", 81'198, true);
    }
    void boardOfAnotherSize() {
        QFETCH(int, freeMiB);
        QFETCH(bool, isInferred);
        QTemporaryDir folder;
        const std::string path = folder.path().toStdString();
        std::filesystem::create_directory(path + "/h100");
        std::string log
            = "timestamp, index, power.draw [W], memory.used [MiB], memory.free [MiB]\n";
        for (int i = 0; i < 30; ++i)
            log += "2026/04/25 16:06:" + std::to_string(10 + i) + ".000, 0, 60.00 W, "
                + std::to_string(2 + i) + " MiB, " + std::to_string(freeMiB - i) + " MiB\n";
        std::ofstream(path + "/h100/gpu.csv") << log;
        const std::string database = path + "/one.trainscope";
        const auto imported = runCli({"import", path, "--into", database});
        const auto info = runCli({"info", database}).out;
        QVERIFY2((info.find("H100 SXM5 (inferred)") != std::string::npos) == isInferred,
            (imported.out + imported.err + info).c_str());
    }
};

TRAINSCOPE_TEST(tst_InferredMachine)
#include "tst_InferredMachine.moc"
