// `figure --kind timeline` without a display: files of the right kind and size, the same bytes
// twice, and clear words when something cannot be drawn. The figure of a run that a database links
// to an engine: drawn from it where the user has named it.

#include "app/cli/support/RunCli.h"
#include "app/engine/FakeServer.h"
#include "app/engine/LinkedRun.h"
#include "support/RunCli.h"
#include "support/TestProgram.h"

#include <QImage>

using namespace trainscope::test;

class tst_Figure : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        QByteArray log("timestamp, index, power.draw [W], temperature.gpu\n");
        for (int i = 0; i < 120; ++i) {
            const QByteArray time = "2026/01/31 12:0" + QByteArray::number(i / 60) + ':'
                + QByteArray::number(i % 60).rightJustified(2, '0') + ".000, ";
            for (int gpu = 0; gpu < 2; ++gpu) {
                log += time + QByteArray::number(gpu) + ", "
                    + QByteArray::number(100 + (i * (gpu + 3)) % 400) + ".00 W, "
                    + QByteArray::number(40 + i % 30) + '\n';
            }
        }
        QVERIFY(writeContent(m_folder.filePath(QStringLiteral("smi.csv")), log));
        m_database = path("runs.trainscope");
        QVERIFY(succeeds({"import", path("smi.csv"), "--into", m_database, "--name", "job"}));
    }

    void formats_data() {
        const auto row = columns<QString, QByteArray>("suffix", "magic");
        row("pdf", "pdf", "%PDF-");
        row("svg", "svg", "<?xml");
        row("png", "png", "\x89PNG");
    }

    void formats() {
        QFETCH(QString, suffix);
        QFETCH(QByteArray, magic);
        const auto first = draw(("one." + suffix.toStdString()).c_str(), {});
        const auto second = draw(("two." + suffix.toStdString()).c_str(), {});
        QVERIFY(first.startsWith(magic));
        QCOMPARE(first, second);
    }

    void widthIsTrueToSize() {
        draw("wide.png", {"--width-mm", "84.6", "--height-mm", "50"});
        const QImage image(QString::fromStdString(path("wide.png")));
        const double mmWide = image.width() / (image.dotsPerMeterX() / 1000.0);
        QVERIFY2(std::abs(mmWide - 84.6) < 0.2, qPrintable(QString::number(mmWide)));
        const double mmHigh = image.height() / (image.dotsPerMeterY() / 1000.0);
        QVERIFY2(std::abs(mmHigh - 50.0) < 0.2, qPrintable(QString::number(mmHigh)));
    }

    void choicesChangeThePicture() {
        const auto all = draw("all.svg", {"--metric", "gpu_power"});
        QVERIFY(draw("window.svg", {"--metric", "gpu_power", "--from", "10", "--to", "20"}) != all);
        QVERIFY(draw("rank.svg", {"--metric", "gpu_power", "--rank", "1"}) != all);
        QVERIFY(draw("dark.svg", {"--metric", "gpu_power", "--theme", "dark"}) != all);
        QVERIFY(draw("other.svg", {"--metric", "gpu_temperature"}) != all);
    }

    void numbersGoBesideTheFigure() {
        draw("power.svg", {"--metric", "gpu_power", "--csv", path("power.csv")});
        QFile csv(QString::fromStdString(path("power.csv")));
        QVERIFY(csv.open(QIODevice::ReadOnly));
        QVERIFY(csv.readLine().contains(','));
        QVERIFY(!csv.readLine().isEmpty());
    }

    // Both runs are the same log: everything is equal, in the figure and in its numbers.
    void runsSideBySide() {
        const std::string database = path("two.trainscope");
        for (const char* name : {"one", "two"}) {
            const std::string log = path(name) + ".csv";
            QVERIFY(QFile::copy(
                m_folder.filePath(QStringLiteral("smi.csv")), QString::fromStdString(log)));
            QVERIFY(succeeds({"import", log, "--into", database, "--name", name}));
        }
        for (const char* kind : {"comparison", "comparison-board", "comparison-timeline"}) {
            QVERIFY(succeeds({"figure", database, "--kind", kind, "--run", "one", "--run", "two",
                "--whole-run", "--out", path("beside.svg")}));
        }
        QFile csv(QString::fromStdString(path("beside.csv")));
        QVERIFY(csv.open(QIODevice::ReadOnly));
        QVERIFY(csv.readLine().startsWith("run,seconds [s],gpu_power_mean [W]"));
        const auto trace = runCli({"figure", database, "--kind", "comparison-breakdown", "--run",
            "one", "--run", "two", "--out", path("none.svg")});
        QCOMPARE(trace.status, 2);
        VERIFY_SAYS(trace.err, "no trace");
    }

    void mistakes_data() {
        const auto row = columns<QStringList, int, QString>("arguments", "status", "says");
        const auto to = [this](const char* name) {
            return texts("--out", m_folder.filePath(QString::fromUtf8(name)));
        };
        const QStringList good = to("never.pdf");
        row("suffix", to("never.bmp"), 2, "svg");
        row("theme", good + texts("--theme", "pink"), 2, "paper, light and dark");
        row("run", good + texts("--run", "none"), 2, "job");
        row("metric", good + texts("--metric", "volts"), 2, "gpu_power");
        row("window", good + texts("--from", "5", "--to", "5"), 2, "--from");
        const QStringList job = texts("--run", "job");
        row("one run", texts("--kind", "comparison") + job + good, 2,
            "needs two runs, or two captures of one");
        row("compared with itself", texts("--kind", "comparison-board") + job + job + good, 2,
            "needs two runs");
        row("folder", to("none/x.pdf"), 3, "none");
    }

    void mistakes() {
        QFETCH(QStringList, arguments);
        QFETCH(int, status);
        QFETCH(QString, says);
        std::vector<std::string> all{"figure", m_database};
        for (const auto& argument : arguments)
            all.push_back(argument.toStdString());
        const auto ran = runCli(all);
        QVERIFY2(ran.status == status, ran.err.c_str());
        QVERIFY(ran.out.empty());
        QVERIFY2(QString::fromStdString(ran.err).contains(says), ran.err.c_str());
        QVERIFY(!QFile::exists(m_folder.filePath(QStringLiteral("never.pdf"))));
    }

    void asksNamedEnginesAlone() {
        const QByteArray configuration = qgetenv("XDG_CONFIG_HOME");
        QTemporaryDir folder;
        qputenv("XDG_CONFIG_HOME", folder.path().toUtf8());
        FakeServer server([](const Asked&) -> Answered {
            return {200, R"({"status":"success","data":{"resultType":"matrix","result":[]}})", {},
                0, -1};
        });
        const auto path = pathIn(folder, "a.trainscope");
        QVERIFY(writeLinkedRun(path, linkTo(server.url())).hasValue());
        const std::vector<std::string> call{"figure", path, "--kind", "timeline", "--run", "linked",
            "--out", pathIn(folder, "a.png")};
        const Ran refused = runCli(call);
        QVERIFY(refused.status != 0);
        const std::string way = "TRAINSCOPE_ENGINES=" + server.url();
        VERIFY_SAYS(refused.err, way);
        QCOMPARE(server.bytes(), QByteArray());
        qputenv("TRAINSCOPE_ENGINES", QByteArray::fromStdString(server.url()));
        const Ran drawn = runCli(call);
        qunsetenv("TRAINSCOPE_ENGINES");
        qputenv("XDG_CONFIG_HOME", configuration);
        QVERIFY2(drawn.status == 0, drawn.err.c_str());
        QVERIFY(server.count() > 0);
    }

private:
    std::string path(const char* name) const {
        return m_folder.filePath(QString::fromUtf8(name)).toStdString();
    }

    QByteArray draw(const char* name, const std::vector<std::string>& more) {
        std::vector<std::string> arguments{
            "figure", m_database, "--kind", "timeline", "--run", "job", "--out", path(name)};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const auto ran = runCli(arguments);
        QFile file(QString::fromStdString(path(name)));
        if (ran.status != 0 || !file.open(QIODevice::ReadOnly)) {
            QTest::qFail(ran.err.c_str(), __FILE__, __LINE__);
            return {};
        }
        return file.readAll();
    }

    QTemporaryDir m_folder;
    std::string m_database;
};

TRAINSCOPE_GUI_TEST(tst_Figure)
#include "tst_Figure.moc"
