// Output files of commands: nothing that somebody has is replaced by something else, nothing half
// done is left, and links, pipes and names are taken as they are.

#include "app/cli/output/RunExport.h"
#include "core/store/Store.h"
#include "support/RunCli.h"
#include "support/TestProgram.h"

#include <csignal>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace trainscope::test;

class tst_OutputFiles : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        QByteArray log("timestamp, index, power.draw [W], temperature.gpu\n");
        for (int i = 0; i < 60; ++i)
            log += "2026/01/31 12:00:" + QByteArray::number(i).rightJustified(2, '0') + ".000, 0, "
                + QByteArray::number(100 + i) + ".00 W, 50\n";
        write(path("smi.csv"), log);
        m_database = path("runs.trainscope");
        QVERIFY(succeeds({"import", path("smi.csv"), "--into", m_database, "--name", "job"}));
        m_bytes = read(m_database);
        QVERIFY(!m_bytes.isEmpty());
    }

    void databasesAreNotReplaced_data() {
        const auto row = columns<std::vector<std::string>>("arguments");
        const std::string& database = m_database;
        using A = std::vector<std::string>;
        const A figure{"figure", database, "--kind", "timeline"};
        const auto with = [](A arguments, const A& more) {
            arguments.insert(arguments.end(), more.begin(), more.end());
            return arguments;
        };
        row("metrics", A{"export", database, "--format", "openmetrics", "--out", database});
        row("trace", A{"export", database, "--format", "chrome-json", "--out", database});
        row("numbers", with(figure, {"--out", path("a.png"), "--csv", database}));
        row("profile", A{"profile", path("timings"), "--into", database});
    }
    void databasesAreNotReplaced() {
        QFETCH(std::vector<std::string>, arguments);
        QDir().mkpath(QString::fromStdString(path("timings")));
        write(path("timings/H100_gemm_fp16.csv"), "mp,b,h,l,dim,F_dur(us),B_dur(us)\n");
        const auto ran = runCli(arguments);
        QVERIFY(ran.status != 0);
        QVERIFY(ran.out.empty());
        QVERIFY(!ran.err.empty());
        QCOMPARE(read(m_database), m_bytes);
        QVERIFY(leftovers().isEmpty());
    }

    // A log that lies where the numbers of the figure would.
    void numbersBesideAFigureReplaceNoLog() {
        const QByteArray log = read(path("smi.csv"));
        const std::vector<std::string> draw{"figure", m_database, "--kind", "heatmap", "--metric",
            "gpu_power", "--out", path("smi.png")};
        const auto ran = runCli(draw);
        QCOMPARE(ran.status, 0);
        VERIFY_SAYS(ran.err, "--csv");
        QCOMPARE(QString::fromStdString(ran.out),
            QString::fromStdString(path("smi.png")) + QLatin1Char('\n'));
        QCOMPARE(read(path("smi.csv")), log);
        // Numbers that a figure wrote before give way.
        std::vector<std::string> again = draw;
        again.back() = path("heat.png");
        QVERIFY(succeeds(again));
        const QByteArray numbers = read(path("heat.csv"));
        QVERIFY(!numbers.isEmpty());
        write(path("heat.csv"), numbers + "old\n");
        QVERIFY(succeeds(again));
        QCOMPARE(read(path("heat.csv")), numbers);
    }

    // Named by kind and run, in the folder where one is; nothing is replaced by a name that nobody
    // gave.
    void figuresWithoutANameHaveOne() {
        const QString before = QDir::currentPath();
        QVERIFY(QDir::setCurrent(QString::fromStdString(path("."))));
        const auto restore = qScopeGuard([&before] { QDir::setCurrent(before); });
        const auto ran = runCli({"figure", m_database, "--kind", "timeline"});
        QVERIFY2(ran.status == 0, ran.err.c_str());
        QCOMPARE(ran.out, std::string("timeline-job.pdf\n"));
        const QByteArray bytes = read(path("timeline-job.pdf"));
        QVERIFY(bytes.startsWith("%PDF-"));
        write(path("timeline-job.pdf"), "mine");
        const auto again = runCli({"figure", m_database, "--kind", "timeline"});
        QCOMPARE(again.status, 2);
        VERIFY_SAYS(again.err, "--out");
        QCOMPARE(read(path("timeline-job.pdf")), QByteArray("mine"));
        QFile::remove(QString::fromStdString(path("timeline-job.pdf")));
    }

    void figureAndNumbersHaveNamesOfTheirOwn() {
        const auto ran = runCli({"figure", m_database, "--kind", "timeline", "--out",
            path("one.svg"), "--csv", path("one.svg")});
        QCOMPARE(ran.status, 2);
        QVERIFY(!QFile::exists(QString::fromStdString(path("one.svg"))));
    }

    void namesThatAreNoTextAreRefused() {
        const auto ran
            = runCli({"figure", m_database, "--kind", "timeline", "--out", path("caf\xe9.pdf")});
        QCOMPARE(ran.status, 2);
        QVERIFY(leftovers().isEmpty());
    }

    void suffixesOfReportsAreTakenInAnyCase() {
        QVERIFY(succeeds({"report", m_database, "--out", path("R.HTML")}));
        QVERIFY(read(path("R.HTML")).contains("<html"));
    }

    void linksArePassedThrough() {
        write(path("target.om"), "before");
        std::filesystem::create_symlink("target.om", path("link.om"));
        const auto ran = metricsTo(path("link.om"));
        QVERIFY2(ran.status == 0, ran.err.c_str());
        QVERIFY(std::filesystem::is_symlink(path("link.om")));
        QVERIFY(read(path("target.om")).contains("gpu_power"));
    }

    // Through links of links to a file that is yet to come, and from then on is there.
    void linksOfLinksArePassedThrough() {
        QDir().mkpath(QString::fromStdString(path("sub")));
        std::filesystem::create_symlink("../later.om", path("sub/second.om"));
        std::filesystem::create_symlink("sub/second.om", path("first.om"));
        for (int again = 0; again < 2; ++again) {
            const auto ran = metricsTo(path("first.om"));
            QVERIFY2(ran.status == 0, ran.err.c_str());
            QVERIFY(std::filesystem::is_symlink(path("first.om")));
            QVERIFY(std::filesystem::is_symlink(path("sub/second.om")));
            QVERIFY(read(path("later.om")).contains("gpu_power"));
        }
    }

    void aPipeTakesTheText() {
        const std::string pipe = path("pipe");
        QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
        const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
        const auto ran = metricsTo(pipe);
        QVERIFY2(ran.status == 0, ran.err.c_str());
        std::array<char, 16> begin{};
        QCOMPARE(::read(reader, begin.data(), begin.size()), static_cast<ssize_t>(begin.size()));
        ::close(reader);
        QVERIFY(std::filesystem::is_fifo(pipe));
    }

    void filesOfTheUserStay() {
        write(path("mine.om.part"), "mine");
        QCOMPARE(metricsTo(path("mine.om")).status, 0);
        QCOMPARE(read(path("mine.om.part")), QByteArray("mine"));
        QFile::remove(QString::fromStdString(path("mine.om.part")));
        QVERIFY(leftovers().isEmpty());
    }

    void nothingIsLeftOfAnExportThatFails() {
        const QDir folder(QString::fromStdString(path("csv")));
        const std::vector<std::string> exporting{"export", m_database, "--out", path("csv")};
        auto* const usual = std::signal(SIGXFSZ, SIG_IGN);
        rlimit before{};
        getrlimit(RLIMIT_FSIZE, &before);
        const rlimit limited{100, before.rlim_max}; // as on a full disk
        setrlimit(RLIMIT_FSIZE, &limited);
        const auto failed = runCli(exporting);
        setrlimit(RLIMIT_FSIZE, &before);
        std::signal(SIGXFSZ, usual);
        QCOMPARE(failed.status, 3);
        QVERIFY(folder.entryList(QDir::Files).isEmpty());
        // So that the same command can be given again.
        QVERIFY(succeeds(exporting));
        QVERIFY(folder.exists(QStringLiteral("metrics.csv")));
    }

    // Cancelled at its second metric, with a file that somebody else puts there meanwhile.
    void aCancelledExportTakesOnlyItsOwn() {
        const std::string mine = path("mine/notes.csv");
        QVERIFY(!exportTo("mine", false, [&](std::string_view metric) {
            write(mine, "mine");
            return metric != "gpu_temperature";
        }));
        QCOMPARE(read(mine), QByteArray("mine"));
        QCOMPARE(filesIn("mine"), texts("notes.csv"));
    }

    // Files are replaced when all of the export is there, and not before.
    void aCancelledExportReplacesNothing() {
        QVERIFY(exportTo("again", false, [](std::string_view) { return true; }));
        const QStringList names = filesIn("again");
        QVERIFY(names.contains(QStringLiteral("gpu_power.csv")));
        for (const QString& name : names)
            write(path("again/") + name.toStdString(), "before");
        QVERIFY(!exportTo(
            "again", true, [](std::string_view metric) { return metric != "gpu_temperature"; }));
        QCOMPARE(filesIn("again"), names);
        for (const QString& name : names)
            QCOMPARE(read(path("again/") + name.toStdString()), QByteArray("before"));
        QVERIFY(exportTo("again", true, [](std::string_view) { return true; }));
        QVERIFY(read(path("again/gpu_power.csv")).startsWith("time_ns,"));
    }

    // Without --force nothing is replaced, whenever it came there.
    void anExportReplacesNoFileThatCameMeanwhile() {
        QVERIFY(!exportTo("late", false, [&](std::string_view) {
            write(path("late/gpu_temperature.csv"), "mine");
            return true;
        }));
        QCOMPARE(read(path("late/gpu_temperature.csv")), QByteArray("mine"));
        QCOMPARE(filesIn("late"), texts("gpu_temperature.csv"));
    }

private:
    // True when all of it was written.
    bool exportTo(const std::string& folder, bool overwrite,
        const std::function<bool(std::string_view)>& keepGoing) const {
        using namespace trainscope;
        const auto store = store::Store::open(m_database, store::OpenMode::ReadOnly);
        const auto run = store.value().runs().value().front();
        return cli::exportRun(store.value(), {run, {}, path(folder), overwrite}, keepGoing)
            .hasValue();
    }
    QStringList filesIn(const std::string& folder) const {
        return QDir(QString::fromStdString(path(folder))).entryList(QDir::Files, QDir::Name);
    }
    std::string path(const std::string& name) const {
        return m_folder.path().toStdString() + "/" + name;
    }
    static void write(const std::string& path, const QByteArray& bytes) {
        QVERIFY(writeContent(QString::fromStdString(path), bytes));
    }
    static QByteArray read(const std::string& path) {
        QFile file(QString::fromStdString(path));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    Ran metricsTo(const std::string& out) const {
        return runCli({"export", m_database, "--format", "openmetrics", "--out", out});
    }
    QStringList leftovers() const {
        return QDir(m_folder.path()).entryList({QStringLiteral("*.part")}, QDir::Files);
    }

    QTemporaryDir m_folder;
    std::string m_database;
    QByteArray m_bytes;
};

TRAINSCOPE_GUI_TEST(tst_OutputFiles)
#include "tst_OutputFiles.moc"
