// Runs of experiment trackers: made byte by byte from the formats' descriptions, and the real files
// beside the checkout, whose figures a reader of bytes in another language gave.

#include "importers/registry/Registry.h"
#include "importers/support/ImportAll.h"
#include "importers/tracker/MadeRuns.h"
#include "support/TestFiles.h"
#include "support/TestProgram.h"

using namespace trainscope::test;

namespace {

const std::string kRunFolder = "wandb/run-20241012_153325-abc/";

MadeWandb madeWandb() {
    MadeWandb made;
    made.record(MadeMessage().bytes(21, ""));
    made.config({{"num_layers", "24"}, {"optimizer", R"({"type":"adamw"})"}, {"_wandb", "{}"}});
    for (int i = 0; i < 3; ++i) {
        const std::string step = std::to_string(10 * i);
        made.stats(1'700'000'000 + 10 * i, 250'000'000,
            {{"gpu.0.powerWatts", std::to_string(100 + i)}, {"gpu.1.powerWatts", "300.5"},
                {"gpu.1.temp", "65"}, {"gpu.process.1.powerWatts", "1"}, {"cpu", "50"},
                {"cpu.0.cpu_percent", "10"}, {"cpu.1.cpu_percent", "30"}});
        made.history(i,
            {{"iter", step}, {"train/loss", std::to_string(4 - i)}, {"val/loss", "\"NaN\""},
                {"image", R"({"_type":"image-file","path":"x"})"},
                {"_timestamp", "1.70000000" + std::to_string(i) + "5e+09"}});
    }
    return made;
}

// The files of W&B's folder with that log.
NamedFiles wandbFolder(const std::string& log) {
    return {{kRunFolder + "run-abc.wandb", log},
        {kRunFolder + "files/config.yaml",
            "wandb_version: 1\n_wandb:\n    value:\n        cli_version: 0.18\n"
            "micro_batch_size:\n    value: 4\ntensor_model_parallel_size:\n    value: 2\n"},
        {kRunFolder + "files/wandb-metadata.json",
            R"({"args":["--global-batch-size=64","--bf16"],"gpu_count":2,)"
            R"("gpu":"[NVIDIA H100 80GB HBM3, NVIDIA H100 80GB HBM3]"})"},
        {kRunFolder + "files/wandb-summary.json", R"({"_step":2})"},
        {kRunFolder + "files/output.log", "hello\n"}};
}

std::vector<double> ofRun(const ImportedAll& got, const std::string& metric) {
    return got.values(metric, {SubjectKind::Run, -1, -1, {}});
}

double mean(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

using Numbers = std::vector<double>;

} // namespace

class tst_Tracker : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void wandbFolderIsOneRun() {
        const ImportedAll got(*importers::memoryTree(wandbFolder(madeWandb().bytes())));
        QCOMPARE(got.plan.units.size(), std::size_t{1});
        QVERIFY(got.plan.unrecognised.empty());
        QCOMPARE(got.plan.units[0].importer, std::string("wandb"));
        QCOMPARE(got.plan.units[0].start, std::optional(TimeNs{1'700'000'000'250'000'000}));
        QCOMPARE(got.sink.runs.size(), std::size_t{1});
        const Run& run = got.sink.runs[0];
        QCOMPARE(run.name, std::string("run-20241012_153325-abc"));
        QCOMPARE(run.gpuModel, std::string("NVIDIA H100 80GB HBM3"));
        QCOMPARE(run.launch.layers, std::optional(24)); // from the log
        QCOMPARE(run.launch.microBatch, std::optional(4)); // from config.yaml
        QCOMPARE(run.launch.tensorParallel, std::optional(2));
        QCOMPARE(run.launch.globalBatch, std::optional(64)); // from the command
        QCOMPARE(run.launch.precision, std::optional(std::string("bf16")));
        QCOMPARE(got.ofGpu("gpu_power", 0), (Numbers{100, 101, 102}));
        QCOMPARE(got.ofGpu("gpu_power", 1), (Numbers{300.5, 300.5, 300.5}));
        QCOMPARE(got.ofNode("cpu_utilization"), (Numbers{0.2, 0.2, 0.2}));
        QCOMPARE(got.ofNode("proc_cpu_percent"), (Numbers{50, 50, 50}));
        QCOMPARE(got.seconds("gpu_power"), (Numbers{0, 10, 20}));
        QCOMPARE(ofRun(got, "loss"), (Numbers{4, 3, 2}));
        // Iterations count as the program does, not W&B's records.
        QCOMPARE(got.sink.iterations.back().second.index, std::int64_t{20});
        QCOMPARE(got.sink.iterations.back().second.range.length(), DurationNs{100'000'000});
    }

    // Two runs of one name; W&B keeps links to the last run's own log beside the folders.
    void wandbHasItsName() {
        MadeWandb made = madeWandb();
        made.record(
            MadeMessage().bytes(17, MadeMessage().bytes(1, "abc").bytes(8, "tall ship").text()));
        const ImportedAll got(
            *importers::memoryTree({{"wandb/debug.log", "2025-01-01 INFO MainThread:1 setup\n"},
                {"wandb/run-1-abc/run-abc.wandb", made.bytes()},
                {"wandb/run-2-def/run-def.wandb", made.bytes()}}));
        QVERIFY(got.plan.unrecognised.empty());
        QCOMPARE(got.plan.units.size(), std::size_t{2});
        QCOMPARE(got.plan.units[0].runName, std::string("tall ship"));
        QCOMPARE(got.plan.units[1].runName, std::string("tall ship def"));
    }

    void wandbIsCut() {
        const std::string whole = madeWandb().bytes();
        for (const std::size_t missing : {1U, 40U, 120U}) {
            const ImportedAll got(
                *importers::memoryTree({{"a.wandb", whole.substr(0, whole.size() - missing)}}));
            QCOMPARE(got.sink.runs.size(), std::size_t{1});
            QVERIFY(got.sink.runs[0].status == RunStatus::Partial);
            VERIFY_SAYS(got.warnings(), "ends inside the record at byte");
            QCOMPARE(got.ofGpu("gpu_power", 0), (Numbers{100, 101, 102}));
            QCOMPARE(ofRun(got, "loss"), (Numbers{4, 3}));
        }
        const ImportedAll sound(*importers::memoryTree({{"a.wandb", whole}}));
        QVERIFY(sound.sink.runs[0].status == RunStatus::Ok);
        QCOMPARE(sound.warnings(), std::string());
    }

    // A long record lies in several blocks; a byte of it changes.
    void wandbIsDamaged() {
        MadeWandb made;
        made.stats(1'700'000'000, 0, {{"gpu.0.powerWatts", "100"}});
        made.config({{"notes", '"' + std::string(70'000, 'x') + '"'}});
        made.stats(1'700'000'010, 0, {{"gpu.0.powerWatts", "200"}});
        std::string bytes = made.bytes();
        const ImportedAll sound(*importers::memoryTree({{"a.wandb", bytes}}));
        QCOMPARE(sound.ofGpu("gpu_power", 0), (Numbers{100, 200}));
        QCOMPARE(sound.warnings(), std::string());

        bytes[40'000] = 'y';
        const ImportedAll got(*importers::memoryTree({{"a.wandb", bytes}}));
        QCOMPARE(got.ofGpu("gpu_power", 0), (Numbers{100, 200}));
        VERIFY_SAYS(got.warnings(), "The record at byte 32768 is damaged");

        // A length beyond its block: the next block is read.
        bytes = made.bytes();
        bytes[32'768 + 5] = '\xff';
        const ImportedAll next(*importers::memoryTree({{"a.wandb", bytes}}));
        QCOMPARE(next.ofGpu("gpu_power", 0), (Numbers{100, 200}));
        VERIFY_SAYS(next.warnings(), "The record at byte 32768 is damaged");
    }

    void wandbWithoutGpus() {
        MadeWandb made;
        made.history(0, {{"loss", "2"}, {"_timestamp", "1700000000"}});
        made.history(1, {{"train", R"({"loss":1.5,"name":"x"})"}, {"_timestamp", "1700000001"}});
        const ImportedAll got(*importers::memoryTree({{"a.wandb", made.bytes()}}));
        QCOMPARE(ofRun(got, "loss"), (Numbers{2, 1.5}));
        const ImportedAll none(*importers::memoryTree({{"a.wandb", MadeWandb().bytes()}}));
        QVERIFY(!none.reports.at(0).hasValue());
        QVERIFY(none.reports[0].error().message.find("no iteration") != std::string::npos
            || none.reports[0].error().message.find("telemetry") != std::string::npos);
    }

    void outputWhereHistoryIsEmpty() {
        MadeWandb made;
        made.stats(1'700'000'000, 0, {{"gpu.0.powerWatts", "100"}});
        made.stats(1'700'000'010, 0, {{"gpu.0.powerWatts", "200"}});
        auto files = wandbFolder(made.bytes());
        files.back().second = "iter 0: loss 4.5, time 2000.00ms, mfu 10.00%\n"
                              "iter 1: loss 3.5, time 1000.00ms, mfu 10.00%\n";
        const ImportedAll got(*importers::memoryTree(std::move(files)));
        QCOMPARE(got.plan.units.size(), std::size_t{1});
        QCOMPARE(ofRun(got, "loss"), (Numbers{4.5, 3.5}));
        // It has no dates of its own: it begins with the run.
        QCOMPARE(got.sink.iterations.at(0).second.range.begin, (TimeNs{1'700'000'000'000'000'000}));
        QCOMPARE(got.sink.iterations.at(1).second.range.length(), DurationNs{1'000'000'000});
    }

    void eventsOfOneFolder() {
        MadeEvents first;
        first.scalar(1.7e9, 10, "train/loss", 4.5F);
        first.scalar(1.7e9 + 0.001, 10, "train/learning_rate", 0.25F);
        first.tensor(1.7e9 + 20, 20, "train/loss", 3.5F);
        MadeEvents second;
        second.scalar(1.7e9 + 40, 30, "train/loss", 2.5F);
        second.scalar(1.7e9 + 41, 30, "train/train_runtime", 41.0F);
        second.scalar(1.7e9 + 41, 30, "train/train_samples_per_second", 8.0F);
        second.scalar(1.7e9 + 41, 30, "train/train_loss", 3.5F);
        const ImportedAll got(
            *importers::memoryTree({{"exp/runs/events.out.tfevents.1.h.1.0", first.bytes()},
                {"exp/runs/events.out.tfevents.2.h.2.0", second.bytes()}}));
        QCOMPARE(got.plan.units.size(), std::size_t{1});
        QCOMPARE(got.plan.units[0].importer, std::string("tensorboard"));
        QCOMPARE(got.plan.units[0].start, std::optional(TimeNs{1'700'000'000'000'000'000}));
        QCOMPARE(got.sink.runs.at(0).name, std::string("exp/runs"));
        QCOMPARE(ofRun(got, "loss"), (Numbers{4.5, 3.5, 2.5}));
        QCOMPARE(ofRun(got, "learning_rate"), (Numbers{0.25}));
        QCOMPARE(ofRun(got, "sample_rate"), (Numbers{8}));
        QCOMPARE(ofRun(got, "mean_train_loss"), (Numbers{3.5})); // over the whole run
        QCOMPARE(got.sink.iterations.size(), std::size_t{20});
        QCOMPARE(got.sink.iterations.back().second.range.length(), DurationNs{2'000'000'000});
        QCOMPARE(got.warnings(), std::string());
    }

    // The folder of the attempt holds more than that of its events.
    void eventsInsideTheFolderOfAnAttempt() {
        MadeEvents events;
        std::string power = "timestamp,index,power.draw [W]\n";
        for (int i = 1; i <= 3; ++i) {
            events.scalar(1'776'816'000.0 + 10 * i, i, "train/loss", 2.0F);
            power += "2026-04-22T00:00:" + std::to_string(10 * i) + "Z,0,300.0 W\n";
        }
        const std::string attempt = "lora-8xH200/attempt_2";
        const ImportedAll got(*importers::memoryTree({{attempt + "/smi.csv", power},
            {attempt + "/results/runs/May06_host/events.out.tfevents.1.h.1.0", events.bytes()}}));
        QCOMPARE(got.plan.units.size(), std::size_t{2});
        for (const auto& unit : got.plan.units)
            QCOMPARE(unit.runName, attempt);
    }

    void eventsOfTwoPrograms() {
        MadeEvents nemo;
        nemo.scalar(1.7e9, 10, "reduced_train_loss", 4.5F);
        nemo.scalar(1.7e9, 10, "train_step_timing in s", 2.0F);
        MadeEvents face;
        face.scalar(1.7e9 + 99, 10, "train/loss", 1.5F);
        const ImportedAll got(*importers::memoryTree({{"events.out.tfevents.1.h.1.0", nemo.bytes()},
            {"events.out.tfevents.2.h.2.0", face.bytes()}}));
        QCOMPARE(got.sink.runs.size(), std::size_t{2});
        QCOMPARE(got.sink.iterations.at(0).second.range.length(), DurationNs{2'000'000'000});
    }

    void eventsAreDamaged() {
        const auto made = [] {
            MadeEvents events;
            for (int i = 1; i <= 3; ++i)
                events.scalar(1.7e9 + i, i, "loss", static_cast<float>(5 - i));
            return events.bytes();
        };
        const std::string whole = made();
        const std::string head = MadeEvents().bytes();
        const std::size_t each = (whole.size() - head.size()) / 3;
        const auto lossOf = [](std::string bytes, std::string& warnings, RunStatus& status) {
            const ImportedAll got(
                *importers::memoryTree({{"events.out.tfevents.1.h.1.0", std::move(bytes)}}));
            warnings = got.warnings();
            status = got.sink.runs.at(0).status;
            return ofRun(got, "loss");
        };
        std::string warnings;
        RunStatus status{};
        QCOMPARE(lossOf(whole, warnings, status), (Numbers{4, 3, 2}));
        QCOMPARE(warnings, std::string());
        // Data of the second; its place is told, what follows is read.
        std::string bytes = whole;
        bytes[head.size() + 2 * each - 6] ^= 1;
        QCOMPARE(lossOf(bytes, warnings, status), (Numbers{4, 2}));
        VERIFY_SAYS(
            warnings, "at byte " + std::to_string(head.size() + each) + " is damaged: left out");
        // Its length: where the next begins is not known.
        bytes = whole;
        bytes[head.size() + each + 6] ^= 1;
        QCOMPARE(lossOf(bytes, warnings, status), (Numbers{4}));
        VERIFY_SAYS(warnings, "what follows cannot be read");
        QCOMPARE(lossOf(whole.substr(0, whole.size() - 5), warnings, status), (Numbers{4, 3}));
        VERIFY_SAYS(warnings, "ends inside the record");
        QVERIFY(status == RunStatus::Partial);
    }

    // Megatron-LM draws all twice, and calls FLOP per second of a GPU its throughput.
    void eventsOfMegatron() {
        MadeEvents made;
        for (int i = 1; i <= 2; ++i) {
            const double time = 1.7e9 + 2 * i;
            made.scalar(time, i, "learning-rate", 0.5F);
            made.scalar(time, 64 * i, "learning-rate vs samples", 0.5F);
            made.scalar(time, i, "batch-size", 64.0F);
            made.scalar(time, i, "lm loss", static_cast<float>(4 - i));
            made.scalar(time, 64 * i, "lm loss vs samples", static_cast<float>(4 - i));
            made.scalar(time, i, "iteration-time", 2.0F);
            made.scalar(time, i, "throughput", 400.0F);
        }
        const ImportedAll got(
            *importers::memoryTree({{"events.out.tfevents.1.h.1.0", made.bytes()}}));
        QCOMPARE(ofRun(got, "loss"), (Numbers{3, 2}));
        QCOMPARE(ofRun(got, "learning_rate"), (Numbers{0.5, 0.5}));
        QCOMPARE(ofRun(got, "reported_flops"), (Numbers{4e14, 4e14}));
        QCOMPARE(ofRun(got, "sample_rate"), (Numbers{32, 32}));
        QCOMPARE(got.sink.iterations.size(), std::size_t{2});
        QCOMPARE(got.sink.runs.at(0).launch.globalBatch, std::optional(64));
    }

    void textsAreSettings() {
        MadeEvents made;
        made.text("num_layers", "24");
        made.text("args", R"({"per_device_train_batch_size": 2, "bf16": true})");
        made.text("hyperparameters", "|param|value|\n|-|-|\n|seq_length|2048|");
        const auto number
            = MadeMessage().bytes(1, "hidden_size").bytes(2, MadeMessage().real(2, 512).text());
        const auto start = MadeMessage().bytes(3, MadeMessage().bytes(1, number.text()).text());
        const auto plugin = MadeMessage().bytes(1, "hparams").bytes(2, start.text());
        made.value(1.5e9, 0,
            MadeMessage()
                .bytes(1, "_hparams_/session_start_info")
                .bytes(9, MadeMessage().bytes(1, plugin.text()).text()));
        made.scalar(1.7e9, 1, "loss", 1.0F);
        const ImportedAll got(
            *importers::memoryTree({{"events.out.tfevents.1.h.1.0", made.bytes()}}));
        const LaunchConfig& launch = got.sink.runs.at(0).launch;
        QCOMPARE(launch.layers, std::optional(24));
        QCOMPARE(launch.microBatch, std::optional(2));
        QCOMPARE(launch.precision, std::optional(std::string("bf16")));
        QCOMPARE(launch.sequenceLength, std::optional(2048));
        QCOMPARE(launch.hiddenSize, std::optional(512));
    }

    void mlflowFolderIsARun() {
        const ImportedAll got(*importers::memoryTree(mlflowFolder()));
        QCOMPARE(got.plan.units.size(), std::size_t{1});
        QVERIFY(got.plan.unrecognised.empty());
        QCOMPARE(got.plan.units[0].importer, std::string("mlflow"));
        QCOMPARE(got.plan.units[0].start, std::optional(TimeNs{1'700'000'000'000'000'000}));
        QCOMPARE(got.sink.runs.size(), std::size_t{1});
        QCOMPARE(got.sink.runs[0].name, std::string("calm-fox-1"));
        QCOMPARE(got.sink.runs[0].launch.layers, std::optional(24));
        QCOMPARE(ofRun(got, "loss"), (Numbers{4.5, 3.5}));
        QCOMPARE(ofRun(got, "learning_rate"), (Numbers{0.001, 0.002}));
        QCOMPARE(got.sink.iterations.size(), std::size_t{10});
        QCOMPARE(got.ofGpu("gpu_power"), (Numbers{100, 300, 200}));
        QCOMPARE(got.joules(), 200.0 * 10 + 250.0 * 10);
        QCOMPARE(got.ofGpu("mem_used"), (Numbers{1e9, 2.0005e9, 2.0005e9}));
        QCOMPARE(got.ofNode("cpu_utilization"), (Numbers{0.125}));

        auto late = mlflowFolder();
        const std::size_t at = late[0].second.find("1700000000000");
        QVERIFY(at != std::string::npos);
        late[0].second.insert(at, "9"); // more nanoseconds than a time holds
        const ImportedAll beyond(*importers::memoryTree(std::move(late)));
        QCOMPARE(beyond.plan.units[0].start, std::optional<TimeNs>());
        QCOMPARE(ofRun(beyond, "loss"), (Numbers{4.5, 3.5}));

        auto inside = mlflowFolder(); // as one opens the run's folder itself
        for (auto& [path, text] : inside)
            path.erase(0, path.find("abcdef/") + 7);
        QCOMPARE(ofRun(ImportedAll(*importers::memoryTree(std::move(inside))), "loss"),
            (Numbers{4.5, 3.5}));

        auto files = mlflowFolder();
        files[4].second += "nonsense\n";
        const ImportedAll damaged(*importers::memoryTree(std::move(files)));
        VERIFY_SAYS(damaged.warnings(), "Line 3 is no");
        QCOMPARE(ofRun(damaged, "loss"), (Numbers{4.5, 3.5}));
    }

    void mlflowDatabaseHasRuns() {
        const ImportedAll got(*importers::memoryTree({{"mlflow.db", mlflowDatabase()}}));
        QCOMPARE(got.plan.units.size(), std::size_t{2});
        QCOMPARE(got.sink.runs.size(), std::size_t{2});
        QCOMPARE(got.sink.runs[0].name, std::string("same"));
        QCOMPARE(got.sink.runs[1].name, std::string("same bbbbbbbb"));
        QCOMPARE(got.sink.runs[1].launch.layers, std::optional(32));
        QVERIFY(!got.sink.runs[0].launch.layers);
        std::vector<Numbers> losses;
        for (const RecordedSeries& series : got.sink.allSeries) {
            if (series.description.metric.name == "loss")
                losses.push_back(series.values);
        }
        QCOMPARE(losses, (std::vector<Numbers>{{5}, {4, 3}}));
        QCOMPARE(got.ofGpu("gpu_power", 1), (Numbers{250}));
    }

    void otherStoresAreNamed() {
        for (const auto& [path, tracker] :
            {std::pair{"exp/.aim/meta/1.sst", "Aim"}, {".neptune/async/data-1.log", "Neptune"},
                {"a/.cometml-runs/b.json", "Comet"}, {".clearml/cache/task.json", "ClearML"}}) {
            const ImportedAll got(*importers::memoryTree({{path, "{\"a\":1}\n"}}));
            QCOMPARE(got.plan.unrecognised.size(), std::size_t{1});
            const std::string& reason = got.plan.unrecognised[0].reason;
            QVERIFY(reason.starts_with(
                std::string(tracker) + "'s own store, which is not read: export"));
        }
    }

    void realWandb() {
        if (realFiles().empty())
            QSKIP("The real files are not there (TRAINSCOPE_SHARED).");
        const ImportedAll got(*importers::openDiskTree(realFiles() + "/data/wandb").value());
        QCOMPARE(got.plan.units.size(), std::size_t{1});
        QCOMPARE(got.sink.runs.size(), std::size_t{1});
        QCOMPARE(got.sink.runs[0].name, std::string("gpt2"));
        QCOMPARE(got.sink.runs[0].gpuModel, std::string("NVIDIA H100 80GB HBM3"));
        QCOMPARE(got.sink.runs[0].launch.layers, std::optional(12));
        QCOMPARE(got.sink.runs[0].launch.sequenceLength, std::optional(1024));
        QCOMPARE(got.sink.runs[0].launch.globalBatch, std::optional(12 * 40));
        const Numbers watts{651.0362807, 605.9310527, 606.9310526, 606.5026667, 131.7147368,
            429.6519298, 350.9750000, 127.6141930};
        for (int rank = 0; rank < 8; ++rank) {
            const auto power = got.ofGpu("gpu_power", rank);
            QCOMPARE(power.size(), std::size_t{57});
            QVERIFY(std::abs(mean(power) - watts[static_cast<std::size_t>(rank)]) < 1e-6);
            QCOMPARE(got.ofGpu("sm_clock", rank).size(), std::size_t{57});
        }
        QVERIFY(std::abs(mean(got.ofGpu("gpu_temperature", 0)) - 64.4912281) < 1e-6);
        QVERIFY(std::abs(mean(got.ofGpu("mem_used", 5)) - 23739105280.0) < 1.0);
        QVERIFY(std::abs(mean(got.ofGpu("sm_clock", 6)) - 1.59e9) < 1.0);
        const auto loss = ofRun(got, "loss");
        QCOMPARE(loss.size(), std::size_t{11});
        QCOMPARE(loss.front(), 4.450099945068359);
        QCOMPARE(loss.back(), 0.03039759211242199);
        QCOMPARE(got.sink.iterations.back().second.index, std::int64_t{2000});
        const auto evaluated = ofRun(got, "val_loss");
        QCOMPARE(evaluated.size(), std::size_t{11});
        QCOMPARE(evaluated.back(), 4.266106605529785);
    }

    void realEvents() {
        if (realFiles().empty())
            QSKIP("The real files are not there (TRAINSCOPE_SHARED).");
        const std::string folder = realFiles() + "/data/tensorboard/events.out.tfevents.";
        const ImportedAll nemo(*importers::openDiskTree(folder + "1778099096.node0.843.0").value());
        const auto loss = ofRun(nemo, "loss");
        QCOMPARE(loss.size(), std::size_t{103});
        QCOMPARE(static_cast<float>(loss.front()), 11.170564651489258F);
        QCOMPARE(static_cast<float>(loss.back()), 4.432695388793945F);
        const auto seconds = ofRun(nemo, "step_time");
        QCOMPARE(ofRun(nemo, "consumed_samples").back(), 32960.0);
        QCOMPARE(ofRun(nemo, "val_loss").size(), std::size_t{3});
        QCOMPARE(nemo.sink.runs.at(0).launch.globalBatch, std::optional(32));
        QVERIFY(std::abs(seconds.front() - 2.368300676) < 1e-6);
        QCOMPARE(seconds.size(), std::size_t{103});

        const ImportedAll face(*importers::openDiskTree(folder + "1778109779.node0.262.0").value());
        const auto losses = ofRun(face, "loss");
        QCOMPARE(losses.size(), std::size_t{29});
        QCOMPARE(static_cast<float>(losses.front()), 2.1921000480651855F);
        QCOMPARE(static_cast<float>(losses.back()), 1.2001999616622925F);
        QCOMPARE(ofRun(face, "sample_rate").size(), std::size_t{1});
        QCOMPARE(ofRun(face, "eval_loss").size(), std::size_t{6});
        QCOMPARE(face.sink.runs.at(0).launch.microBatch, std::optional(1));

        const ImportedAll both(*importers::openDiskTree(realFiles() + "/data/tensorboard").value());
        QCOMPARE(both.sink.runs.size(), std::size_t{2}); // two programs
    }
};

TRAINSCOPE_TEST(tst_Tracker)
#include "tst_Tracker.moc"
