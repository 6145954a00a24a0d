// trainscope.so in the programs that people have: the sqlite3 shell and Python. They read
// what `query` reads.

#include "support/CharllmTree.h"
#include "support/RunCli.h"
#include "support/TestProgram.h"

using namespace trainscope::test;

namespace {

struct Finished {
    int status = -1;
    QByteArray out;
    QByteArray err;
};

// The runtime of the sanitizer that this program was built with. A program that was built without
// one can load a library that has one only where the runtime comes first.
QString sanitizerRuntime() {
    QFile maps(QStringLiteral("/proc/self/maps"));
    if (!maps.open(QIODevice::ReadOnly))
        return {};
    static const QRegularExpression runtime(QStringLiteral("/\\S*/lib[at]san\\.so\\S*"));
    return runtime.match(QString::fromUtf8(maps.readAll())).captured();
}

Finished runProgram(const QString& program, const QStringList& arguments) {
    QProcess process;
    if (const QString runtime = sanitizerRuntime(); !runtime.isEmpty()) {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("LD_PRELOAD"), runtime);
        // Leaks of the program itself are not the extension's.
        environment.insert(QStringLiteral("ASAN_OPTIONS"), QStringLiteral("detect_leaks=0"));
        process.setProcessEnvironment(environment);
    }
    process.start(program, arguments);
    if (!process.waitForFinished())
        return {};
    return {process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
}

} // namespace

class tst_SqliteExtension : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        m_extension = qEnvironmentVariable("TRAINSCOPE_BINARY") + QStringLiteral("/bin/trainscope");
        QVERIFY(QFile::exists(m_extension + QStringLiteral(".so")));
        const QString run = m_folder.filePath(QStringLiteral("run"));
        m_tree = CharllmTree::write(run, 11);
        m_database = m_folder.filePath(QStringLiteral("db.trainscope"));
        QVERIFY(succeeds({"import", run.toStdString(), "--into", m_database.toStdString()}));
        for (const auto& sample : m_tree.gpus["gpu_power"][3]) {
            if (!sample.missing)
                m_peak = std::max(m_peak, static_cast<double>(sample.value));
        }
    }

    // A host may carry a SQLite of its own: each function of it is the host's, and none is left to
    // be found in the system's library.
    void functionsAreTheHosts() {
        const Finished listed = runProgram(QStringLiteral("nm"),
            {QStringLiteral("-D"), QStringLiteral("--undefined-only"),
                m_extension + QStringLiteral(".so")});
        QCOMPARE(listed.status, 0);
        QVERIFY2(!listed.out.contains("sqlite3_"), listed.out.constData());
    }

    void theShellReadsSamples() {
        const QString shell = program(QStringLiteral("sqlite3"));
        if (shell.isEmpty())
            QSKIP("sqlite3 is not installed: nothing was tested");
        const auto ran = runProgram(shell,
            {m_database, QStringLiteral(".load ") + m_extension,
                QStringLiteral(
                    "SELECT max(value) FROM samples WHERE metric='gpu_power' AND rank=3")});
        QVERIFY2(ran.status == 0, ran.err.constData());
        QCOMPARE(ran.out.trimmed().toDouble(), m_peak);
    }

    void joinsWithTheTablesOfTheFile() {
        const QString shell = program(QStringLiteral("sqlite3"));
        if (shell.isEmpty())
            QSKIP("sqlite3 is not installed: nothing was tested");
        const auto ran = runProgram(shell,
            {m_database, QStringLiteral(".load ") + m_extension,
                QStringLiteral("SELECT count(*) FROM gpu JOIN samples ON samples.rank = gpu.rank "
                               "WHERE metric='gpu_power'")});
        QVERIFY2(ran.status == 0, ran.err.constData());
        std::size_t samples = 0;
        for (const auto& [rank, series] : m_tree.gpus["gpu_power"])
            samples += series.size();
        QCOMPARE(ran.out.trimmed().toULongLong(), static_cast<qulonglong>(samples));
    }

    void pythonReadsSamples() {
        const QString python = program(QStringLiteral("python3"));
        if (python.isEmpty())
            QSKIP("Python is not installed: nothing was tested");
        const auto ran = runProgram(python,
            {QStringLiteral("-c"),
                QStringLiteral("import sqlite3, sys\n"
                               "db = sqlite3.connect(sys.argv[1])\n"
                               "db.enable_load_extension(True)\n"
                               "db.load_extension(sys.argv[2])\n"
                               "print(db.execute(\"SELECT max(value) FROM samples WHERE "
                               "metric='gpu_power' AND rank=3\").fetchone()[0])\n"),
                m_database, m_extension});
        QVERIFY2(ran.status == 0, ran.err.constData());
        QCOMPARE(ran.out.trimmed().toDouble(), m_peak);
    }

    void pandasReadsSamples() {
        const QString python = program(QStringLiteral("python3"));
        if (python.isEmpty()
            || runProgram(python, {QStringLiteral("-c"), QStringLiteral("import pandas")}).status
                != 0)
            QSKIP("pandas is not installed: nothing was tested");
        const auto ran = runProgram(python,
            {QStringLiteral("-c"),
                QStringLiteral(
                    "import pandas, sqlite3, sys\n"
                    "db = sqlite3.connect(sys.argv[1])\n"
                    "db.enable_load_extension(True)\n"
                    "db.load_extension(sys.argv[2])\n"
                    "frame = pandas.read_sql(\"SELECT rank, max(value) AS peak FROM samples "
                    "WHERE metric='gpu_power' GROUP BY rank\", db, index_col='rank')\n"
                    "print(len(frame), frame.peak[3])\n"),
                m_database, m_extension});
        QVERIFY2(ran.status == 0, ran.err.constData());
        const QByteArrayList cells = ran.out.trimmed().split(' ');
        QCOMPARE(cells[0].toInt(), CharllmTree::kRanks - 1);
        QCOMPARE(cells[1].toDouble(), m_peak);
    }

    void aForeignFileIsRefused() {
        const QString shell = program(QStringLiteral("sqlite3"));
        if (shell.isEmpty())
            QSKIP("sqlite3 is not installed: nothing was tested");
        const auto ran = runProgram(shell,
            {m_folder.filePath(QStringLiteral("other.db")), QStringLiteral("CREATE TABLE a(b)"),
                QStringLiteral(".load ") + m_extension});
        QVERIFY(ran.err.contains("not a Trainscope database"));
    }

    void noFileIsRefused() {
        const QString shell = program(QStringLiteral("sqlite3"));
        if (shell.isEmpty())
            QSKIP("sqlite3 is not installed: nothing was tested");
        const auto ran = runProgram(
            shell, {QStringLiteral(":memory:"), QStringLiteral(".load ") + m_extension});
        QVERIFY(ran.err.contains("open a run database first"));
    }

private:
    static QString program(const QString& name) {
        // The distribution's own, whose SQLite can load extensions.
        return QStandardPaths::findExecutable(name, {QStringLiteral("/usr/bin")});
    }

    QTemporaryDir m_folder;
    QString m_extension;
    QString m_database;
    CharllmTree m_tree;
    double m_peak = 0.0;
};

TRAINSCOPE_TEST(tst_SqliteExtension)
#include "tst_SqliteExtension.moc"
