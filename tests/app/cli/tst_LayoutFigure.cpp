// `figure --kind layout` and `layout --traffic` of the sample, whose traffic is planted: figures
// with their numbers, bytes computed and counted, and clear words for what cannot be.

#include "support/RunCli.h"

#include "app/sample/Sample.h"
#include "support/TestProgram.h"

using namespace trainscope::test;

namespace {

const std::string kRun = "gpt3-175b 32xH200 tp8-pp4";

} // namespace

class tst_LayoutFigure : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        m_database = path("sample.trainscope");
        QVERIFY(trainscope::app::writeSample(m_database).hasValue());
    }

    void aRowPerRank() {
        const auto rows = drawn({"--colour", "gpu_temperature", "--rank", "13"}, "heat.svg");
        QCOMPARE(rows.size(), 33);
        QVERIFY(rows[0].startsWith("rank,rack,node,local,slot,side,nic,tp,cp,dp,ep,pp,layers,\"GPU "
                                   "temperature, mean [°C]\""));
        // Rank 13: node 1, the sixth of eight in the air, tensor rank 5 of stage 1, 24 layers.
        QVERIFY(rows[14].startsWith("13,0,1,5,5,rear,,5,0,0,0,1,24,"));
        const double front = rows[9].split(',')[13].toDouble();
        const double rear = rows[14].split(',')[13].toDouble();
        QVERIFY2(front > 55 && front < 75 && rear > front + 10 && rear < 95,
            qPrintable(QStringLiteral("%1 %2").arg(front).arg(rear)));
    }

    void aMoment() {
        const auto rows = drawn({"--colour", "gpu_power", "--at", "60"}, "moment.pdf");
        QVERIFY(rows[0].contains(",GPU power [W],"));
        QVERIFY(rows[1].split(',')[13].toDouble() > 100.0);
    }

    void groupsInBothDiagrams() {
        QCOMPARE(drawn({"--colour", "tensor"}, "tensor.svg").size(), 33);
        const auto svg = contentOf(QString::fromStdString(path("tensor.svg")));
        QVERIFY(svg.contains("Logical") && svg.contains("Physical"));
    }

    void whatCannotBe_data() {
        const auto row = columns<QStringList, int, QString>("options", "status", "text");
        row("metric", texts("--colour", "colour"), 2, "They have: gpu_power");
        row("moment of a group", texts("--colour", "stage", "--at", "3"), 2, "speak of a metric");
        row("rank", texts("--rank", "32"), 2, "it has 0 to 31");
        row("statistic", texts("--statistic", "best"), 2, "mean, peak");
    }
    void whatCannotBe() {
        QFETCH(const QStringList, options);
        QFETCH(const int, status);
        QFETCH(const QString, text);
        std::vector<std::string> arguments{
            "figure", m_database, "--kind", "layout", "--run", kRun, "--out", path("none.svg")};
        for (const auto& option : options)
            arguments.push_back(option.toStdString());
        const auto ran = runCli(arguments);
        QCOMPARE(ran.status, status);
        QVERIFY2(QString::fromStdString(ran.err).contains(text), ran.err.c_str());
        QVERIFY(!QFile::exists(QString::fromStdString(path("none.svg"))));
    }

    // The generator's counters follow the model: 24 layers × 32 micro-batches × 8.75 times
    // 2 × 2048 × 12288 × 2 B that a rank sends in tp, 32 × 2 × 2048 × 12288 × 2 B / 8 each way in
    // pp; the traces, which call four all-reduces a layer, 2 · 7/8 of that each.
    void traffic() {
        const auto bytes
            = jsonOf({"layout", m_database, "--run", kRun, "--traffic", "--rank", "13"})["bytes"];
        const double activations = 2.0 * 2048.0 * 12288.0 * 2.0;
        const auto& groups = bytes["ranks"][0]["groups"];
        const double tensor = 24 * 32 * 8.75 * activations;
        QCOMPARE(groups["tp"]["computed_b_per_step"].get<double>(), tensor);
        QCOMPARE(groups["tp"]["ranks"].get<std::vector<int>>(),
            (std::vector<int>{8, 9, 10, 11, 12, 13, 14, 15}));
        QCOMPARE(groups["pp"]["computed_b_per_step"].get<double>(), 2 * 32 * activations / 8);
        const auto traced
            = runCli({"layout", m_database, "--run", kRun, "--traffic", "--rank", "8", "--json"});
        const auto measured = traced.json()["bytes"]["ranks"][0]["groups"];
        const double calls = 24 * 32 * 4 * 2.0 * 7.0 / 8.0;
        QCOMPARE(measured["tp"]["measured_b_per_step"].get<double>(), calls * activations);
        QCOMPARE(measured["pp"]["measured_b_per_step"].get<double>(), 2 * 32 * activations / 8);
        QCOMPARE(bytes["nodes"].size(), std::size_t{4});
        const auto& node = bytes["nodes"][1];
        const double counted = node["scale_up"]["counted_b_per_step"].get<double>();
        QVERIFY2(std::abs(counted / (8 * tensor) - 1.0) < 0.01,
            qPrintable(QString::number(counted / (8 * tensor))));
        const double outside = node["scale_out"]["counted_b_per_step"].get<double>();
        QVERIFY2(std::abs(outside / (2 * 32 * activations) - 1.0) < 0.01,
            qPrintable(QString::number(outside)));
        // One boundary, and the gradients of the word embeddings shared with the last stage.
        const double first = bytes["nodes"][0]["scale_out"]["counted_b_per_step"].get<double>();
        const double shared = 32 * activations + 4.0 * 51200 * 12288;
        QVERIFY2(
            std::abs(first / shared - 1.0) < 0.01, qPrintable(QString::number(first / shared)));
        for (const auto& edge : bytes["edges"]) {
            if (edge["group"] == "pp")
                QCOMPARE(edge["computed_b_per_step"].get<double>(), 2 * 32 * activations);
        }
        for (const auto& note : bytes["notes"])
            QVERIFY(note.get<std::string>().find("against") == std::string::npos);
    }

    void trafficNeedsARun() {
        QCOMPARE(runCli({"layout", "--nodes", "1", "--gpus-per-node", "8", "--traffic"}).status, 2);
        QCOMPARE(
            runCli({"layout", m_database, "--run", kRun, "--traffic", "--rank", "32"}).status, 2);
    }

    // The machine as it is said: a topology of 8 GPUs in two halves, racks of two nodes.
    void theMachine() {
        const std::string file = path("topo.txt");
        QFile topology(QString::fromStdString(file));
        QVERIFY(topology.open(QIODevice::WriteOnly));
        QByteArray text("\t");
        for (int i = 0; i < 8; ++i)
            text += "GPU" + QByteArray::number(i) + '\t';
        text += "NIC0\tNIC1\tCPU Affinity\n";
        const auto row = [&](const QByteArray& name, int half, int self) {
            text += name + '\t';
            for (int j = 0; j < 8; ++j)
                text += j == self ? "X\t"
                    : self < 0    ? (j / 4 == half ? "PIX\t" : "SYS\t")
                                  : (j / 4 == half ? "NV4\t" : "SYS\t");
            text += self < 0 ? (half == 0 ? "X\tSYS\n" : "SYS\tX\n")
                             : (half == 0 ? "PIX\tSYS\t0-31\n" : "SYS\tPIX\t32-63\n");
        };
        for (int i = 0; i < 8; ++i)
            row("GPU" + QByteArray::number(i), i / 4, i);
        row("NIC0", 0, -1);
        row("NIC1", 1, -1);
        topology.write(text);
        topology.close();
        auto ran = runCli({"cluster", m_database, "--run", kRun, "--topology", file,
            "--nodes-per-rack", "2", "--network-gbps", "400", "--json"});
        QVERIFY2(ran.status == 0, ran.err.c_str());
        const auto shown = ran.json()["runs"][0];
        QCOMPARE(shown["nodes_per_rack"], 2);
        QCOMPARE(shown["links"]["network_b_per_s"].get<double>(), 50e9);
        QCOMPARE(shown["links"]["nearest_nic"]["0"], "NIC0");
        QCOMPARE(shown["links"]["nearest_nic"]["5"], "NIC1");
        const auto rows = drawn({"--colour", "gpu_temperature"}, "machine.svg");
        QVERIFY(rows[32].startsWith("31,1,3,7,7,rear,NIC1,"));
        // Taken back.
        ran = runCli({"cluster", m_database, "--run", kRun, "--reset", "--json"});
        QVERIFY(!ran.json()["runs"][0].contains("nodes_per_rack"));
        QCOMPARE(ran.json()["runs"][0]["links"]["scale_up"], "NVSwitch");
    }

    void aTopologyThatIsTooSmall() {
        const std::string file = path("small.txt");
        QFile topology(QString::fromStdString(file));
        QVERIFY(topology.open(QIODevice::WriteOnly));
        topology.write("\tGPU0\tGPU1\tCPU Affinity\nGPU0\tX\tNV1\t0-3\nGPU1\tNV1\tX\t0-3\n");
        topology.close();
        const auto ran = runCli({"cluster", m_database, "--run", kRun, "--topology", file});
        QCOMPARE(ran.status, 2);
        VERIFY_SAYS(ran.err, "have GPU 7");
    }

private:
    [[nodiscard]] std::string path(const char* name) const {
        return m_folder.filePath(QString::fromLatin1(name)).toStdString();
    }

    // Rows of the CSV beside the figure.
    QList<QByteArray> drawn(std::vector<std::string> options, const char* name) {
        std::vector<std::string> arguments{
            "figure", m_database, "--kind", "layout", "--run", kRun, "--out", path(name)};
        arguments.insert(arguments.end(), options.begin(), options.end());
        const auto ran = runCli(arguments);
        if (ran.status != 0)
            qWarning("%s", ran.err.c_str());
        QString csv = QString::fromStdString(path(name));
        csv.replace(csv.lastIndexOf(QLatin1Char('.')), 10, QStringLiteral(".csv"));
        QFile file(csv);
        if (!file.open(QIODevice::ReadOnly))
            return {};
        return file.readAll().trimmed().split('\n');
    }

    QTemporaryDir m_folder;
    std::string m_database;
};

TRAINSCOPE_GUI_TEST(tst_LayoutFigure)
#include "tst_LayoutFigure.moc"
