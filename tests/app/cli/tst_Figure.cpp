// `figure --kind timeline` without a display: files of the right kind and size, the same bytes
// twice, and clear words when something cannot be drawn.

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
        QFile file(m_folder.filePath(QStringLiteral("smi.csv")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(log);
        file.close();
        m_database = path("runs.trainscope");
        const auto ran = runCli({"import", path("smi.csv"), "--into", m_database, "--name", "job"});
        QVERIFY2(ran.status == 0, ran.err.c_str());
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
            const auto ran = runCli({"import", log, "--into", database, "--name", name});
            QVERIFY2(ran.status == 0, ran.err.c_str());
        }
        for (const char* kind : {"comparison", "comparison-board", "comparison-timeline"}) {
            const auto ran = runCli({"figure", database, "--kind", kind, "--run", "one", "--run",
                "two", "--whole-run", "--out", path("beside.svg")});
            QVERIFY2(ran.status == 0, ran.err.c_str());
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
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("status");
        QTest::addColumn<QString>("says");
        const auto row
            = [](const char* name, const QStringList& arguments, int status, const char* says) {
                  QTest::newRow(name) << arguments << status << QString::fromUtf8(says);
              };
        const QString out = QStringLiteral("--out");
        const QString good = m_folder.filePath(QStringLiteral("never.pdf"));
        row("suffix", {out, m_folder.filePath(QStringLiteral("never.bmp"))}, 2, "svg");
        row("theme", {out, good, QStringLiteral("--theme"), QStringLiteral("pink")}, 2,
            "paper, light and dark");
        row("run", {out, good, QStringLiteral("--run"), QStringLiteral("none")}, 2, "job");
        row("metric", {out, good, QStringLiteral("--metric"), QStringLiteral("volts")}, 2,
            "gpu_power");
        row("window",
            {out, good, QStringLiteral("--from"), QStringLiteral("5"), QStringLiteral("--to"),
                QStringLiteral("5")},
            2, "--from");
        const auto kind = [](const char* name) { return texts("--kind", QString::fromUtf8(name)); };
        const QStringList job{QStringLiteral("--run"), QStringLiteral("job")};
        row("one run", kind("comparison") + job + QStringList{out, good}, 2,
            "needs two runs, or two captures of one");
        row("compared with itself", kind("comparison-board") + job + job + QStringList{out, good},
            2, "needs two runs");
        row("folder", {out, m_folder.filePath(QStringLiteral("none/x.pdf"))}, 3, "none");
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
