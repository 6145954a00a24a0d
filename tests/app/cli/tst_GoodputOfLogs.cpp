// The goodput of planted and of real logs, as `summary` and `overview` tell it.

#include "support/RunCli.h"
#include "support/TestFiles.h"
#include "support/TestProgram.h"

using namespace trainscope::test;

namespace {

bool isSeconds(const nlohmann::json& value, double expected) {
    if (value.is_number() && std::abs(value.get<double>() - expected) < 1e-6)
        return true;
    qWarning("%s instead of %g", value.dump().c_str(), expected);
    return false;
}

std::string stepLine(int end, int index) {
    return fmt::format(
        " [2026-01-01 00:00:{:02}] iteration {:8}/     100 | consumed samples: {:12} | "
        "elapsed time per iteration (ms): 1000.0 | learning rate: 1.0E-04 | global "
        "batch size:     8 | lm loss: 3.9{}E+00 | loss scale: 1.0 | grad norm: 1.0 |\n",
        end, index, 8 * index, index);
}

} // namespace

class tst_GoodputOfLogs : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    nlohmann::json summaryOf(const std::string& source) {
        static int count = 0;
        const std::string path
            = test::pathIn(m_folder, ("g" + std::to_string(++count) + ".trainscope").c_str());
        runCli({"import", source, "--into", path});
        return jsonOf({"summary", path})["runs"][0];
    }
    nlohmann::json real(const char* file) { return summaryOf(realFiles() + "/data/" + file); }
    static bool areThere() { return !realFiles().empty(); }

private Q_SLOTS:
    // Eight steps of 1 s: 10 s of validation behind the fourth, 5 s of saving behind the sixth, and
    // 3 s of which nothing is said behind the seventh.
    void namedPauses() {
        std::string log;
        for (int i = 1; i <= 4; ++i)
            log += stepLine(i, i);
        log += " validation loss at iteration 4 | lm loss value: 3.0E+00 | lm loss PPL: 2.0E+01 | "
               "\n";
        log += stepLine(15, 5) + stepLine(16, 6);
        log += "saving checkpoint at iteration       6 to /ckpt\n"
               "  successfully saved checkpoint at iteration       6 to /ckpt\n";
        log += stepLine(22, 7) + stepLine(26, 8);
        const std::string file = test::pathIn(m_folder, "train.log");
        QVERIFY(writeContent(file, QByteArray::fromStdString(log)));
        const auto goodput = summaryOf(file)["goodput"];
        QVERIFY(isSeconds(goodput["wall_s"], 26.0));
        QVERIFY(isSeconds(goodput["fraction"], 8.0 / 26.0));
        QVERIFY(isSeconds(goodput["parts_s"]["evaluation"], 10.0));
        QVERIFY(isSeconds(goodput["parts_s"]["checkpoint"], 5.0));
        QVERIFY(isSeconds(goodput["parts_s"]["idle"], 3.0));
        QCOMPARE(goodput["restarts"], 0);
    }

    // See the note of that folder: 9 s, 5 × 1 s, a restart of 286 s, 8 s, 3 × 1.1 s; 5 and 6 twice.
    void aRestart() {
        if (!areThere())
            QSKIP("the real logs are not beside the checkout: nothing was tested");
        const auto goodput
            = real("wild_small/24-restart-repeats-iterations/megatron.log")["goodput"];
        QVERIFY(isSeconds(goodput["wall_s"], 311.3));
        QVERIFY(isSeconds(goodput["parts_s"]["counted"], 8.3));
        QVERIFY(isSeconds(goodput["parts_s"]["startup"], 15.0));
        QVERIFY(isSeconds(goodput["parts_s"]["repeated"], 2.0));
        QVERIFY(isSeconds(goodput["parts_s"]["restart"], 286.0));
        QCOMPARE(goodput["restarts"], 1);
        QCOMPARE(goodput["steps_done_again"], 2);
    }

    // Two processes write each record; nothing starts again.
    void twoProcesses() {
        if (!areThere())
            QSKIP("the real logs are not beside the checkout: nothing was tested");
        const auto goodput
            = real("wild_small/76-two-processes-one-trainer-log/trainer_log.jsonl")["goodput"];
        QCOMPARE(goodput["steps_done_again"], 0);
        QVERIFY(goodput["fraction"].get<double>() > 0.99);
    }

    // Evaluations without a step; and a log whose times leave out its pauses.
    void nothingToTell() {
        if (!areThere())
            QSKIP("the real logs are not beside the checkout: nothing was tested");
        for (const char* file : {"wild_small/20-mllog-evaluations-only/result_0.txt",
                 "train_logs/nanochat_speedrun_d24.log"}) {
            const auto run = real(file);
            QVERIFY2(!run.contains("goodput"), file);
            QVERIFY2(!run["goodput_missing"].get<std::string>().empty(), file);
        }
    }

    // MLPerf marks its evaluations: three of them and the start of the run are no steps.
    void marksOfMlperf() {
        if (!areThere())
            QSKIP("the real logs are not beside the checkout: nothing was tested");
        const auto goodput
            = real("train_logs/mlperf_dell_64xH100_llama2_lora_result_0.txt")["goodput"];
        double sum = 0.0;
        for (const auto& [part, seconds] : goodput["parts_s"].items())
            sum += seconds.get<double>();
        QVERIFY(isSeconds(goodput["wall_s"], sum));
        QVERIFY(goodput["parts_s"]["evaluation"].get<double>() > 10.0);
        QVERIFY(goodput["fraction"].get<double>() < 0.6);
    }
};

TRAINSCOPE_TEST(tst_GoodputOfLogs)
#include "tst_GoodputOfLogs.moc"
