// The recording of a real H100: its time above the limit and the shares of its throttle reasons,
// against figures of an independent reading of its files.

#include "support/RunCli.h"
#include "support/TestFiles.h"
#include "support/TestProgram.h"

using namespace trainscope::test;

namespace {

// Without the other recordings of the same time that lie beside it.
bool copyExported(const std::string& from, const QString& to) {
    std::error_code problem;
    for (const auto& entry : std::filesystem::directory_iterator(from, problem)) {
        const auto name = entry.path().filename();
        if (name.string().ends_with(".csv.gz"))
            std::filesystem::copy_file(
                entry.path(), std::filesystem::path(to.toStdString()) / name, problem);
    }
    return !problem;
}

} // namespace

class tst_AboveLimit : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    QTemporaryDir m_recording;
    std::string m_database;

private Q_SLOTS:
    void initTestCase() {
        if (realFiles().empty())
            QSKIP("the real recordings are not beside the checkout: nothing was tested");
        QVERIFY(copyExported(realFiles() + "/data/h100_recording/training", m_recording.path()));
        m_database = pathIn(m_folder, "one.trainscope");
        QVERIFY(succeeds({"import", m_recording.path().toStdString(), "--into", m_database}));
        QVERIFY(succeeds({"cluster", m_database, "--gpu-model", "H100 SXM5"}));
    }

    void secondsShareAndHighest() {
        const auto run = jsonOf({"summary", m_database})["runs"][0];
        const auto& above = run["above_limit"];
        QCOMPARE(above["limit_w"], 700.0);
        QVERIFY(std::abs(above["seconds"].get<double>() - 15.904077115) < 1e-6);
        QVERIFY(std::abs(above["share"].get<double>() - 0.10415243778911702) < 1e-9);
        QCOMPARE(above["highest_w"], 888.667);
        QVERIFY(std::abs(above["energy_j"].get<double>() - 11713.703344424574) < 1e-3);
        QCOMPARE(run["gpus"][0]["above_limit"], above);
        const auto text = runCli({"summary", m_database}).out;
        VERIFY_SAYS(text, "15.9 s above 700 W");
    }

    void sharesOfReasons() {
        const auto metric
            = jsonOf({"summary", m_database})["runs"][0]["metrics"]["throttle_reasons"];
        for (const char* number : {"mean", "min", "max", "p50", "p99"})
            QVERIFY(!metric.contains(number));
        const std::map<std::string, double> truth{{"gpu_idle", 0.028552784742099675},
            {"sw_power_cap", 0.25144825081128175}, {"none", 0.7199989644466186}};
        QCOMPARE(metric["shares"].size(), truth.size());
        for (const auto& [name, share] : truth)
            QVERIFY(std::abs(metric["shares"][name].get<double>() - share) < 1e-9);
    }

    // Everywhere the share of the time in which the driver's flag says so; the clock lost is
    // another number.
    void throttledIsTheFlag() {
        constexpr double kFlag = 0.25144825081128175;
        constexpr double kLost = 2.2303269115606086 / 152.6999987;
        const auto run = jsonOf({"summary", m_database, "--detail"})["runs"][0];
        const auto& throttle = run["throttle"];
        QCOMPARE(throttle["basis"], "reasons");
        QVERIFY(std::abs(throttle["fraction"].get<double>() - kFlag) < 1e-9);
        QVERIFY(std::abs(run["gpus"][0]["throttle_fraction"].get<double>() - kFlag) < 1e-9);
        QVERIFY(std::abs(throttle["clock_lost_fraction"].get<double>() - kLost) < 1e-6);
        QVERIFY(std::abs(throttle["time_lost_s"].get<double>() - 2.2303269115606086) < 1e-6);
        double seconds = 0.0;
        for (const auto& one : throttle["episodes"]) {
            QCOMPARE(one["cause"], "power");
            seconds += one["duration_s"].get<double>();
        }
        QVERIFY(std::abs(seconds - kFlag * 152.6999987) < 1e-3);
        bool isFound = false;
        const auto told = jsonOf({"findings", m_database});
        for (const auto& one : told["findings"]) {
            if (one["rule"] != "throttling")
                continue;
            isFound = true;
            QVERIFY(std::abs(one["values"]["fraction"].get<double>() - kFlag) < 1e-9);
            QVERIFY(std::abs(one["values"]["lost_fraction"].get<double>() - kLost) < 1e-6);
        }
        QVERIFY(isFound);
    }

    void findings() {
        const auto told = jsonOf({"findings", m_database});
        bool isFound = false;
        for (const auto& one : told["findings"]) {
            if (one["rule"] != "above_power_limit")
                continue;
            isFound = true;
            QVERIFY(std::abs(one["values"]["seconds"].get<double>() - 15.904077115) < 1e-6);
            QVERIFY(one["evidence"]["end_ns"] > one["evidence"]["start_ns"]);
        }
        QVERIFY(isFound);
    }
};

TRAINSCOPE_TEST(tst_AboveLimit)
#include "tst_AboveLimit.moc"
