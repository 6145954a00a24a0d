// Logs of DeepSpeed's engine, LLaMA-Factory and MLPerf without losses; keys by words; restarts.

#include "importers/support/ImportAll.h"
#include "support/TestProgram.h"

#include <QtTest>

using namespace trainscope;
using namespace trainscope::test;
using namespace std::string_literals;

namespace {

using Values = std::vector<double>;

std::vector<double> ofRun(const ImportedAll& log, const std::string& metric) {
    return log.values(metric, {SubjectKind::Run, -1, -1, {}});
}

std::string mllog(std::int64_t ms, const std::string& key, const std::string& value) {
    return ":::MLLOG {\"namespace\": \"\", \"time_ms\": " + std::to_string(ms)
        + ", \"event_type\": \"POINT_IN_TIME\", \"key\": \"" + key + "\", \"value\": " + value
        + ", \"metadata\": {\"file\": \"x.py\", \"lineno\": 1}}" + "\n";
}

class tst_LogKinds : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void keysByWords_data() {
        QTest::addColumn<QByteArray>("key");
        for (const char* key : {"lm-loss", "LM loss", "lm_loss", "Lm  Loss", "lm loss"})
            QTest::newRow(key) << QByteArray(key);
    }
    void keysByWords() {
        QFETCH(QByteArray, key);
        std::string text;
        for (int i = 1; i <= 3; ++i)
            text += " iteration " + std::to_string(i) + "/ 100 | elapsed time per iteration (ms): "
                + "2000.0 | " + key.toStdString() + ": " + std::to_string(10 - i) + ".0 |\n";
        ImportedAll log;
        importFile("train.log", text, log);
        QCOMPARE(ofRun(log, "loss"), (Values{9, 8, 7}));
        QCOMPARE(log.sink.iterations.size(), std::size_t{3});
    }

    // Ten steps between two lines, 9 s apart: 0.9 s each.
    void deepSpeed() {
        std::string text;
        for (int i = 1; i <= 3; ++i) {
            const std::string at
                = "[2026-03-01 10:00:" + QString::asprintf("%02d", 9 * i).toStdString();
            text += at + ",000] [INFO] [logging.py:96:log_dist] [Rank 0] step="
                + std::to_string(10 * i) + ", skipped=" + std::to_string(i / 3 * 2)
                + ", lr=[1e-05, 2e-05], mom=[(0.9, 0.95), (0.9, 0.95)]\n" + at
                + ",001] [INFO] [timer.py:199:stop] epoch=0/micro_step=" + std::to_string(10 * i)
                + "/global_step=" + std::to_string(10 * i)
                + ", RunningAvgSamplesPerSec=71.0, CurrSamplesPerSec=71.11, MemAllocated=10.0GB, "
                  "MaxMemAllocated=20.0GB\n";
        }
        ImportedAll log;
        importFile("training.log", text, log);
        QCOMPARE(ofRun(log, "step_time"), (Values{0.9, 0.9}));
        QCOMPARE(ofRun(log, "sample_rate"), Values(3, 71.11));
        QCOMPARE(ofRun(log, "learning_rate"), Values(3, 1e-5));
        QCOMPARE(ofRun(log, "skipped_steps"), (Values{0, 0, 2}));
    }

    // The process starts again behind 102: its elapsed time does, and its throughput is wrong.
    void llamaFactory() {
        std::string text;
        const auto row = [](int step, const char* elapsed, const char* throughput) {
            return "{\"current_steps\": " + std::to_string(step)
                + ", \"total_steps\": 200, \"loss\": 2.0, \"lr\": 0.0001, \"elapsed_time\": \""
                + elapsed + "\", \"remaining_time\": \"0:16:40\", \"throughput\": " + throughput
                + ", \"total_tokens\": " + std::to_string(step * 10'000) + "}\n";
        };
        ImportedAll log;
        importFile("trainer_log.jsonl",
            row(100, "0:10:00", "1666.0") + row(101, "0:10:10", "1655.0")
                + row(102, "0:10:20", "1645.0") + row(103, "0:00:10", "103000.0")
                + row(104, "0:00:20", "52000.0"),
            log);
        QCOMPARE(ofRun(log, "step_time"), Values(4, 10.0)); // the first line's is not known
        QCOMPARE(ofRun(log, "token_rate"), Values(4, 1000.0));
        QCOMPARE(log.reports.at(0).value().rows, std::int64_t{5});
        QCOMPARE(log.reports.at(0).value().counts.at("restarts"), std::int64_t{1});
    }

    // Without a loss: 60 s from run_start to run_stop, and what the evaluations say.
    void mlperfWithoutLosses() {
        constexpr std::int64_t kStart = 1'772'359'201'000;
        ImportedAll log;
        importFile("result_0.txt",
            mllog(kStart - 1000, "submission_benchmark", "\"bert\"")
                + mllog(kStart - 1000, "global_batch_size", "64")
                + mllog(kStart, "run_start", "null")
                + mllog(kStart + 20'000, "eval_accuracy", "0.6")
                + mllog(kStart + 40'000, "eval_accuracy", "0.7")
                + mllog(kStart + 60'000, "run_stop", "null"),
            log);
        QCOMPARE(ofRun(log, "eval_accuracy"), (Values{0.6, 0.7}));
        QCOMPARE(log.sink.tracks.size(), std::size_t{1});
        const Span& run = log.sink.tracks.front().spans.at(0);
        QCOMPARE(log.sink.name(run.name), "run"s);
        QCOMPARE(run.start.ns, kStart * 1'000'000);
        QCOMPARE(run.duration.seconds(), 60.0);
        QCOMPARE(log.sink.runs.at(0).launch.globalBatch.value_or(0), 64);
    }

    // One event of each of many ranks before the first iteration.
    void logThatBeginsLate() {
        std::string text;
        for (int rank = 0; rank < 12'000; ++rank)
            text += mllog(1'772'359'200'000, "init_of_rank", std::to_string(rank));
        text += mllog(1'772'359'201'000, "run_start", "null");
        for (int i = 1; i <= 1000; ++i)
            text += ":::MLLOG {\"time_ms\": " + std::to_string(1'772'359'201'000 + i * 1000)
                + ", \"key\": \"train_loss\", \"value\": 2.0, \"metadata\": {\"step\": "
                + std::to_string(i) + "}}\n";
        ImportedAll log;
        importFile("result_0.txt", text, log);
        QCOMPARE(log.sink.iterations.size(), std::size_t{1000});
    }

    // Iterations 2 and 3 come again; those done before took 1 s each.
    void doneTwice() {
        std::string text;
        const auto row = [](int second, int index, double ms) {
            return QString::asprintf(" [2026-01-01 00:%02d:%02d] iteration %d/ 100 | elapsed time "
                                     "per iteration (ms): %.1f | lm loss: 2.0 |\n",
                second / 60, second % 60, index, ms)
                .toStdString();
        };
        text = row(9, 1, 9000) + row(10, 2, 1000) + row(11, 3, 1000) + row(308, 2, 8000)
            + row(309, 3, 1000) + row(310, 4, 1000);
        ImportedAll log;
        importFile("train.log", text, log);
        QVERIFY2(log.warnings().find("2 iterations are done twice, and 2.0 s of work were lost")
                != std::string::npos,
            log.warnings().c_str());
        std::vector<bool> warm;
        for (const auto& [run, iteration] : log.sink.iterations)
            warm.push_back(iteration.warmup);
        // The first one of the log is judged with all others; that of the second process is marked.
        QCOMPARE(warm, (std::vector<bool>{false, false, false, true, false, false}));
        QCOMPARE(log.reports.at(0).value().counts.at("iterations done twice"), std::int64_t{2});
    }
};

} // namespace

TRAINSCOPE_TEST(tst_LogKinds)
#include "tst_LogKinds.moc"
