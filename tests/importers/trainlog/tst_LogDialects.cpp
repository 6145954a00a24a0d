// Lines of each framework as its sources print them, what launchers put before them, and times; and
// a log that breaks off.

#include "importers/support/BrokenTree.h"
#include "importers/trainlog/Import.h"
#include "support/TestProgram.h"

using namespace trainscope::test;

namespace {

std::string megatron(int index, double milliseconds, double loss, const std::string& before = {}) {
    return before + " iteration " + std::to_string(index) + "/ 1000 | consumed samples: "
        + std::to_string(index * 256) + " | elapsed time per iteration (ms): "
        + std::to_string(milliseconds) + " | throughput per GPU (TFLOP/s/GPU): 478.0 |"
        + " learning rate: 1.5E-04 | global batch size:   256 | lm loss: " + std::to_string(loss)
        + " | loss scale: 1.0 | grad norm: 0.532 | number of skipped iterations:   0 |\n";
}

const ImportReport& onlyReport(const ImportedTraining& log) {
    return log.reports.at(0).value();
}

} // namespace

class tst_LogDialects : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void megatronWithStamps();
    void prefixes_data();
    void prefixes();
    void otherRanks();
    void otherRanksWhereTheFirstIsAbsent();
    void firstRankFromThereOn();
    void restart();
    void nemo();
    void stepsBeyondCounting();
    void lightningBars();
    void nanoGpt();
    void moddedNanoGpt();
    void llmC();
    void huggingFace();
    void trainerState();
    void jsonLines();
    void jsonLineTimes_data();
    void jsonLineTimes();
    void jsonLinesOfRanks();
    void shareOfPeak();
    void infiniteValues();
    void timeGoesBack();
    void scripts_data();
    void scripts();
    void epochsOfScripts();
    void hybridEngine();
    void lookAlikes();
    void nothingUsable();
    void longLines();
    void brokenStream();
    void anyLineEnds();
    void cancelled();
    void failingSink();
};

// Whole seconds do not blur iterations of 300 ms, of which 20 are 6 s; the first and the last
// end within their second.
void tst_LogDialects::megatronWithStamps() {
    std::string text;
    for (int i = 1; i <= 20; ++i) {
        const int second = 10 + 3 * i / 10; // each ends at 10.05 s and 0.3 s more
        text += megatron(
            i, 300.0, 10.0 - 0.1 * i, " [2024-10-24 16:30:" + std::to_string(second) + "]");
    }
    const ImportedTraining log(text);
    QVERIFY(log.units.at(0).clock == importers::ClockKind::Local);
    QCOMPARE(log.sink.iterations.size(), std::size_t{20});
    const auto& iterations = log.sink.iterations;
    QVERIFY(isNear(median(log.seconds()), 0.3, 1e-6));
    const double all
        = (iterations.back().second.range.end - iterations.front().second.range.begin).seconds();
    QVERIFY2(all >= 5.7 && all <= 7.0, qPrintable(QString::number(all)));
    QVERIFY(isNear(log.values("reported_flops").front(), 478e12, 1e-9));
    QCOMPARE(log.values("grad_norm").front(), 0.532);
    QVERIFY(isNear(log.values("sample_rate").front(), 256 / 0.3, 1e-6));
    QCOMPARE(log.values("consumed_samples").back(), 5120.0);
}

void tst_LogDialects::prefixes_data() {
    const auto row = columns<QString>("prefix");
    for (const char* prefix : {"", "   1: ", "1: ", "[default0]:", "[rank0]: ", "[rank3]:",
             "nid008276: ", "gpu-node-17: ", "(train_fn pid=123, ip=10.0.0.1) ",
             "[default7]: [2024-10-24 16:30:14] ", "2026-05-19 19:51:11,322 - root - INFO - ",
             "[NeMo I 2024-10-24 16:30:14 module:12] ", "\x1b[32m", "   "})
        row(prefix, QString::fromLatin1(prefix));
}

void tst_LogDialects::prefixes() {
    QFETCH(QString, prefix);
    const ImportedTraining log(megatron(1, 500.0, 9.0, prefix.toStdString())
        + megatron(2, 500.0, 8.0, prefix.toStdString()));
    QCOMPARE(log.units.size(), std::size_t{1});
    QCOMPARE(log.sink.iterations.size(), std::size_t{2});
    QCOMPARE(log.values("loss"), (std::vector<double>{9.0, 8.0}));
}

void tst_LogDialects::otherRanks() {
    std::string text;
    for (int i = 1; i <= 4; ++i) {
        for (const char* rank : {"0: ", "1: ", "2: "})
            text += megatron(i, 500.0, i, rank);
    }
    const ImportedTraining log(text);
    QCOMPARE(log.sink.iterations.size(), std::size_t{4});
    QCOMPARE(onlyReport(log).counts.at("lines of other ranks"), std::int64_t{8});
    VERIFY_SAYS(onlyReport(log).facts.at("ranks"), "8 lines of 2 other ranks");
}

// Rank 0 tells of 1, 2, 4 and 5, rank 1 of 2 to 7.
void tst_LogDialects::otherRanksWhereTheFirstIsAbsent() {
    std::string text = megatron(1, 500.0, 1.0, "0: ");
    for (int i = 2; i <= 7; ++i) {
        text += megatron(i, 250.0, 100.0 + i, "1: ");
        if (i != 3 && i < 6)
            text += megatron(i, 500.0, i, "0: ");
    }
    const ImportedTraining log(text);
    QCOMPARE(log.values("loss"), (std::vector<double>{1.0, 2.0, 103.0, 4.0, 5.0, 106.0, 107.0}));
    QCOMPARE(log.sink.iterations.size(), std::size_t{7});
    QVERIFY(isNear(sum(log.seconds()), 4 * 0.5 + 3 * 0.25, 1e-9));
    QCOMPARE(onlyReport(log).counts.at("iterations of other ranks"), std::int64_t{3});
    QCOMPARE(onlyReport(log).counts.at("lines of other ranks"), std::int64_t{3});
}

void tst_LogDialects::firstRankFromThereOn() {
    const ImportedTraining log(megatron(1, 500.0, 9.0, "[rank3]: ")
        + megatron(1, 500.0, 1.0, "[rank0]: ") + megatron(2, 500.0, 9.0, "[rank3]: ")
        + megatron(2, 500.0, 2.0, "[rank0]: "));
    QCOMPARE(log.values("loss"), (std::vector<double>{9.0, 2.0}));
    QVERIFY(onlyReport(log).facts.at("ranks").starts_with("read from \"rank0\""));
}

void tst_LogDialects::restart() {
    const ImportedTraining log(megatron(1, 500.0, 3) + megatron(2, 500.0, 2) + megatron(2, 500.0, 2)
        + megatron(1, 500.0, 3) + megatron(2, 500.0, 2));
    QCOMPARE(log.sink.iterations.size(), std::size_t{4});
    QCOMPARE(onlyReport(log).counts.at("restarts"), std::int64_t{1});
    QCOMPARE(onlyReport(log).counts.at("iterations said twice"), std::int64_t{1});
    QVERIFY(isNear(sum(log.seconds()), 2.0, 1e-9));
}

void tst_LogDialects::nemo() {
    const ImportedTraining log(
        "Training epoch 0, iteration 0/99 | lr: 0 | global_batch_size: 512 | global_step: 0 | "
        "reduced_train_loss: 11.03 | train_step_timing in s: 40.5\n"
        "Training epoch 0, iteration 1/99 | lr: 2.9e-06 | global_batch_size: 512 | "
        "global_step: 1 "
        "| reduced_train_loss: 11.02 | train_step_timing in s: 10.25 | consumed_samples: "
        "1024\n");
    QCOMPARE(log.values("loss"), (std::vector<double>{11.03, 11.02}));
    QCOMPARE(log.seconds(), (std::vector<double>{40.5, 10.25}));
    QVERIFY(isNear(log.values("sample_rate").back(), 512 / 10.25, 1e-9));
}

// The number of the line holds where "global_step" is none that an integer holds.
void tst_LogDialects::stepsBeyondCounting() {
    for (const std::string wrong : {"1e30", "-1e30", "nan", "inf"}) {
        const ImportedTraining log(
            "Training epoch 0, iteration 7/99 | lr: 0 | global_step: " + wrong
            + " | reduced_train_loss: 11.03 | train_step_timing in s: 40.5\n"
              "Training epoch 0, iteration 8/99 | lr: 2.9e-06 | global_step: "
            + wrong + " | reduced_train_loss: 11.02 | train_step_timing in s: 10.25\n");
        QCOMPARE(log.sink.iterations.size(), std::size_t{2});
        QCOMPARE(log.sink.iterations[0].second.index, std::int64_t{7});
        QCOMPARE(log.sink.iterations[1].second.index, std::int64_t{8});
    }
}

void tst_LogDialects::lightningBars() {
    std::string text = "GPU available: True\n";
    for (int i = 1; i <= 5; ++i) {
        const std::string second = "0" + std::to_string(2 * i);
        for (int again = 0; again < 2; ++again)
            text += "Epoch 0:  " + std::to_string(i) + "%|\xe2\x96\x8d  | " + std::to_string(i)
                + "/100 [00:" + second
                + "<03:20, 0.50it/s, v_num=0, reduced_train_loss=" + std::to_string(11 - i)
                + ".5, global_step=" + std::to_string(i) + ".0, train_step_timing in s=2.000]\r";
    }
    const ImportedTraining log(text);
    QCOMPARE(log.sink.iterations.size(), std::size_t{5});
    QCOMPARE(log.values("loss"), (std::vector<double>{10.5, 9.5, 8.5, 7.5, 6.5}));
    QCOMPARE(median(log.seconds()), 2.0);
}

void tst_LogDialects::nanoGpt() {
    const ImportedTraining log("tokens per iteration will be: 491,520\n"
                               "step 0: train loss 10.9897, val loss 10.9871\n"
                               "iter 0: loss 10.9886, time 52000.10ms, mfu -100.00%\n"
                               "iter 10: loss 9.5, time 500.00ms, mfu 35.50%\n"
                               "iter 20: loss 8.5, time 500.00ms, mfu 36.00%\n");
    QCOMPARE(log.sink.iterations.size(), std::size_t{21});
    QCOMPARE(median(log.seconds()), 0.5);
    QVERIFY(isNear(log.values("token_rate").back(), 491520 / 0.5, 1e-9));
    QVERIFY(isNear(log.values("reported_mfu").back(), 0.36, 1e-9));
}

void tst_LogDialects::moddedNanoGpt() {
    const ImportedTraining log("import os\nprint(f\"step:{step}/{n} train_time:{t}ms\")\n"
                               "step:0/1750 val_loss:10.8258 train_time:0ms step_avg:nanms\n"
                               "step:1/1750 train_time:123ms step_avg:123.40ms\n"
                               "step:2/1750 train_time:223ms step_avg:111.50ms\n"
                               "step:3/1750 train_time:323ms step_avg:107.60ms\n"
                               "step:3/1750 val_loss:7.5 train_time:323ms step_avg:107.60ms\n");
    QCOMPARE(log.sink.iterations.size(), std::size_t{3});
    QVERIFY(isNear(median(log.seconds()), 0.1, 1e-6));
    QCOMPARE(log.values("val_loss").back(), 7.5);
}

void tst_LogDialects::llmC() {
    const ImportedTraining log(
        "step    1/19560 | loss 11.009462 (+nanz)| norm 15.4082 (+nanz)| lr "
        "8.57e-07 | 1500.50 ms "
        "| 47.5% bf16 MFU | 349400 tok/s\n"
        "step    2/19560 | loss 10.9 (-1.2z)| norm 15.3 (+0.1z)| lr 1.71e-06 | "
        "1400.00 ms | 48.4% "
        "bf16 MFU | 374491 tok/s\n");
    QCOMPARE(log.values("loss"), (std::vector<double>{11.009462, 10.9}));
    QCOMPARE(log.values("grad_norm").back(), 15.3);
    QCOMPARE(log.values("token_rate").back(), 374491.0);
    QVERIFY(isNear(log.values("reported_mfu").back(), 0.484, 1e-9));
    QVERIFY(isNear(log.seconds().back(), 1.4, 1e-9));
}

void tst_LogDialects::huggingFace() {
    std::string text = "***** Running training *****\n";
    for (int i = 10; i <= 30; i += 10) {
        text += " " + std::to_string(i / 10) + "%|#     | " + std::to_string(i)
            + "/1000 [00:" + std::to_string(i) + "<16:30,  1.00s/it]\r";
        text += "{'loss': " + std::to_string(4 - i / 10)
            + ".5, 'grad_norm': 1.25, 'learning_rate': 5e-05, 'epoch': 0.1}\n";
    }
    const ImportedTraining log(text);
    QCOMPARE(log.values("loss"), (std::vector<double>{3.5, 2.5, 1.5}));
    QCOMPARE(log.values("grad_norm").front(), 1.25);
    QVERIFY(isNear(median(log.seconds()), 1.0, 1e-6));
    QCOMPARE(log.sink.iterations.back().second.index, std::int64_t{30});
}

void tst_LogDialects::trainerState() {
    const ImportedTraining log(*importers::memoryTree({{"trainer_state.json",
        "{\n  \"best_metric\": null,\n  \"log_history\": [\n    {\n      \"epoch\": "
        "0.1,\n      \"grad_norm\": 1.5,\n      \"loss\": 2.5,\n      \"step\": 10\n "
        "   },\n    {\n      \"epoch\": 0.2,\n      \"grad_norm\": 1.25,\n      "
        "\"loss\": 2.25,\n      \"step\": 20\n    }\n  ]\n}\n"}}));
    QCOMPARE(log.units.size(), std::size_t{1});
    QCOMPARE(log.values("loss"), (std::vector<double>{2.5, 2.25}));
    QVERIFY(log.sink.iterations.empty()); // it says nothing of time
    QVERIFY(log.values("step_time").empty());
}

// Stamps in unix time 2.5 s apart; a validation is no iteration, and what the program was
// started with stands before.
void tst_LogDialects::jsonLines() {
    const ImportedTraining log(
        R"({"config": {"hidden_size": 4096, "micro_batch_size": 2, "name": "a \"b\""}}
{"step": 1, "loss": 3.5, "lr": 1e-4, "grad_norm": 1.5, "tokens_per_second": 4000, "timestamp": 1760000000.5}
{"step": 2, "loss": "3.25", "lr": 2e-4, "grad_norm": NaN, "tokens_per_second": 4100, "timestamp": 1760000003}
{"step": 2, "val_loss": 3.75, "timestamp": 1760000003}
{"step": 3, "train/loss": 3.0, "train/lr": 3e-4, "perf": {"tokens_per_second": 4200, "peak_gib": 70}, "timestamp": 1760000005.5, "note": null}
{"step": 4, "loss": 2.7)");
    QVERIFY(log.units.at(0).clock == importers::ClockKind::Utc);
    QCOMPARE(log.values("loss"), (std::vector<double>{3.5, 3.25, 3.0}));
    QCOMPARE(log.values("val_loss"), (std::vector<double>{3.75}));
    QCOMPARE(log.values("token_rate"), (std::vector<double>{4000.0, 4100.0, 4200.0}));
    QCOMPARE(log.values("learning_rate"), (std::vector<double>{1e-4, 2e-4, 3e-4}));
    QCOMPARE(log.values("peak_gib"), (std::vector<double>{70.0}));
    QCOMPARE(log.seconds(), (std::vector<double>{2.5, 2.5})); // the first has no begin
    QCOMPARE(
        log.sink.iterations.back().second.range.end.ns, std::int64_t{1'760'000'005'500'000'000});
    QCOMPARE(log.sink.runs.back().launch.microBatch, std::optional(2));
}

void tst_LogDialects::jsonLineTimes_data() {
    const auto row = columns<QString, QList<double>>("key", "times");
    row("since the start", "time", QList<double>{1.5, 3.0, 4.5, 6.0});
    row("of each", "time", QList<double>{1.5, 1.5, 1.5, 1.5});
    row("of each, under its own name", "step_time", QList<double>{1.5, 1.5, 1.5, 1.5});
    row("ms", "step_time_ms", QList<double>{1500, 1500, 1500, 1500});
    row("elapsed", "elapsed", QList<double>{1.5, 3.0, 4.5, 6.0});
    row("ms of unix time", "timestamp",
        QList<double>{1.76e12, 1.76e12 + 1500, 1.76e12 + 3000, 1.76e12 + 4500});
}

void tst_LogDialects::jsonLineTimes() {
    QFETCH(QString, key);
    QFETCH(QList<double>, times);
    std::string text;
    for (int i = 0; i < 4; ++i)
        text += QStringLiteral("{\"%1\": %2, \"iter\": %3, \"loss\": 2.5}\n")
                    .arg(key)
                    .arg(times[i], 0, 'f', 1)
                    .arg(i + 1)
                    .toStdString();
    const ImportedTraining log(text);
    QVERIFY(log.sink.iterations.size() >= 3);
    for (const double seconds : log.seconds())
        QVERIFY(isNear(seconds, 1.5, 1e-9));
}

void tst_LogDialects::jsonLinesOfRanks() {
    std::string text;
    for (int i = 1; i <= 3; ++i) {
        for (const int rank : {1, 0})
            text += "{\"rank\": " + std::to_string(rank) + ", \"step\": " + std::to_string(i)
                + ", \"loss\": " + std::to_string(10 * rank + i) + ", \"step_time\": 0.5}\n";
    }
    const ImportedTraining log(text);
    QCOMPARE(log.values("loss"), (std::vector<double>{11.0, 2.0, 3.0}));
    QCOMPARE(onlyReport(log).counts.at("lines of other ranks"), std::int64_t{2});
}

// As a fraction, and in percent.
void tst_LogDialects::shareOfPeak() {
    for (const auto& [said, last] : {std::pair("0.5", 0.5), std::pair("45.0", 0.45)}) {
        const ImportedTraining log(
            std::string(R"({"step": 1, "loss": 2.5, "step_time": 1, "mfu": 0.45})") + "\n"
            + R"({"step": 2, "loss": 2.4, "step_time": 1, "mfu": )" + said + "}\n");
        QVERIFY(isNear(log.values("reported_mfu").back(), last, 1e-9));
    }
}

void tst_LogDialects::infiniteValues() {
    std::string overflown = megatron(1, 500.0, 9.0);
    overflown.replace(overflown.find("0.532"), 5, "inf");
    const ImportedTraining log(overflown + megatron(2, 500.0, 8.0));
    const auto norms = log.values("grad_norm");
    QCOMPARE(norms.size(), std::size_t{2});
    QVERIFY(std::isnan(norms[0]));
    QCOMPARE(norms[1], 0.532);
    QCOMPARE(onlyReport(log).missing, std::int64_t{1});
}

// 02:00:00 comes 10 s behind 02:59:50, where summer time ends.
void tst_LogDialects::timeGoesBack() {
    const ImportedTraining log(megatron(1, 10'000.0, 9.0, " [2026-10-25 02:59:40]")
        + megatron(2, 10'000.0, 8.0, " [2026-10-25 02:59:50]")
        + megatron(3, 10'000.0, 7.0, " [2026-10-25 02:00:00]"));
    QCOMPARE(onlyReport(log).warningCount, std::int64_t{1});
    const ImportWarning& warning = onlyReport(log).warnings[0];
    QCOMPARE(warning.line, std::int64_t{3});
    VERIFY_SAYS(warning.text, "Summer time ends here");
}

void tst_LogDialects::scripts_data() {
    // In the lines, %1 is the iteration and %2 a loss of 10 less a tenth of that; the seconds
    // are the length of an iteration, 0 where the line does not tell.
    const auto row = columns<QString, double>("line", "seconds");
    row("assignments", "step=%1 loss=%2 time_per_iter=0.5s lr=1e-4", 0.5);
    row("logger", "INFO:root:iter=%1 LM_Loss=%2 dt=500ms", 0.5);
    row("colons", "step %1/100: train loss: %2, batch time: 0.50 sec", 0.5);
    row("tutorial", "Epoch [1/5], Step [%1/100], Loss: %2", 0.0);
    row("bars", "Iter %1 | train loss %2 | dt 500 ms | 8200 tok/s", 0.5);
    row("Paddle",
        "global step %1, epoch: 0, batch: 7, loss: %2, avg_batch_cost: 0.50 sec, speed: 2 "
        "step/s",
        0.5);
    row("mmengine", "Epoch(train)  [1][ %1/500]  lr: 1.0e-02  eta: 1:00:00  time: 0.5000  loss: %2",
        0.5);
    row("detectron",
        "[01/01 10:00:00 d2.utils.events]:  eta: 0:01:00  iter: %1  "
        "total_loss: %2  time: 0.5000  max_mem: 1000M",
        0.5);
}

// Four iterations of one length, whose losses are 9.9 to 9.6; without times there are values
// alone.
void tst_LogDialects::scripts() {
    QFETCH(QString, line);
    QFETCH(double, seconds);
    std::string text = "starting\n";
    for (int i = 1; i <= 4; ++i)
        text += line.arg(QString::number(i), QString::number(10.0 - 0.1 * i)).toStdString() + "\n";
    const ImportedTraining log(text);
    QCOMPARE(log.sink.iterations.size(), std::size_t{seconds > 0.0 ? 4U : 0U});
    QCOMPARE(log.values("loss").front(), 9.9);
    QCOMPARE(log.values("loss").back(), 9.6);
    if (seconds > 0.0)
        QVERIFY(isNear(median(log.seconds()), seconds, 1e-9));
}

// Steps that are counted anew in each epoch go on; a validation is no step.
void tst_LogDialects::epochsOfScripts() {
    std::string text;
    for (int epoch = 1; epoch <= 2; ++epoch) {
        for (int step = 1; step <= 3; ++step)
            text += "Epoch [" + std::to_string(epoch) + "/2], Step [" + std::to_string(step)
                + "/3], Loss: 1.5, dt: 0.25s\n";
        text += "val: step 3, loss: 1.75\n";
    }
    const ImportedTraining log(text);
    QCOMPARE(log.sink.iterations.size(), std::size_t{6});
    QCOMPARE(log.values("loss").size(), std::size_t{6});
    QCOMPARE(log.values("val_loss").size(), std::size_t{2});
}

// The engine tells of the iteration whose losses come behind its line.
void tst_LogDialects::hybridEngine() {
    std::string text;
    for (int i = 1; i <= 3; ++i) {
        text += "|E2E latency=" + std::to_string(i) + ".50s |Gather latency=0.10s (0.80%) "
            + "|Generate time=1.00s (64.00%) |CurSamplesPerSec=4.00 |AvgSamplesPerSec=4.00\n";
        text += "Epoch: 0 | Step: " + std::to_string(i)
            + " | PPO Epoch: 1 | Actor Loss: 0.25 | Critic Loss: 0.5 | Unsupervised Loss: "
              "0.0\n";
    }
    const ImportedTraining log(text);
    QCOMPARE(log.sink.iterations.size(), std::size_t{3});
    const auto seconds = log.seconds();
    QVERIFY(isNear(seconds.at(0), 1.5, 1e-9) && isNear(seconds.at(2), 3.5, 1e-9));
    QCOMPARE(log.values("sample_rate").front(), 4.0);
}

// Sources of the programs, and words about iterations.
void tst_LogDialects::lookAlikes() {
    for (const char* text : {"print(f\"step {step:05d}/{n} | loss: {loss:.6f} | dt: {dt}ms\")\n",
             "iteration 5 of the loss landscape / 3\n", "step 3: find the loss | then go on\n",
             "{'loss': None, 'epoch': 1}\n", "iteration {i}/{n} | lm loss: {x}\n", "step:  loss:\n",
             "step: 3 of the plan\n",
             ":::MLLOG {\"key\": \"power_reading\", "
             "\"value\": 3418.0, \"time_ms\": 1728509261000}\n"}) {
        const auto tree = importers::memoryTree({{"a.txt", text}});
        const auto plan = importers::planImport(*tree, {}, "trainlog").value();
        QVERIFY2(plan.units.empty(), text);
    }
}

void tst_LogDialects::nothingUsable() {
    const auto tree = importers::memoryTree({{"a.log", "no\nlog\n"}});
    importers::ImportUnit unit;
    unit.path = "a.log";
    unit.files = {"a.log"};
    unit.runName = "a";
    RecordingSink sink;
    const auto report = importers::trainlog::kImporter.import(*tree, unit, sink, {});
    VERIFY_FAILS(report, "2 other lines");
}

void tst_LogDialects::longLines() {
    const ImportedTraining log(megatron(1, 500.0, 9.0) + std::string(3'000'000, 'x') + "\n"
        + megatron(2, 500.0, 8.0) + "\xef\xbb\xbf" + std::string(70'000, '\r')
        + megatron(3, 500.0, 7.0));
    QCOMPARE(log.values("loss"), (std::vector<double>{9.0, 8.0, 7.0}));
    QCOMPARE(onlyReport(log).counts.at("lines that are too long"), std::int64_t{1});
}

// Lines before the break are kept, and the run says that it is a part.
void tst_LogDialects::brokenStream() {
    std::string text;
    for (int i = 1; i <= 50; ++i)
        text += "step " + std::to_string(i) + " | loss: 2.5 | dt: 100.00ms\n";
    const BrokenTree tree({{"train.log", text}}, text.size() / 2);
    importers::ImportUnit unit;
    unit.path = "train.log";
    unit.files = {"train.log"};
    unit.clock = importers::ClockKind::None;
    unit.runName = "r";
    RecordingSink sink;
    const auto report = importers::trainlog::kImporter.import(tree, unit, sink, {});
    QVERIFY(report.hasValue());
    QVERIFY(report.value().rows >= 20 && report.value().rows < 50);
    QVERIFY(sink.runs.front().status == RunStatus::Partial);
    QCOMPARE(report.value().warningCount, std::int64_t{1});
}

void tst_LogDialects::anyLineEnds() {
    for (const char* end : {"\n", "\r\n", "\r", "\n\n"}) {
        std::string text;
        for (int i = 1; i <= 5; ++i)
            text += "step " + std::to_string(i) + " | loss: 2.5 | dt: 100.00ms" + end;
        QCOMPARE(onlyReport(ImportedTraining(text)).rows, std::int64_t{5});
    }
}

void tst_LogDialects::cancelled() {
    std::string text;
    for (int i = 1; i <= 20'000; ++i)
        text += "step " + std::to_string(i) + " | loss: 2.5 | dt: 100.00ms\n";
    const auto tree = importers::memoryTree({{"train.log", text}});
    const auto& importer = importers::trainlog::kImporter;
    const auto unit = importer.plan(*tree, tree->files()).at(0);
    RecordingSink sink;
    const auto report
        = importer.import(*tree, unit, sink, [](const ProgressState&) { return false; });
    QVERIFY(!report.hasValue());
    QCOMPARE(report.error().code, ErrorCode::Cancelled);
}

void tst_LogDialects::failingSink() {
    const std::string text
        = "step 1 | loss: 2.5 | dt: 100.00ms\nstep 2 | loss: 2.4 | dt: 90.00ms\n";
    const auto tree = importers::memoryTree({{"train.log", text}});
    const auto& importer = importers::trainlog::kImporter;
    const auto unit = importer.plan(*tree, tree->files()).at(0);
    for (int call = 1; call <= 8; ++call) {
        RecordingSink sink;
        sink.failAt = call;
        const auto report = importer.import(*tree, unit, sink, {});
        QVERIFY(report.hasValue() || report.error().code == ErrorCode::Io);
    }
}

TRAINSCOPE_TEST(tst_LogDialects)
#include "tst_LogDialects.moc"
