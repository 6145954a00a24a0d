// Telemetry files of one machine each that belong together by their names.

#include "importers/common/NodeFiles.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::importers;
using namespace std::string_literals;

namespace {

class tst_NodeFiles : public QObject {
    Q_OBJECT

private Q_SLOTS:
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

} // namespace

TRAINSCOPE_TEST(tst_NodeFiles)
#include "tst_NodeFiles.moc"
