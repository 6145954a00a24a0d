// Sources of planted folders that become one run, and those that stay apart. Settings of a folder:
// of the run that lies in it, else of all runs below.

#include "importers/common/RunFolders.h"
#include "importers/kineto/TraceText.h"
#include "importers/launch/LaunchFiles.h"
#include "importers/registry/PlantedWork.h"
#include "importers/registry/Registry.h"
#include "support/TestFiles.h"
#include "support/TestProgram.h"

#include <fmt/format.h>

using namespace trainscope::importers;
using namespace trainscope::test;

namespace {

using Files = std::vector<std::pair<std::string, std::string>>;
using Runs = std::map<std::string, std::vector<std::string>>; // by name: its files

// DeepSpeed's log of steps of 9 s each from so many seconds after midnight on.
std::string logAt(int second, int steps = 6) {
    std::string text;
    for (int step = 1; step <= steps; ++step) {
        const int now = second + 9 * step;
        const std::string stamp = fmt::format(
            "[2026-04-22 {:02}:{:02}:{:02},000]", now / 3600, now / 60 % 60, now % 60);
        text += fmt::format("{0} [INFO] [logging.py:96:log_dist] [Rank 0] step={1}, skipped=0, "
                            "lr=[1e-05], mom=[(0.9, 0.95)]\n{0} [INFO] [timer.py:199:stop] "
                            "epoch=0/micro_step={1}/global_step={1}, "
                            "RunningAvgSamplesPerSec=71.{1}, CurrSamplesPerSec=71.11\n",
            stamp, 10 * step);
    }
    return text;
}

std::string powerAt(int second) {
    return logOf(second, second + 60.0, {0}, [](int, double) { return true; });
}

// A trace of a millisecond that begins so many seconds after midnight.
std::string traceAt(int second) {
    return traceText({kernelText("k", std::to_string((kLogMidnight + second) * 1'000'000), "1000")},
        R"(, "deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3"}])");
}

Runs runsIn(Files files) {
    const auto tree = memoryTree(std::move(files));
    Runs runs;
    for (const ImportUnit& unit : planImport(*tree, {}).valueOr(ImportPlan{}).units) {
        if (unit.enabled)
            runs[unit.runName].push_back(unit.path);
    }
    return runs;
}

ImportUnit plannedUnit(Files files, const std::string& importer) {
    const auto tree = memoryTree(std::move(files));
    for (ImportUnit& unit : planImport(*tree, {}).valueOr(ImportPlan{}).units) {
        if (unit.importer == importer)
            return unit;
    }
    return {};
}

const std::string kPowerLog = "timestamp, index, power.draw [W]\n"
                              "2024/05/01 12:00:10.500, 0, 300.00 W\n"
                              "2024/05/01 12:00:10.500, 1, 310.00 W\n"
                              "2024/05/01 12:00:11.500, 0, 300.00 W\n"
                              "2024/05/01 12:00:11.500, 1, 310.00 W\n";

// Two readings of a GPU, an hour later in each file so that no two are of one job.
std::string stepLogOf(int hour) {
    std::string log = "timestamp, index, name, uuid, power.draw [W]\n";
    for (int second = 0; second < 2; ++second)
        log += "2026/03/01 " + std::to_string(10 + hour) + ":00:0" + std::to_string(second)
            + ".000, 0, NVIDIA H100 80GB HBM3, GPU-" + std::to_string(hour) + ", 400.00 W\n";
    return log;
}

struct Launches {
    std::map<std::string, LaunchConfig> of; // by the folder of the log
    std::map<std::string, QString> notes;

    explicit Launches(const Files& files) {
        const auto tree = memoryTree(files);
        const auto plan = planImport(*tree, {});
        for (const ImportUnit& unit : plan.value().units) {
            const std::string folder(folderPart(unit.files.front()));
            of[folder] = launch::readLaunchFiles(*tree, unit.launchFiles);
            for (const std::string& note : unit.notes)
                notes[folder] += QString::fromStdString(note) + QLatin1Char('\n');
        }
    }
};

} // namespace

class tst_RunsOfFolders : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // "memory" tells no job from another.
    void namesThatSayTooLittle() {
        QVERIFY(runsIn({{"job7/memory.csv", powerAt(0)}}).contains("job7/memory"));
        QVERIFY(
            runsIn({{"job7/memory/snapshot.csv", powerAt(0)}}).contains("job7/memory/snapshot"));
        QVERIFY(runsIn({{"job7/bert.csv", powerAt(0)}}).contains("bert"));
    }

    // The readings, the log and the trace of one job, each once.
    void aFolderOfOneJob() {
        QCOMPARE(runsIn({{"job/smi.csv", powerAt(0)}, {"job/train.log", logAt(0)},
                            {"job/prof/trace.json", traceAt(30)}})
                     .size(),
            std::size_t{1});
        QCOMPARE(runsIn({{"job/telemetry/gpus.csv", powerAt(0)}, {"job/logs/train.txt", logAt(0)}})
                     .size(),
            std::size_t{1});
    }
    // A day later, and within the minutes that a job takes to begin and to end.
    void timesOfALog() {
        const auto count = [](int second) {
            return runsIn({{"job/smi.csv", powerAt(0)}, {"job/train.log", logAt(second)}}).size();
        };
        QCOMPARE(count(0), std::size_t{1});
        QCOMPARE(count(300), std::size_t{1});
        QCOMPARE(count(3600), std::size_t{2});
        QCOMPARE(count(50'000), std::size_t{2});
        // UTC of the trace, and a log without a zone that may be UTC-10.
        QCOMPARE(runsIn({{"job/trace.json", traceAt(40)}, {"job/train.log", logAt(36'000)}}).size(),
            std::size_t{1});
    }
    // Two of a kind: whose the third is nobody says, whatever its name has in common with theirs.
    void namesThatAreAlikeJoinNothing() {
        QCOMPARE(runsIn({{"x_019b_smi.csv", powerAt(0)}, {"x_021_smi.csv", powerAt(5000)},
                            {"x_019b_train.txt", logAt(0)}, {"x_021_train.txt", logAt(5000)}})
                     .size(),
            std::size_t{4});
        QCOMPARE(
            runsIn({{"r/smi.csv", powerAt(0)}, {"r/one.log", logAt(0)}, {"r/two.log", logAt(9000)}})
                .size(),
            std::size_t{3});
    }
    // A folder for each experiment, and a table of all of them above.
    void experimentsBesideEachOther() {
        const Runs runs = runsIn({{"lr1/smi.csv", powerAt(0)}, {"lr1/train.log", logAt(0)},
            {"lr2/smi.csv", powerAt(9000)}, {"lr2/train.log", logAt(9000)},
            {"lr3/train.log", logAt(19'000)}});
        QCOMPARE(runs.size(), std::size_t{3});
        for (const char* name : {"lr1", "lr2"})
            QVERIFY2(runs.contains(name) && runs.at(name).size() == 2, name);
    }
    // Profiles of one GPU before and after a change; of one time as their clocks tell.
    void tracesBeforeAndAfter() {
        for (const int second : {30, 90}) {
            const Runs runs = runsIn(
                {{"t/before.json", traceAt(30)}, {"t/after.json", traceAt(second) + "\n"}});
            QCOMPARE(runs.size(), std::size_t{2});
        }
    }
    // NCCL's log of each attempt has the same name.
    void logsOfTwoAttempts() {
        const std::string nccl
            = "host1:101:101 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.1<0>\n"
              "host1:101:101 [0] NCCL INFO NCCL version 2.19.4+cuda12.3\n"
              "host1:101:121 [0] NCCL INFO comm 0x50 rank 0 nranks 2 cudaDev 0 nvmlDev 0 busId "
              "0b000 commId 0xab1 - Init COMPLETE\n";
        const Runs runs
            = runsIn({{"attempt_1/run_1.log", nccl}, {"attempt_2/run_1.log", nccl + nccl}});
        QCOMPARE(runs.size(), std::size_t{2});
        QVERIFY(runs.contains("attempt_1/run_1"));
        QVERIFY(runs.contains("attempt_2/run_1"));
    }
    // W&B's folder of a run, and what the program printed: both count the same 2,000 steps.
    void aTrackerAndTheLogBesideIt() {
        const std::string root = realFiles();
        if (root.empty())
            QSKIP("SKIPPED: no real files");
        const auto real = openDiskTree(root + "/data/wandb");
        Files files;
        for (const SourceFile& file : real.value()->files()) {
            files.emplace_back("lr1/wandb/" + file.path,
                readHead(*real.value(), file.path, 32 << 20).valueOr(std::string()));
            if (file.path.ends_with("output.log"))
                files.emplace_back("lr1/train.log", files.back().second);
        }
        const auto tree = memoryTree(std::move(files));
        const auto units = planImport(*tree, {}).valueOr(ImportPlan{}).units;
        QCOMPARE(units.size(), std::size_t{2});
        QCOMPARE(units[0].runName, units[1].runName);
        for (const ImportUnit& unit : units)
            QCOMPARE(unit.enabled, unit.importer == "wandb");
    }
    // The log of another job laid beside a recording of an H100: nothing says that they are one.
    void aStrangersLogBesideARecording() {
        const std::string root = realFiles();
        if (root.empty())
            QSKIP("SKIPPED: no real files");
        const auto text = [&root](const std::string& path) {
            const auto tree = openDiskTree(root + "/data/" + path);
            return readHead(*tree.value(), tree.value()->files().front().path, 32 << 20)
                .valueOr(std::string());
        };
        const Runs runs
            = runsIn({{"f/nvidia-smi.csv", text("h100_recording/training/nvidia-smi.csv")},
                {"f/training.log", text("wild_small/22-deepspeed-engine-lines/training.log")}});
        QCOMPARE(runs.size(), std::size_t{2});
    }

    // Facts of units before they are imported, from the first bytes of sources and the files beside
    // them.
    void ofALog() {
        const auto unit = plannedUnit({{"gpu.csv", kPowerLog}}, "nvsmi");
        // 2024-05-01 12:00:10.5 as if it were UTC.
        QVERIFY(unit.start == TimeNs{1'714'564'810'500'000'000});
        QCOMPARE(unit.gpusPerNode, 2);
        QVERIFY(unit.gpuModel.empty());
        const auto named = plannedUnit({{"gpu.csv",
                                           "timestamp, index, name, power.draw [W]\n"
                                           "2024/05/01 12:00:10, 0, NVIDIA H100, 300.00 W\n"}},
            "nvsmi");
        QCOMPARE(named.gpuModel, std::string("NVIDIA H100"));
    }

    void ofTelemetry() {
        const auto unit = plannedUnit(
            {{"h200/run/gpu_power_0.csv", "1700000000.25,100\n1700000001.25,101\n"}}, "charllm");
        QVERIFY(unit.start == TimeNs{1'700'000'000'250'000'000});
        QCOMPARE(unit.gpuModel, std::string("H200"));
    }

    // 100.5 µs after the base.
    void ofATrace() {
        const auto unit
            = plannedUnit({{"rank0.json",
                              R"({"schemaVersion":1,"deviceProperties":[{"id":0,"name":)"
                              R"("NVIDIA A100"},{"id":1,"name":"NVIDIA A100"}],)"
                              R"("baseTimeNanoseconds":1700000000000000000,"traceEvents":[)"
                              R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,)"
                              R"("ts":100.5,"dur":2}]})"}},
                "kineto");
        QVERIFY(unit.start == TimeNs{1'700'000'000'000'100'500});
        QCOMPARE(unit.gpuModel, std::string("NVIDIA A100"));
        QCOMPARE(unit.gpusPerNode, 2);
    }

    // Texts that lie beside name any GPU.
    void noTextBesideNamesIt() {
        for (const char* file : {"expected.txt", "train.log", "slurm-4711.out"}) {
            const auto unit = plannedUnit(
                {{"run/gpu.csv", kPowerLog},
                    {std::string("run/") + file, "[rank0]: using NVIDIA H100 80GB HBM3\n"}},
                "nvsmi");
            QVERIFY(unit.gpuModel.empty());
        }
    }

    void aboveSeveralRuns() {
        Launches found({{"sweep/a/smi.csv", stepLogOf(0)}, {"sweep/b/smi.csv", stepLogOf(1)},
            {"sweep/launch.sh", "train.py --num-layers 32 --micro-batch-size 2"},
            {"sweep/b/.env", "MICRO_BATCH_SIZE=4\n"}});
        QCOMPARE(found.of.at("sweep/a").layers, 32);
        QCOMPARE(found.of.at("sweep/a").microBatch, 2);
        // The nearer file goes before the farther one, and both are named.
        QCOMPARE(found.of.at("sweep/b").layers, 32);
        QCOMPARE(found.of.at("sweep/b").microBatch, 4);
        QVERIFY(found.notes.at("sweep/b").contains(
            QStringLiteral("sweep/launch.sh states another micro batch than "
                           "sweep/b/.env, which was taken.")));
    }

    // torchtitan's, beside the folder that it dumps into.
    void tomlOfTrainConfigs() {
        Launches found({{"titan/outputs/smi.csv", stepLogOf(0)},
            {"titan/train_configs/llama3_8b.toml",
                "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\nlocal_batch_size = 2\n"},
            {"titan/pyproject.toml", "[project]\nname = \"titan\"\n"}});
        QCOMPARE(found.of.at("titan/outputs").model, std::string("llama3-8B"));
        QCOMPARE(found.of.at("titan/outputs").microBatch, 2);
        QCOMPARE(
            found.of.at("titan/outputs").origin, std::string("titan/train_configs/llama3_8b.toml"));
    }

    void ofAnotherRun() {
        Launches found({{"sweep/smi.csv", stepLogOf(0)}, {"sweep/b/smi.csv", stepLogOf(1)},
            {"sweep/launch.sh", "train.py --num-layers 32"},
            {"sweep/b/version_0/hparams.yaml", "devices: 4\n"}});
        QCOMPARE(found.of.at("sweep").layers, 32);
        QVERIFY(!found.of.at("sweep").gpusPerNode);
        QVERIFY(!found.of.at("sweep/b").layers);
        QCOMPARE(found.of.at("sweep/b").gpusPerNode, 4);
    }

    void besideTheRunsFolder() {
        Launches found({{"job/logs/smi.csv", stepLogOf(0)},
            {"job/config/default_config.yaml",
                "mixed_precision: bf16\nnum_machines: 1\n"
                "num_processes: 8\n"},
            {"job/config/ds_config.json",
                R"({"train_micro_batch_size_per_gpu": 4, "zero_optimization": {"stage": 3}})"}});
        QCOMPARE(found.of.at("job/logs").gpusPerNode, 8);
        QCOMPARE(found.of.at("job/logs").zeroStage, 3);
        QCOMPARE(found.of.at("job/logs").precision, std::string("bf16"));
    }
};

TRAINSCOPE_TEST(tst_RunsOfFolders)
#include "tst_RunsOfFolders.moc"
