// The real training logs, against figures that a Python script read from the raw files with regular
// expressions of its own: lines of iterations, step times, first and last loss, rates, and the
// arguments that the programs print.

#include "importers/trainlog/Import.h"
#include "support/TestFiles.h"
#include "support/TestProgram.h"

using namespace trainscope::test;

namespace {

struct RealLog {
    const char* file;
    std::size_t iterations;
    double medianS; // median iteration
    double meanS;
    double firstLoss;
    double lastLoss;
    std::size_t losses; // those of updates that were skipped say 0 and count in none
    const char* dialect;
};

// The mean of a log that speaks of several iterations at once is that of its lines.
const std::vector<RealLog> kRealLogs{
    {"aws_megatron_gpt3_excerpt.log", 3, 0.087, 0.0873, 10.86954, 10.87129, 3, "megatron"},
    {"gpt-neox_70M_slurm.out", 512, 0.5989, 0.771784, 11.06431, 2.367784, 512, "megatron"},
    {"gpt-neox_GPT20B_perlmutter_8_4_4.log", 23, 9.3024, 16.537322, 11.11983, 7.809129, 23,
        "megatron"},
    {"gpt-neox_llama13B_vista_64.log", 53, 7.2045, 11.387809, 11.04324, 10.84349, 50, "megatron"},
    {"megatron_deepspeed_gpt3_0.125B_moe.log", 120, 0.5851, 0.641508, 10.69112, 8.958018, 12,
        "megatron"},
    {"megatron_deepspeed_gpt3_random_ltd_baseline.log", 470, 0.4886, 0.525745, 10.78335, 8.101424,
        47, "megatron"},
    {"mlperf_dell_64xH100_llama2_lora_result_0.txt", 364, 0.55275, 0.553096, 2.2026000, 1.356617,
        38, "mllog"},
    {"mlperf_nemo_moe_rcp_seed_1.out", 0, 0.0, 0.0, 5.133626938, 3.584348917, 47, "mllog"},
    {"nanochat_speedrun_d24.log", 16704, 0.64469, 10790.80903 / 16704, 10.397165, 2.417931, 16704,
        "bars"},
    {"pgolf_8xH100_019b_train.txt", 4872, 0.141502, 0.122366, 9.018, 2.2961, 53, "pgolf"},
    {"torchtitan_qwen3_14b_run102_profile.log", 10, 2.2175, 3.5532, 12.40766, 7.86752, 2, "words"},
};

// A real log, all of whose sources are read.
struct ImportedReal : ImportedTraining {
    explicit ImportedReal(const std::string& name)
        : ImportedTraining(
            *importers::openDiskTree(realFiles() + "/data/train_logs/" + name).value()) {
        check(name);
    }

private:
    void check(const std::string& name) const {
        QCOMPARE(units[0].importer, std::string("trainlog"));
        QVERIFY2(reports[0].hasValue(), name.c_str());
        // Both logs of DeepSpeed hold 1858 lines of NCCL (grep -c), which are a source of their
        // own.
        const bool hasNccl = name.starts_with("megatron_deepspeed");
        QCOMPARE(units.size(), std::size_t{hasNccl ? 2U : 1U});
        if (!hasNccl)
            return;
        QCOMPARE(units[1].part, std::string("NCCL log"));
        QCOMPARE(units[1].runName, units[0].runName);
        QCOMPARE(reports[1].value().counts.at("lines of NCCL"), std::int64_t{1858});
    }
};

} // namespace

class tst_TrainingLogs : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() {
        if (realFiles().empty())
            QSKIP("the real logs are not here (TRAINSCOPE_SHARED)");
    }
    void iterationsAndLoss() {
        for (const RealLog& real : kRealLogs) {
            const ImportedReal log(real.file);
            const auto loss = log.values("loss");
            QVERIFY2(log.sink.iterations.size() == real.iterations,
                qPrintable(QStringLiteral("%1: %2")
                               .arg(QLatin1String(real.file))
                               .arg(log.sink.iterations.size())));
            QVERIFY2(loss.size() == real.losses,
                qPrintable(QStringLiteral("%1: %2 losses")
                               .arg(QLatin1String(real.file))
                               .arg(loss.size())));
            QVERIFY2(isNear(loss.front(), real.firstLoss, 1e-6), real.file);
            QVERIFY2(isNear(loss.back(), real.lastLoss, 1e-6), real.file);
            if (real.iterations == 0)
                continue;
            // Stamps stand on milliseconds, or beside the iteration's line.
            QVERIFY2(isNear(median(log.seconds()), real.medianS, 0.01), real.file);
            const double mean = sum(log.seconds()) / static_cast<double>(real.iterations);
            QVERIFY2(isNear(mean, real.meanS, 0.02), real.file);
            // One value a line, which speaks of different numbers of iterations here.
            if (real.losses > 2 && std::string_view(real.dialect) != "pgolf")
                QVERIFY2(isNear(median(log.values("step_time")), real.medianS, 0.02), real.file);
        }
    }
    void throughput() {
        const ImportedReal neox("gpt-neox_70M_slurm.out");
        QCOMPARE(neox.values("sample_rate").front(), 206.693);
        QCOMPARE(neox.values("sample_rate").back(), 731.575);
        QVERIFY(isNear(neox.values("reported_flops").front(), 13.3e12, 1e-9));
        QVERIFY(isNear(neox.values("learning_rate").back(), 1e-4, 1e-9));
        // 512 samples of 2,048 tokens a step.
        QVERIFY(isNear(neox.values("token_rate").back(), 512.0 * 2048.0 / 0.6999, 0.01));

        const ImportedReal nanochat("nanochat_speedrun_d24.log");
        QCOMPARE(nanochat.values("token_rate").back(), 812305.0);
        QCOMPARE(median(nanochat.values("token_rate")), 813245.0);
        QVERIFY(isNear(nanochat.values("reported_mfu").back(), 0.5077, 1e-9));

        // 786,432 tokens a step; the log's own rate is the mean since the start.
        const ImportedReal golf("pgolf_8xH100_019b_train.txt");
        QVERIFY(
            isNear(golf.values("token_rate").back(), 786432.0 * 72.0 / (596.165 - 585.782), 0.01));
        QCOMPARE(golf.values("mean_tokens_per_second").front(), 12385065.0);

        const ImportedReal titan("torchtitan_qwen3_14b_run102_profile.log");
        QCOMPARE(titan.values("token_rate").back(), 9236.0 * 8.0); // eight GPUs
        QVERIFY(isNear(titan.values("reported_flops").back(), 778.16e12, 1e-9));
        QVERIFY(isNear(titan.values("reported_mfu").back(), 0.3458, 1e-9));
        QCOMPARE(titan.values("grad_norm").back(), 28.125);

        const ImportedReal mlperf("mlperf_dell_64xH100_llama2_lora_result_0.txt");
        QVERIFY(isNear(mlperf.values("learning_rate").front(), 0.00039990588350021866, 1e-12));
    }
    void clocks() {
        using importers::ClockKind;
        const auto first
            = [](const ImportedTraining& log) { return log.sink.iterations.front().second.range; };
        const ImportedReal mlperf("mlperf_dell_64xH100_llama2_lora_result_0.txt");
        QVERIFY(mlperf.units[0].clock == ClockKind::Utc);
        QCOMPARE(first(mlperf).begin.ns, 1728509275413 * 1'000'000);
        // Ten iterations to the first loss.
        QCOMPARE(mlperf.sink.iterations[9].second.range.end.ns, 1728509280939 * 1'000'000);

        const ImportedReal titan("torchtitan_qwen3_14b_run102_profile.log");
        QVERIFY(titan.units[0].clock == ClockKind::Local);
        const std::int64_t step1 = 1779219514024; // date -u -d '2026-05-19 19:38:34.024' +%s%3N
        QCOMPARE(first(titan).end.ns, step1 * 1'000'000);
        // 160 samples of 128 tokens at 1,315 tokens/s before it.
        QVERIFY(isNear(first(titan).length().seconds(), 160.0 * 128.0 / 1315.0, 1e-3));

        const ImportedReal neox("gpt-neox_GPT20B_perlmutter_8_4_4.log");
        QVERIFY(neox.units[0].clock == ClockKind::Local);

        for (const char* name : {"aws_megatron_gpt3_excerpt.log", "pgolf_8xH100_019b_train.txt",
                 "mlperf_nemo_moe_rcp_seed_1.out", "nanochat_speedrun_d24.log"}) {
            const ImportedReal log(name);
            QVERIFY2(log.units[0].clock == ClockKind::None, name);
        }
    }
    void arguments() {
        const ImportedReal neox("gpt-neox_GPT20B_perlmutter_8_4_4.log");
        const LaunchConfig& launch = neox.sink.runs.front().launch;
        QCOMPARE(launch.tensorParallel.value_or(0), 4);
        QCOMPARE(launch.pipelineParallel.value_or(0), 8);
        QCOMPARE(launch.dataParallel.value_or(0), 4);
        QCOMPARE(launch.layers.value_or(0), 44);
        QCOMPARE(launch.hiddenSize.value_or(0), 6144);
        QCOMPARE(launch.globalBatch.value_or(0), 256);
        QCOMPARE(launch.sequenceLength.value_or(0), 2048);
        QCOMPARE(neox.sink.runs.front().worldSize, 128);

        const ImportedReal deepspeed("megatron_deepspeed_gpt3_0.125B_moe.log");
        const LaunchConfig& small = deepspeed.sink.runs.front().launch;
        QCOMPARE(small.tensorParallel.value_or(0), 1);
        QCOMPARE(small.dataParallel.value_or(0), 8);
        QCOMPARE(small.microBatch.value_or(0), 4);
        QCOMPARE(small.globalBatch.value_or(0), 256);
        QCOMPARE(small.layers.value_or(0), 12);
        QCOMPARE(small.hiddenSize.value_or(0), 768);

        const ImportedReal titan("torchtitan_qwen3_14b_run102_profile.log");
        const LaunchConfig& qwen = titan.sink.runs.front().launch;
        QCOMPARE(qwen.dataParallel.value_or(0), 8);
        QCOMPARE(qwen.globalBatch.value_or(0), 1280);
        QCOMPARE(qwen.microBatch.value_or(0), 160);
        QCOMPARE(qwen.sequenceLength.value_or(0), 128);
        QCOMPARE(qwen.model.value_or(""), std::string("qwen3 14B"));
        QCOMPARE(titan.units[0].gpuModel, std::string("NVIDIA B200"));
        QCOMPARE(titan.sink.runs.front().gpuModel, std::string("NVIDIA B200"));

        const ImportedReal nanochat("nanochat_speedrun_d24.log");
        const LaunchConfig& d24 = nanochat.sink.runs.front().launch;
        QCOMPARE(d24.layers.value_or(0), 24);
        QCOMPARE(d24.hiddenSize.value_or(0), 1536);
        QCOMPARE(d24.globalBatch.value_or(0), 524288 / 2048);
        QCOMPARE(d24.gradientAccumulation.value_or(0), 2);
        QCOMPARE(d24.vocabulary.value_or(0), 32768);
        QCOMPARE(nanochat.sink.runs.front().worldSize, 8);

        const ImportedReal golf("pgolf_8xH100_019b_train.txt");
        QCOMPARE(golf.sink.runs.front().launch.layers.value_or(0), 11);
        QCOMPARE(golf.sink.runs.front().launch.globalBatch.value_or(0), 384);

        const ImportedReal mlperf("mlperf_dell_64xH100_llama2_lora_result_0.txt");
        QCOMPARE(mlperf.sink.runs.front().launch.globalBatch.value_or(0), 8);
        QVERIFY(mlperf.sink.runs.front().launch.workload == Workload::Lora);
        QCOMPARE(
            mlperf.sink.runs.front().launch.model.value_or(""), std::string("llama2_70b_lora"));
    }
    // Without printed arguments the lines' own batch is the run's, unless it is ramped up.
    void batchOfLines() {
        const auto line = [](int index, int batch) {
            return " iteration " + std::to_string(index)
                + "/ 1000 | elapsed time per iteration (ms): 500.0 | global batch size: "
                + std::to_string(batch) + " | lm loss: 9.0 |\n";
        };
        const ImportedTraining steady(line(1, 256) + line(2, 256));
        QCOMPARE(steady.sink.runs.at(0).launch.globalBatch, std::optional(256));
        QCOMPARE(steady.sink.runs.at(0).launch.origin, std::string("train.log"));
        const ImportedTraining ramp(line(1, 256) + line(2, 512) + line(3, 512));
        QVERIFY(!ramp.sink.runs.at(0).launch.globalBatch);
    }
    // The evaluation before iteration 20 lasts 5 s, in its time alone: iterations 11 to 20 take
    // 9 · 0.5 s + 5.5 s = 10 s, those after it 5 s again.
    void evaluationOfNanoGpt() {
        const ImportedTraining log("iter 0: loss 10.9, time 52000.00ms, mfu -100.00%\n"
                                   "iter 10: loss 9.5, time 500.00ms, mfu 35.50%\n"
                                   "step 20: train loss 8.6, val loss 8.7\n"
                                   "iter 20: loss 8.5, time 5500.00ms, mfu 33.00%\n"
                                   "iter 30: loss 8.0, time 500.00ms, mfu 33.50%\n");
        const auto seconds = log.seconds();
        QCOMPARE(seconds.size(), std::size_t{31});
        QVERIFY(isNear(sum(seconds), 52.0 + 5.0 + 10.0 + 5.0, 1e-9));
        QVERIFY(isNear(seconds.back(), 0.5, 1e-9));
        const auto share = log.values("reported_mfu");
        QVERIFY(std::isnan(share.at(0)));
        QVERIFY(isNear(share.at(1), 0.355, 1e-9));
    }
    void ownKeys() {
        const ImportedReal log("megatron_deepspeed_gpt3_random_ltd_baseline.log");
        QCOMPARE(log.values("consumed_tokens").size(), std::size_t{47});
        QCOMPARE(log.values("reserve_length").size(), std::size_t{47});
        const auto& facts = log.reports[0].value().facts;
        VERIFY_SAYS(facts.at("own_metrics"), "reserve_length");
        const ImportedReal nemo("mlperf_nemo_moe_rcp_seed_1.out");
        QCOMPARE(nemo.values("eval_accuracy").size(), std::size_t{47});
        QVERIFY(nemo.values("step_time").empty());
    }
};

TRAINSCOPE_TEST(tst_TrainingLogs)
#include "tst_TrainingLogs.moc"
