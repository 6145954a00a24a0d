// Settings of a folder: of the run that lies in it, else of all runs below.

#include "importers/common/RunFolders.h"
#include "importers/launch/LaunchFiles.h"
#include "importers/registry/Registry.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::importers;

namespace {

using Files = std::vector<std::pair<std::string, std::string>>;

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

class tst_FolderSettings : public QObject {
    Q_OBJECT

private Q_SLOTS:
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

TRAINSCOPE_TEST(tst_FolderSettings)
#include "tst_FolderSettings.moc"
