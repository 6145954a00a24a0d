// Logs of DeepSpeed's engine, LLaMA-Factory and MLPerf without losses; keys by words; restarts.

#include "importers/support/ImportAll.h"
#include "support/TestProgram.h"

using namespace trainscope::test;
using namespace std::string_literals;

namespace {

using Values = std::vector<double>;

std::vector<double> ofRun(const ImportedAll& log, const std::string& metric) {
    return log.values(metric, {SubjectKind::Run, -1, -1, {}});
}

std::vector<double> secondsOf(const ImportedAll& log) {
    return valuesOf(log, "iterations");
}

std::vector<std::int64_t> indicesOf(const ImportedAll& log) {
    std::vector<std::int64_t> indices;
    for (const auto& [run, iteration] : log.sink.iterations)
        indices.push_back(iteration.index);
    return indices;
}

std::string mllogOf(std::int64_t ms, const std::string& key, const std::string& value,
    const std::string& metadata) {
    return ":::MLLOG {\"namespace\": \"worker0\", \"time_ms\": " + std::to_string(ms)
        + ", \"event_type\": \"POINT_IN_TIME\", \"key\": \"" + key + "\", \"value\": " + value
        + ", \"metadata\": {\"file\": \"x.py\", \"lineno\": 1, " + metadata + "}}\n";
}

std::string mllog(std::int64_t ms, const std::string& key, const std::string& value) {
    return ":::MLLOG {\"namespace\": \"\", \"time_ms\": " + std::to_string(ms)
        + ", \"event_type\": \"POINT_IN_TIME\", \"key\": \"" + key + "\", \"value\": " + value
        + ", \"metadata\": {\"file\": \"x.py\", \"lineno\": 1}}" + "\n";
}

const std::vector<ToldFile> kLogFiles{
    {"bar of torchtune", "out.log",
        "1|1|Loss: 3.5:   1%|1         | 1/100 [00:02<03:18,  2.00s/it]\r"
        "1|2|Loss: 2.5:   2%|2         | 2/100 [00:04<03:16,  2.00s/it]\r"
        "1|3|Loss: 1.5:   3%|3         | 3/100 [00:06<03:14,  2.00s/it]\n",
        {{"run loss", {3.5, 2.5, 1.5}}, {"iterations", {2, 2, 2}}}},
    // Rates are of 8 devices.
    {"MaxText", "maxtext.log",
        "Num_devices: 8, shape (1, 8)\n"
        "I0423 12:34:56.000000 139 max_logging.py:27] completed step: 0, seconds: 44.0, "
        "TFLOP/s/device: 17.0, Tokens/s/device: 1000.0, total_weights: 65536, loss: 12.0\n"
        "completed step: 1, seconds: 5.5, TFLOP/s/device: 136.0, Tokens/s/device: 8000.0, "
        "total_weights: 65536, loss: 11.0\n",
        {{"iterations", {44.0, 5.5}}, {"run loss", {12.0, 11.0}},
            {"run reported_flops", {17e12, 136e12}}, {"run token_rate", {8000.0, 64000.0}}}},
    // Lit-GPT's has the time of each step.
    {"table with times", "metrics.csv",
        "loss,iter,step,epoch,iter_time,remaining_time,tokens,total_tokens,learning_rate\n"
        "9.5,4,1,0,1.5,99.0,8192,65536,0.0001\n8.5,8,2,0,1.25,98.0,16384,131072,0.0002\n",
        {{"iterations", {1.5, 1.25}}, {"run loss", {9.5, 8.5}}}},
    // 2 s each. A small m is a minute, GB and ms are units.
    {"thousands by letters", "train.log",
        "iteration: 1 / 9 | elapsed_time_per_iteration_ms: 2K | lm_loss: 3.5 | tokens_per_sec: "
        "1.5M | consumed_tokens: 2B | took: 3m | kept: 2.5GB\n"
        "iteration: 2 / 9 | elapsed_time_per_iteration_ms: 2000 | lm_loss: 2.5 | tokens_per_sec: "
        "1500k | consumed_tokens: 1.25T | took: 3M | kept: 2500MB\n"
        "iteration: 3 / 9 | lm_loss: 1.5\n",
        {{"run step_time", {2, 2}}, {"run token_rate", {1.5e6, 1.5e6}},
            {"run consumed_tokens", {2e9, 1.25e12}}, {"run took", {180, 3e6}},
            {"run kept", {2.5e9, 2.5e9}}}},
    // The day comes first where the first number is none of a month.
    {"day and month first", "train.log",
        "24/12/2025 23:59:58 - INFO - __main__ - step 1 loss: 3.5\n"
        "24/12/2025 23:59:59 - INFO - __main__ - step 2 loss: 2.5\n"
        "25/12/2025 00:00:02 - INFO - __main__ - step 3 loss: 1.5\n",
        {{"iterations", {1, 3}}, {"run loss", {3.5, 2.5, 1.5}}}},
    {"steps a second", "train.log",
        "step 1 loss: 3.5 steps/s: 4\nstep 2 loss: 2.5 steps/s: 0.5\n"
        "step 3 loss: 1.5 steps/s: 0\n",
        {{"run step_time", {0.25, 2}}}},
    {"count in square brackets at the begin", "train.log",
        "[10/40] loss: 3.5 (3.25), wd: 0.5\n[20/40] loss: 2.5 (2.75), wd: 0.25\n"
        "[30/40] loss: 1.5 (2.25), wd: 0.125\n",
        {{"run loss", {3.5, 2.5, 1.5}}, {"run wd", {0.5, 0.25, 0.125}}}},
    // The second process is 0.5 s behind, with stamps; each step takes 10 s.
    {"two processes with stamps", "train.log",
        "2026-03-01 10:00:00,000 step 1 loss: 4.5\n2026-03-01 10:00:00,500 step 1 loss: 4.6\n"
        "2026-03-01 10:00:10,000 step 2 loss: 3.5\n2026-03-01 10:00:20,000 step 3 loss: 2.5\n"
        "2026-03-01 10:00:10,500 step 2 loss: 3.6\n2026-03-01 10:00:20,500 step 3 loss: 2.6\n"
        "2026-03-01 10:00:30,000 step 4 loss: 1.5\n",
        {{"iterations", {10, 10, 10}}, {"run loss", {4.5, 3.5, 2.5, 1.5}}}, ""},
    // The program comes back to step 2 after 5 s.
    {"one that starts again", "train.log",
        "2026-03-01 10:00:00,000 step 1 loss: 4.5\n2026-03-01 10:00:01,000 step 2 loss: 3.5\n"
        "2026-03-01 10:00:02,000 step 3 loss: 2.5\n2026-03-01 10:00:06,000 step 2 loss: 3.5\n"
        "2026-03-01 10:00:07,000 step 3 loss: 2.5\n",
        {{"run loss", {4.5, 3.5, 2.5, 3.5, 2.5}}}, "starts again"},
    {"table of a tracker", "wandb_export.csv",
        "\"Step\",\"my-run - train/loss\",\"my-run - train/loss__MIN\",\"my-run - train/"
        "loss__MAX\"\n\"10\",\"2.5\",\"2.5\",\"2.5\"\n\"20\",\"2.25\",\"2.25\",\"2.25\"\n",
        {{"run loss", {2.5, 2.25}}}},
};

class tst_LogKinds : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void files_data() {
        QTest::addColumn<std::size_t>("place");
        for (std::size_t i = 0; i < kLogFiles.size(); ++i)
            QTest::newRow(kLogFiles[i].row) << i;
    }
    void files() {
        QFETCH(std::size_t, place);
        const std::string fault = faultOf(kLogFiles[place]);
        QVERIFY2(fault.empty(), fault.c_str());
    }

    void keysByWords_data() {
        const auto row = columns<QByteArray>("key");
        for (const char* key : {"lm-loss", "LM loss", "lm_loss", "Lm  Loss", "lm loss"})
            row(key, QByteArray(key));
    }
    void keysByWords() {
        QFETCH(QByteArray, key);
        std::string text;
        for (int i = 1; i <= 3; ++i)
            text += " iteration " + std::to_string(i) + "/ 100 | elapsed time per iteration (ms): "
                + "2000.0 | " + key.toStdString() + ": " + std::to_string(10 - i) + ".0 |\n";
        const ImportedAll log("train.log", text);
        QCOMPARE(ofRun(log, "loss"), (Values{9, 8, 7}));
        QCOMPARE(log.sink.iterations.size(), std::size_t{3});
    }

    // Four iterations of 2 s, told by the time since the start or of each, in any spelling.
    void timesByWords_data() {
        // line: "#" is the iteration, "$" twice its number
        const auto row = columns<std::string, std::string>("head", "line");
        row("time since the start as hours", "", "step: #, loss: 3.#, elapsed: 0:00:0$");
        row("unit behind the key", "",
            R"({"iteration": #, "elapsed_time_per_iteration_ms": 2000, "lm_loss": 3.#})"s);
        row("step in brackets", "", "[step 0000#] train loss 3.# | step time 2.0 s | 8192 tok/s");
        row("unit in the head", "Step,Time (s),Train Loss\n", "#,$,3.#");
        row("milliseconds in the head", "Step,Time (ms),Train Loss\n", "#,$000,3.#");
        row("milliseconds of each", "", "step # loss=3.# step_time(ms)=2000");
        row("unit in square brackets", "", "step # loss 3.# step time [ms]: 2000");
    }
    void timesByWords() {
        QFETCH(std::string, head);
        QFETCH(std::string, line);
        std::string text = head;
        for (char number = '1'; number < '5'; ++number) {
            std::string each = line + "\n";
            std::replace(each.begin(), each.end(), '#', number);
            std::replace(
                each.begin(), each.end(), '$', static_cast<char>('0' + 2 * (number - '0')));
            text += each;
        }
        const ImportedAll log("train.log", text);
        QCOMPARE(ofRun(log, "loss"), (Values{3.1, 3.2, 3.3, 3.4}));
        QCOMPARE(secondsOf(log), (Values{2, 2, 2, 2}));
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
        const ImportedAll log("training.log", text);
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
        const ImportedAll log("trainer_log.jsonl",
            row(100, "0:10:00", "1666.0") + row(101, "0:10:10", "1655.0")
                + row(102, "0:10:20", "1645.0") + row(103, "0:00:10", "103000.0")
                + row(104, "0:00:20", "52000.0"));
        QCOMPARE(ofRun(log, "step_time"), Values(4, 10.0)); // the first line's is not known
        QCOMPARE(ofRun(log, "token_rate"), Values(4, 1000.0));
        QCOMPARE(log.reports.at(0).value().rows, std::int64_t{5});
        QCOMPARE(log.reports.at(0).value().counts.at("restarts"), std::int64_t{1});
    }

    // Without a loss: 60 s from run_start to run_stop, and what the evaluations say.
    void mlperfWithoutLosses() {
        constexpr std::int64_t kStart = 1'772'359'201'000;
        const ImportedAll log("result_0.txt",
            mllog(kStart - 1000, "submission_benchmark", "\"bert\"")
                + mllog(kStart - 1000, "global_batch_size", "64")
                + mllog(kStart, "run_start", "null")
                + mllog(kStart + 20'000, "eval_accuracy", "0.6")
                + mllog(kStart + 40'000, "eval_accuracy", "0.7")
                + mllog(kStart + 60'000, "run_stop", "null"));
        QCOMPARE(ofRun(log, "eval_accuracy"), (Values{0.6, 0.7}));
        QCOMPARE(log.sink.tracks.size(), std::size_t{1});
        const Span& run = log.sink.tracks.front().spans.at(0);
        QCOMPARE(log.sink.name(run.name), "run"s);
        QCOMPARE(run.start.ns, kStart * 1'000'000);
        QCOMPARE(run.duration.seconds(), 60.0);
        QCOMPARE(log.sink.runs.at(0).launch.globalBatch.value_or(0), 64);
    }

    // Times of steps and no loss; "step" counts tokens: 4 samples of 128. A validation of 10 s.
    void mlperfStepsByTheirTimes() {
        constexpr std::int64_t kStart = 1'772'359'201'000;
        const auto timing = [](std::int64_t ms, int step) {
            return mllogOf(ms, "tracked_stats", "{\"train_step_timing\": 2.0}",
                "\"step\": " + std::to_string(512 * step));
        };
        const ImportedAll log("result_0.txt",
            mllog(kStart - 1000, "global_batch_size", "4")
                + mllog(kStart - 1000, "max_sequence_length", "128")
                + mllog(kStart, "run_start", "null") + timing(kStart + 2000, 1)
                + timing(kStart + 4000, 2)
                + mllogOf(kStart + 4000, "eval_start", "null", "\"epoch_num\": 1024")
                + mllogOf(kStart + 14'000, "tracked_stats", "{\"validation_step_timing\": 5.0}",
                    "\"step\": 1024")
                + mllogOf(kStart + 14'000, "eval_stop", "null", "\"epoch_num\": 1024")
                + mllogOf(kStart + 14'000, "block_start", "null", "\"first_epoch_num\": 1024")
                + timing(kStart + 16'000, 3)
                + mllogOf(
                    kStart + 16'000, "tracked_stats", "{\"throughput\": 256.0}", "\"step\": 1536")
                + mllog(kStart + 16'000, "run_stop", "null"));
        QCOMPARE(secondsOf(log), Values(3, 2.0));
        QCOMPARE(indicesOf(log), (std::vector<std::int64_t>{1, 2, 3}));
        QCOMPARE(ofRun(log, "step_time"), Values(3, 2.0));
        // 4 × 128 tokens in 2 s are computed of each step; the log's own is one value of the run.
        QCOMPARE(ofRun(log, "token_rate"), Values(3, 256.0));
        QCOMPARE(ofRun(log, "logged_token_rate"), (Values{256.0}));
        QCOMPARE(ofRun(log, "sample_rate"), Values(3, 2.0));
        QCOMPARE(log.reports.at(0).value().counts.at("intervals"), std::int64_t{2});
    }

    // The mean of a block at its end: 5 steps of 3 s, then 2.
    void mlperfBlocksOfSteps() {
        constexpr std::int64_t kStart = 1'772'359'201'000;
        const ImportedAll log("result_0.txt",
            mllog(kStart - 1000, "global_batch_size", "16") + mllog(kStart, "run_start", "null")
                + mllogOf(kStart, "block_start", "null", "\"samples_count\": 0, \"step\": 0")
                + mllogOf(kStart + 15'000, "tracked_stats", "{\"train_step_time\": 3.0}",
                    "\"samples_count\": 80")
                + mllogOf(
                    kStart + 15'000, "block_stop", "null", "\"samples_count\": 80, \"step\": 5")
                + mllogOf(
                    kStart + 20'000, "block_start", "null", "\"samples_count\": 32, \"step\": 5")
                + mllogOf(kStart + 26'000, "tracked_stats", "{\"train_step_time\": 3.0}",
                    "\"samples_count\": 32")
                + mllogOf(
                    kStart + 26'000, "block_stop", "null", "\"samples_count\": 32, \"step\": 7")
                + mllog(kStart + 27'000, "run_stop", "null"));
        QCOMPARE(secondsOf(log), Values(7, 3.0));
        QCOMPARE(indicesOf(log), (std::vector<std::int64_t>{1, 2, 3, 4, 5, 6, 7}));
    }

    // A block begins before the one before it ends; lines without time behind the run.
    void mlperfBlocksThatOverlap() {
        constexpr std::int64_t kStart = 1'620'936'000'000;
        const auto block = [](std::int64_t ms, const char* key, int epoch) {
            return mllogOf(ms, key, "null", "\"first_epoch_num\": " + std::to_string(epoch));
        };
        const ImportedAll log("result_0.txt",
            mllog(kStart, "run_start", "null") + block(kStart, "block_start", 1)
                + block(kStart + 9000, "block_start", 19) + block(kStart + 9000, "block_stop", 1)
                + mllog(kStart + 9000, "eval_accuracy", "0.88")
                + block(kStart + 20'000, "block_stop", 19)
                + mllog(kStart + 20'000, "run_stop", "null")
                + mllog(0, "submission_platform", "\"tpu-v4-128\""));
        const auto& spans = log.sink.tracks.front().spans;
        QCOMPARE(spans.size(), std::size_t{3});
        Values blocks;
        for (const Span& span : spans) {
            if (log.sink.name(span.name) == "block"s)
                blocks.push_back(span.duration.seconds());
        }
        QCOMPARE(blocks, (Values{9.0, 11.0}));
    }

    // Two measures of one evaluation are two metrics.
    void mlperfSeveralMeasures() {
        constexpr std::int64_t kStart = 1'696'443'276'000;
        const ImportedAll log("result_0.txt",
            mllog(kStart, "run_start", "null")
                + mllogOf(kStart + 1000, "eval_accuracy", "78.5", "\"metric\": \"FID\"")
                + mllogOf(kStart + 1000, "eval_accuracy", "0.16", "\"metric\": \"CLIP\"")
                + mllog(kStart + 2000, "run_stop", "null"));
        QCOMPARE(ofRun(log, "eval_accuracy_fid"), (Values{78.5}));
        QCOMPARE(ofRun(log, "eval_accuracy_clip"), (Values{0.16}));
    }

    void mlperfOfOldVersions() {
        const ImportedAll log("result_0.txt",
            ":::MLL 1571433686.000 global_batch_size: {\"value\": 32, \"metadata\": {}}\n"
            ":::MLL 1571433687.500 run_start: {\"value\": null, \"metadata\": {\"lineno\": 1}}\n"
            ":::MLL 1571433690.000 eval_accuracy: {\"value\": 0.25, \"metadata\": {}}\n"
            ":::MLL 1571433697.750 run_stop: {\"value\": null, \"metadata\": {}}\n");
        QCOMPARE(ofRun(log, "eval_accuracy"), (Values{0.25}));
        QCOMPARE(log.sink.tracks.front().spans.at(0).duration.seconds(), 10.25);
    }

    void deepSpeedChatRlhf() {
        const auto step = [](int index, const char* loss, const char* latency) {
            return "Epoch: 0 | Step: " + std::to_string(index)
                + " | PPO Epoch: 1 | Actor Loss: " + loss
                + " | Critic Loss: 0.25 | Unsupervised Loss: 0.0\n"
                  "End-to-End => Latency: "
                + latency
                + "s, TFLOPs: 22.5, Samples/sec: 8.0, Time/seq 0.12s, Batch Size: 32, Total Seq. "
                  "Length: 512\n"
                  "Generation => Latency: 2.5s, Per-token Latency 9.77 ms, TFLOPs: 6.4, BW: 127.6 "
                  "GB/sec, Answer Seq. Length: 256\n"
                  "Training   => Latency: 1.5s, TFLOPs: 68.0\n"
                  "Actor Model Parameters => 1.429 B, Critic Model Parameters => 0.331 B\n"
                  "Average reward score: -4.5 | EMA reward score: -4.4\n"
                  "-----------------------------------------------------------\n";
        };
        const ImportedAll log("training.log",
            step(0, "0.5", "5.0") + step(1, "0.375", "4.0") + step(2, "0.125", "4.0"));
        QCOMPARE(secondsOf(log), (Values{5, 4, 4}));
        QCOMPARE(indicesOf(log), (std::vector<std::int64_t>{0, 1, 2}));
        QCOMPARE(ofRun(log, "loss"), (Values{0.5, 0.375, 0.125}));
        QCOMPARE(ofRun(log, "critic_loss"), Values(3, 0.25));
        QCOMPARE(ofRun(log, "sample_rate"), Values(3, 8.0));
        QCOMPARE(ofRun(log, "reported_flops"), Values(3, 22.5e12));
        QCOMPARE(ofRun(log, "generation_latency"), Values(3, 2.5));
        QCOMPARE(ofRun(log, "average_reward_score"), Values(3, -4.5));
        // 32 samples of 512 tokens in 5 and in 4 s.
        QCOMPARE(ofRun(log, "token_rate"), (Values{3276.8, 4096.0, 4096.0}));
        QCOMPARE(log.sink.runs.at(0).launch.globalBatch.value_or(0), 32);
    }

    // Steps begin anew in the second epoch; rank 1 says its own losses.
    void deepSpeedChatSupervised() {
        const auto step = [](int epoch, int index, const char* loss) {
            const std::string at
                = "Epoch: " + std::to_string(epoch) + ", Step: " + std::to_string(index);
            return at + ", Rank: 1, loss = 9.0\n" + at + ", Rank: 0, loss = " + loss
                + "\nModel Parameters: 0.331 B, Latency: 0.50s, TFLOPs: 14.9, Samples/sec: 32.0, "
                  "Time/seq 0.03s, Batch Size: 16, Sequence Length: 512\n";
        };
        const ImportedAll log("training.log",
            step(0, 0, "4.0") + step(0, 1, "3.0") + step(1, 0, "2.0") + step(1, 1, "1.0"));
        QCOMPARE(ofRun(log, "loss"), (Values{4, 3, 2, 1}));
        QCOMPARE(secondsOf(log), Values(4, 0.5));
        QCOMPARE(indicesOf(log), (std::vector<std::int64_t>{0, 1, 2, 3}));
        QVERIFY(!log.reports.at(0).value().counts.contains("restarts"));
    }

    // Old ones say losses only; the stamps of the engine are near.
    void deepSpeedChatWithoutTimes() {
        std::string text;
        for (int i = 0; i < 3; ++i) {
            text += "[2026-03-01 10:00:" + QString::asprintf("%02d", 5 * i).toStdString()
                + ",000] [INFO] [loss_scaler.py:188:update_scale] scale\nepoch: 0|step: "
                + std::to_string(i) + "|ppo_ep: 1|act_loss: " + std::to_string(3 - i)
                + ".0|cri_loss: 0.5|unsuper_loss: 0.0\naverage reward score: 1.5\n";
        }
        const ImportedAll log("training.log", text);
        QCOMPARE(ofRun(log, "loss"), (Values{3, 2, 1}));
        QCOMPARE(ofRun(log, "average_reward_score"), Values(3, 1.5));
        QCOMPARE(ofRun(log, "step_time"), Values(2, 5.0));
    }

    void verl() {
        std::string text;
        for (int i = 1; i <= 3; ++i) {
            text += "\x1b[36m(TaskRunner pid=2617997)\x1b[0m step:" + std::to_string(i)
                + " - actor/entropy:2.5 - actor/pg_loss:np.float64(-0.0" + std::to_string(i)
                + ") - actor/grad_norm:1.5 - perf/mfu/actor:0.25 - actor/lr:1e-06 - "
                  "training/global_step:"
                + std::to_string(i)
                + " - critic/score/mean:-0.85 - timing_s/gen:20.0 - timing_s/step:40.0 - "
                  "perf/total_num_tokens:64000 - perf/time_per_step:40.0 - perf/throughput:200.0\n"
                + "(TaskRunner pid=2617997) noise\n";
            if (i == 2)
                text += "(TaskRunner pid=2617997) step:2 - val-core/gsm8k/reward/mean@1:0.75\n";
        }
        const ImportedAll log("verl.log", text);
        QCOMPARE(secondsOf(log), Values(3, 40.0));
        QCOMPARE(ofRun(log, "loss"), (Values{-0.01, -0.02, -0.03}));
        QCOMPARE(ofRun(log, "grad_norm"), Values(3, 1.5));
        QCOMPARE(ofRun(log, "reported_mfu"), Values(3, 0.25));
        QCOMPARE(ofRun(log, "learning_rate"), Values(3, 1e-6));
        QCOMPARE(ofRun(log, "critic_score_mean"), Values(3, -0.85));
        QCOMPARE(ofRun(log, "tokens_per_second_per_gpu"), Values(3, 200.0));
        QCOMPARE(ofRun(log, "val_core_gsm8k_reward_mean_1"), (Values{0.75}));
    }

    void torchtune() {
        std::string text;
        for (int i = 1; i <= 3; ++i)
            text += "Step " + std::to_string(i) + " | loss:" + std::to_string(4 - i)
                + ".5 lr:2e-05 tokens_per_second_per_gpu:9077.25 peak_memory_active:85.5 "
                  "peak_memory_alloc:85.5 peak_memory_reserved:104.0\n";
        const ImportedAll log("log_1700000000.txt", text);
        QCOMPARE(ofRun(log, "loss"), (Values{3.5, 2.5, 1.5}));
        QCOMPARE(ofRun(log, "learning_rate"), Values(3, 2e-5));
        QCOMPARE(ofRun(log, "tokens_per_second_per_gpu"), Values(3, 9077.25));
    }

    // 36 s each by hours with four digits; the last block ends with the file.
    void composer() {
        std::string text = "Starting training...\n";
        for (int i = 1; i <= 3; ++i)
            text += "0: [epoch=0][batch=" + std::to_string(i)
                + "/3]:\n0: \t Train time/batch: " + std::to_string(i - 1)
                + "\n0: \t Train loss/train/total: " + std::to_string(12 - i)
                + ".5\n0: \t Train throughput/tokens_per_sec: 20082.5\n0: \t Train "
                  "throughput/device/mfu: 0.4\n0: \t Train time/train: 0.0"
                + std::to_string(i) + "00\n0: \t Train lr-DecoupledAdamW/group0: 0.0006\n";
        const ImportedAll log("composer.log", text + "0: done\n");
        QCOMPARE(ofRun(log, "loss"), (Values{11.5, 10.5, 9.5}));
        QCOMPARE(secondsOf(log), Values(3, 36.0));
        QCOMPARE(ofRun(log, "token_rate"), Values(3, 20082.5));
        QCOMPARE(ofRun(log, "reported_mfu"), Values(3, 0.4));
        QCOMPARE(ofRun(log, "learning_rate"), Values(3, 0.0006));
    }

    // Rows of a step, of a validation and of the rate stand apart.
    void lightningTable() {
        const ImportedAll log("metrics.csv",
            "epoch,lr-AdamW,step,train_loss,val_loss\n"
            ",0.001,9,,\n0,,9,4.5,\n,0.0005,19,,\n0,,19,3.5,\n0,,19,,3.75\n");
        QCOMPARE(ofRun(log, "loss"), (Values{4.5, 3.5}));
        QCOMPARE(ofRun(log, "learning_rate"), (Values{0.001, 0.0005}));
        QCOMPARE(ofRun(log, "val_loss"), (Values{3.75}));
        QVERIFY(!log.reports.at(0).value().counts.contains("iterations said twice"));
        VERIFY_SAYS(log.warnings(), "neither when");
    }

    void dlLogger() {
        std::string text;
        for (int i = 1; i <= 3; ++i)
            text += "DLLL {\"timestamp\": \"" + std::to_string(1'700'000'000 + 25 * i)
                + ".0\", \"type\": \"LOG\", \"step\": " + std::to_string(i)
                + ", \"data\": {\"reduced_train_loss\": " + std::to_string(10 - i)
                + ".0, \"train_step_timing in s\": 25.0, \"global_step\": " + std::to_string(i)
                + "}}\n";
        const ImportedAll log("dllogger.json", text);
        QCOMPARE(ofRun(log, "loss"), (Values{9, 8, 7}));
        QCOMPARE(secondsOf(log), Values(3, 25.0));
    }

    // A stamp of 2062 among seconds of 2026: that line is left out, and said.
    void damagedStamp_data() {
        // damaged: line
        const auto row = columns<int>("damaged");
        row("the first", 1);
        row("the third", 3);
        row("the last", 5);
    }
    void damagedStamp() {
        QFETCH(int, damaged);
        std::string text;
        Values losses;
        for (int i = 1; i <= 5; ++i) {
            text += " [" + std::string(i == damaged ? "2062" : "2026") + "-01-01 00:00:0"
                + std::to_string(i) + "] iteration " + std::to_string(i)
                + "/ 100 | elapsed time per iteration (ms): 1000.0 | lm loss: " + std::to_string(i)
                + ".0 |\n";
            if (i != damaged)
                losses.push_back(i);
        }
        const ImportedAll log("train.log", text);
        QCOMPARE(ofRun(log, "loss"), losses);
        const RecordedSeries* loss = log.sink.find("loss", {SubjectKind::Run, -1, -1, {}});
        QVERIFY((loss->times.back() - loss->times.front()).seconds() < 5.0);
        VERIFY_SAYS(log.warnings(), "damaged");
        QCOMPARE(
            log.reports.at(0).value().counts.at("lines with a damaged stamp"), std::int64_t{1});
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
        const ImportedAll log("result_0.txt", text);
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
        const ImportedAll log("train.log", text);
        VERIFY_SAYS(log.warnings(), "2 iterations are done twice, and 2 s of work were lost");
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
