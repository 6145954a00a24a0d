// Run folders and the YAML files that go with them.

#include "importers/common/RunFolders.h"
#include "importers/launch/LaunchFiles.h"
#include "support/TestProgram.h"

#include <QtTest>

using namespace trainscope::importers;
using namespace trainscope::importers::launch;

namespace {

using Files = std::vector<std::pair<std::string, std::string>>;

std::string yamlOf(int devices) {
    return "trainer: {devices: " + std::to_string(devices) + "}\n";
}

LaunchMatch matchOf(
    const SourceTree& tree, const std::string& folder, const std::string& run = "run") {
    RunsByPlace places;
    const RunFolders runs(tree);
    for (const std::string& one : runs.telemetryFolders())
        places[one].insert(one == folder ? run : one);
    return LaunchFiles(tree, std::move(places)).find(folder, run);
}

std::string found(const Files& files, const std::string& runFolder) {
    const auto tree = memoryTree(files);
    const LaunchMatch match = matchOf(*tree, runFolder);
    if (match.paths.empty())
        return match.note.empty() ? "none" : "none, noted";
    std::string all;
    for (const std::string& path : match.paths)
        all += (all.empty() ? "" : " ") + path;
    return all;
}

} // namespace

class tst_LaunchFiles : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void match_data() {
        QTest::addColumn<Files>("files");
        QTest::addColumn<std::string>("run");
        QTest::addColumn<std::string>("expected");
        const std::string run = "results/sweep-h200/gpt3/gpt3_1_00000";
        const std::string yaml = yamlOf(8);
        QTest::newRow("nothing") << Files{{run + "/gpu_power_0.csv", ""}} << run
                                 << std::string("none");
        QTest::newRow("named, in the run") << Files{{run + "/gpt3_1_00000.yaml", yaml},
            {run + "/b.yaml", yaml}} << run << run + "/gpt3_1_00000.yaml";
        QTest::newRow("the only one in the run")
            << Files{{run + "/conf.yml", yaml}} << run << run + "/conf.yml";
        QTest::newRow("two in the run that agree") << Files{{run + "/a.yaml", yaml},
            {run + "/b.yaml", yaml}} << run << run + "/a.yaml " + run + "/b.yaml";
        QTest::newRow("two in the run that contradict") << Files{{run + "/a.yaml", yaml},
            {run + "/b.yaml", yamlOf(4)}} << run << std::string("none, noted");
        QTest::newRow("a folder of settings") << Files{{run + "/config/train.sh", "--num-layers 4"}}
                                              << run << run + "/config/train.sh";
        QTest::newRow("hydra") << Files{{run + "/.hydra/config.yaml", yaml},
            {run + "/.hydra/hydra.yaml", yaml}}
                               << run << run + "/.hydra/config.yaml";
        QTest::newRow("hparams") << Files{{run + "/version_0/hparams.yaml", yaml}} << run
                                 << run + "/version_0/hparams.yaml";
        QTest::newRow("beside the runs")
            << Files{{"results/sweep-h200/gpt3/gpt3_1_00000.yaml", yaml}} << run
            << std::string("results/sweep-h200/gpt3/gpt3_1_00000.yaml");
        QTest::newRow("beside the scripts")
            << Files{{"scripts/sweep-h200/gpt3/main/gpt3_1_00000.yaml", yaml},
                   {"scripts/sweep-h200/gpt3/main/gpt3_11_00000.yaml", yamlOf(4)},
                   {"scripts/sweep-h100/gpt3/main/gpt3_1_00000.yaml", yamlOf(4)}}
            << run << std::string("scripts/sweep-h200/gpt3/main/gpt3_1_00000.yaml");
        QTest::newRow("other GPU") << Files{{"scripts/sweep-h100/gpt3/gpt3_1_00000.yaml", yaml}}
                                   << run << std::string("none, noted");
        QTest::newRow("tie") << Files{{"a/gpt3_1_00000.yaml", yaml},
            {"b/gpt3_1_00000.yaml", yamlOf(4)}}
                             << run << std::string("none, noted");
        QTest::newRow("tie of equals")
            << Files{{"a/gpt3_1_00000.yaml", yaml}, {"b/gpt3_1_00000.yaml", yaml}} << run
            << std::string("a/gpt3_1_00000.yaml");
        QTest::newRow("no launch configuration") << Files{{run + "/gpt3_1_00000.yaml", "kind: Pod"}}
                                                 << run << std::string("none, noted");
        const std::string args = "--num-layers 4 --micro-batch-size 2";
        QTest::newRow("script beside")
            << Files{{run + "/train.sh", args}} << run << run + "/train.sh";
        QTest::newRow("script and JSON join the YAML")
            << Files{{run + "/a.yaml", yaml}, {run + "/train.sh", args},
                   {run + "/ds_config.json", R"({"zero_optimization": {"stage": 1}})"}}
            << run << run + "/a.yaml " + run + "/train.sh " + run + "/ds_config.json";
        QTest::newRow("scripts that agree")
            << Files{{run + "/a.sh", args}, {run + "/b.sh", "--num-layers 4 --seq-length 8"}} << run
            << run + "/a.sh " + run + "/b.sh";
        QTest::newRow("scripts that contradict")
            << Files{{run + "/a.sh", args}, {run + "/b.sh", "--num-layers 5"}} << run
            << std::string("none, noted");
        QTest::newRow("script that states nothing")
            << Files{{run + "/a.sh", "srun hostname"}} << run << std::string("none");
        QTest::newRow("script named like the run")
            << Files{{"scripts/gpt3_1_00000.sh", args}, {"scripts/gpt3_2_00000.sh", args}} << run
            << std::string("scripts/gpt3_1_00000.sh");
        QTest::newRow("a YAML goes before a script of that name")
            << Files{{"scripts/gpt3_1_00000.sh", args}, {"scripts/gpt3_1_00000.yaml", yaml}} << run
            << std::string("scripts/gpt3_1_00000.yaml");
        QTest::newRow("above the only run")
            << Files{{"r/a/gpu_power_0.csv", ""}, {"r/launch.yaml", yaml},
                   {"r/ds_config.json", R"({"train_batch_size": 16})"}}
            << std::string("r/a") << std::string("r/launch.yaml r/ds_config.json");
        QTest::newRow("at the root above the only run") << Files{{"r/a/gpu_power_0.csv", ""},
            {"train.sh", args}} << std::string("r/a") << std::string("train.sh");
        QTest::newRow("above several runs") << Files{{"r/a/gpu_power_0.csv", ""},
            {"r/b/gpu_power_0.csv", ""}, {"r/launch.yaml", yaml}}
                                            << std::string("r/a") << std::string("r/launch.yaml");
        QTest::newRow("another run is closer")
            << Files{{"r/lora/gpt3_1_00000/gpu_power_0.csv", ""},
                   {"r/tune/gpt3_1_00000/gpu_power_0.csv", ""}, {"s/lora/gpt3_1_00000.yaml", yaml}}
            << std::string("r/tune/gpt3_1_00000") << std::string("none, noted");
        QTest::newRow("the closer run")
            << Files{{"r/lora/gpt3_1_00000/gpu_power_0.csv", ""},
                   {"r/tune/gpt3_1_00000/gpu_power_0.csv", ""}, {"s/lora/gpt3_1_00000.yaml", yaml}}
            << std::string("r/lora/gpt3_1_00000") << std::string("s/lora/gpt3_1_00000.yaml");
    }
    void match() {
        QFETCH(Files, files);
        QFETCH(std::string, run);
        QFETCH(std::string, expected);
        QCOMPARE(found(files, run), expected);
    }

    void whatOneLeavesOpenAnotherFills() {
        const auto tree = memoryTree({{"r/a.yaml", "model: {num_layers: 4}\n"},
            {"r/ds_config.json", R"({"train_batch_size": 16, "num_layers": 5})"}});
        const LaunchMatch match = matchOf(*tree, "r");
        QCOMPARE(match.config.layers.value_or(0), 4);
        QCOMPARE(match.config.globalBatch.value_or(0), 16);
        QCOMPARE(match.config.origin, std::string("r/a.yaml, r/ds_config.json"));
    }

    // Logs say what was in force, and go before scripts.
    void whatIsStatedDifferentlyIsNoted() {
        const auto tree = memoryTree({{"r/launch.sh", "--num-layers 4 --micro-batch-size 2"},
            {"r/cmd-args.log", "train.py --num-layers 4 --micro-batch-size 1"}});
        const LaunchMatch match = matchOf(*tree, "r");
        QCOMPARE(match.config.microBatch.value_or(0), 1);
        QCOMPARE(match.config.origin, std::string("r/cmd-args.log, r/launch.sh"));
        QCOMPARE(match.note,
            std::string("r/launch.sh states another micro batch than r/cmd-args.log, which was "
                        "taken."));
    }

    void scriptsNamedLikeTheRun() {
        const auto tree = memoryTree({{"r/tp4.sh", "--tensor-model-parallel-size 4"},
            {"r/tp8.sh", "--tensor-model-parallel-size 8"}});
        QCOMPARE(matchOf(*tree, "r", "r/tp8").config.tensorParallel.value_or(0), 8);
        QVERIFY(matchOf(*tree, "r", "r/other").paths.empty());
        QVERIFY(!matchOf(*tree, "r", "r/other").note.empty());
        const LaunchFiles files(*tree, {{"r/tp8.sh", {"r/tp8"}}});
        QCOMPARE(files.find("r", "r/other").config.tensorParallel.value_or(0), 4);
    }

    void originIsThePath() {
        const auto tree = memoryTree({{"a/b/c.yaml", yamlOf(8)}});
        const LaunchMatch match = matchOf(*tree, "a/b");
        QCOMPARE(match.config.origin, std::string("a/b/c.yaml"));
        QCOMPARE(match.config.gpusPerNode.value_or(0), 8);
    }
};

TRAINSCOPE_TEST(tst_LaunchFiles)
#include "tst_LaunchFiles.moc"
