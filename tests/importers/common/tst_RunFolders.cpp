// Folders that are runs, their names, and the words of CharLLM-PPT's file names. Telemetry files
// of one machine each that belong together by their names.

#include "importers/common/RunFolders.h"
#include "support/TestProgram.h"

using namespace trainscope::importers;
using namespace std::string_literals;

class tst_RunFolders : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void fileNames_data() {
        const auto row
            = trainscope::test::columns<QByteArray, QByteArray, int, QByteArray, bool, bool>(
                "file", "metric", "rank", "device", "isSystem", "isKnown");
        row("gpu", "gpu_power_0.csv", "gpu_power", 0, QByteArray(), false, true);
        row("rank 63", "nvlink_rx_throughput_63.csv", "nvlink_rx_throughput", 63, QByteArray(),
            false, true);
        row("amd", "power_3.csv", "power", 3, QByteArray(), false, true);
        row("compressed", "sm_clock_1.csv.gz", "sm_clock", 1, QByteArray(), false, true);
        row("no suffix", "sm_clock_1", "sm_clock", 1, QByteArray(), false, true);
        row("system", "system_ib_rx_bytes_rank_8_id_ib0.csv", "ib_rx_bytes", 8, "ib0", true, true);
        row("system, odd device", "system_ib_tx_bytes_rank_0_id_mlx5_0.8001.csv", "ib_tx_bytes", 0,
            "mlx5_0.8001", true, true);
        row("system, no device", "system_cpu_usage_rank_16.csv", "cpu_usage", 16, QByteArray(),
            true, true);
        row("unknown metric", "fan_speed_2.csv", "fan_speed", 2, QByteArray(), false, false);
        row("not telemetry", "results.csv", QByteArray(), -1, QByteArray(), false, false);
        row("no rank", "gpu_power_x.csv", QByteArray(), -1, QByteArray(), false, false);
        row("silly rank", "gpu_power_99999999999.csv", QByteArray(), -1, QByteArray(), false,
            false);
    }
    void fileNames() {
        QFETCH(QByteArray, file);
        QFETCH(QByteArray, metric);
        QFETCH(int, rank);
        QFETCH(QByteArray, device);
        QFETCH(bool, isSystem);
        QFETCH(bool, isKnown);
        const auto name = telemetryName(file.toStdString());
        QCOMPARE(name.has_value(), rank >= 0);
        const TelemetryName found = name.value_or(TelemetryName{});
        QCOMPARE(found.metric, metric.toStdString());
        QCOMPARE(found.rank, std::max(rank, 0));
        QCOMPARE(found.device, device.toStdString());
        QCOMPARE(found.isSystem, isSystem);
        QCOMPARE(found.isKnown, isKnown);
    }

    void nestedSweeps() {
        const auto tree = memoryTree({{"sweep/gpt3/gpt3_1_00000/gpu_power_0.csv", ""},
            {"sweep/gpt3/gpt3_1_00000/10_kineto/a.json", ""},
            {"sweep/gpt3/gpt3_1_00000/2_kineto/b.json", ""},
            {"sweep/gpt3/gpt3_2_00000/7_kineto/deep/c.json.gz", ""}, {"other/trace.json", ""},
            {"sweep/gpt3/gpt3_1_00000/notes/n.txt", ""}});
        const RunFolders folders(*tree);
        using Folder = std::optional<std::string>;
        const std::string first = "sweep/gpt3/gpt3_1_00000";
        QVERIFY(folders.folderOf(first + "/gpu_power_0.csv") == Folder(first));
        QVERIFY(folders.folderOf(first + "/10_kineto/a.json") == Folder(first));
        QVERIFY(folders.folderOf(first + "/notes/n.txt") == Folder(first));
        QVERIFY(folders.folderOf("sweep/gpt3/gpt3_2_00000/7_kineto/deep/c.json.gz")
            == Folder("sweep/gpt3/gpt3_2_00000"));
        QVERIFY(folders.folderOf("other/trace.json") == std::nullopt);
        QCOMPARE(folders.nameOf(first), first);
        QVERIFY(!folders.isSuperseded(first + "/10_kineto/a.json"));
        QVERIFY(folders.isSuperseded(first + "/2_kineto/b.json"));
        QVERIFY(!folders.isSuperseded("sweep/gpt3/gpt3_2_00000/7_kineto/deep/c.json.gz"));
        QVERIFY(!folders.isSuperseded("other/trace.json"));
        QVERIFY(folders.hasTelemetry(first));
        QVERIFY(!folders.hasTelemetry("sweep/gpt3/gpt3_2_00000"));
    }

    void runFolderAsRoot() {
        const QTemporaryDir folder;
        const QDir run(folder.filePath(QStringLiteral("llama_3_01000")));
        QVERIFY(run.mkpath(QStringLiteral("3_kineto")));
        for (const char* name : {"gpu_power_0.csv", "3_kineto/t.json"}) {
            QFile file(run.filePath(QString::fromLatin1(name)));
            QVERIFY(file.open(QIODevice::WriteOnly));
        }
        const auto tree = openDiskTree(run.path().toStdString());
        QVERIFY(tree.hasValue());
        const RunFolders folders(*tree.value());
        QCOMPARE(folders.folderOf("gpu_power_0.csv").value_or("none"), std::string());
        QCOMPARE(folders.folderOf("3_kineto/t.json").value_or("none"), std::string());
        QCOMPARE(folders.nameOf(""), std::string("llama_3_01000"));
    }

    void unknownMetricsMakeNoRun() {
        const auto tree = memoryTree({{"a/trace_0.json", ""}, {"a/rank_1.json", ""}});
        QVERIFY(RunFolders(*tree).folderOf("a/trace_0.json") == std::nullopt);
    }

    void names_data() {
        // node: -1: none
        const auto row = test::columns<int, QString, QString>("node", "before", "word");

        row("run/dell_64xH100_node_3.txt", 3, "dell_64xH100_", "node_");
        row("Host12.csv", 12, "", "Host");
        row("gpunode07.csv.gz", 7, "gpu", "node");
        row("smi_worker-2.log", 2, "smi_", "worker-");
        row("sw_0.txt", -1, "", "sw_");
        for (const char* path : {"smi.csv", "node.csv", "brainsw1.csv", "node_3/smi.csv"})
            row(path, -1, "", "");
    }
    void names() {
        QFETCH(int, node);
        QFETCH(QString, before);
        QFETCH(QString, word);
        const NodeFileName name = nodeFileName(QTest::currentDataTag());
        QCOMPARE(name.node.value_or(-1), node);
        QCOMPARE(QString::fromStdString(name.before), before);
        QCOMPARE(QString::fromStdString(name.word), word);
    }

    // Nodes in the order of their numbers, switches behind them; other folders and kinds apart.
    void groups() {
        std::vector<SourceFile> files;
        for (const char* path : {"a/node10.csv", "a/node2.csv", "a/other.csv", "b/node2.csv",
                 "a/node3.csv", "c/sw1.csv", "c/node1.csv"})
            files.emplace_back().path = path;
        const std::vector<std::string> keys{"x", "x", "x", "x", "y", "x", "x"};
        std::set<std::string> found;
        for (const auto& group : groupByNode(files, keys)) {
            std::string text;
            for (const SourceFile& file : group)
                text += file.path + " ";
            found.insert(text);
        }
        QCOMPARE(found,
            (std::set{"a/node2.csv a/node10.csv "s, "a/other.csv "s, "b/node2.csv "s,
                "a/node3.csv "s, "c/node1.csv c/sw1.csv "s}));
    }
};

TRAINSCOPE_TEST(tst_RunFolders)
#include "tst_RunFolders.moc"
