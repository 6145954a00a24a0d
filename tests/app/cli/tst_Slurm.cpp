// Recording and importing on the nodes of a Slurm job: the scripts of packaging/slurm on a cluster
// of two daemons on this machine, with a fake of NVIDIA's library on each node.

#include "core/store/Store.h"
#include "support/Content.h"
#include "support/TestProgram.h"

namespace {

// With the control groups, without which slurmd does not start.
bool isSlurmInstalled() {
    if (!QDir(QStringLiteral("/sys/fs/cgroup")).exists())
        return false;
    const QStringList folders = test::texts("/usr/sbin", "/sbin");
    const QStringList programs = test::texts("slurmctld", "slurmd", "munged", "srun");
    return std::all_of(programs.begin(), programs.end(), [&folders](const QString& name) {
        return !QStandardPaths::findExecutable(name).isEmpty()
            || !QStandardPaths::findExecutable(name, folders).isEmpty();
    });
}

Run runIn(const store::Store& store) {
    const auto runs = store.runs().value();
    return runs.size() == 1 ? runs.front() : Run{};
}

} // namespace

class tst_Slurm : public QObject {
    Q_OBJECT

    static QString binary() { return QString::fromUtf8(qgetenv("TRAINSCOPE_BINARY")); }
    static QString packaging() {
        return QString::fromUtf8(qgetenv("TRAINSCOPE_SOURCE")) + QStringLiteral("/packaging");
    }
    // With the fake library, and the command line of this build.
    static QProcessEnvironment environmentOf(const char* gpus) {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("PATH"),
            binary() + QStringLiteral("/bin:") + environment.value(QStringLiteral("PATH")));
        environment.insert(QStringLiteral("TRAINSCOPE_NVML"),
            binary() + QStringLiteral("/bin/fakes/fake_nvml.so"));
        environment.insert(QStringLiteral("TRAINSCOPE_AMDSMI"), QStringLiteral("/nowhere"));
        environment.insert(QStringLiteral("TRAINSCOPE_FAKE_GPUS"), QString::fromUtf8(gpus));
        environment.insert(QStringLiteral("TMPDIR"), QStringLiteral("/tmp"));
        environment.insert(
            QStringLiteral("TRAINSCOPE_NODE"), binary() + QStringLiteral("/bin/trainscope-cli"));
        return environment;
    }

    // The run of such a file, ended well, on four GPUs of a job of Slurm's.
    static void compareJob(const QString& path, int node, const QByteArray& said) {
        const auto store = store::Store::open(path.toStdString(), store::OpenMode::ReadOnly);
        QVERIFY2(store.hasValue(), said.constData());
        const Run run = runIn(store.value());
        QVERIFY2(run.status == RunStatus::Ok, said.constData());
        QCOMPARE(run.gpuCount, 4);
        QVERIFY(run.name.starts_with("Slurm "));
        const auto facts = store.value().sources().value().front().report.facts;
        QCOMPARE(facts.at("node"), std::to_string(node) + " of 2");
        QVERIFY(run.range.length().seconds() > 0.5);
    }

private Q_SLOTS:
    // A cluster whose Prolog and Epilog record every job: one of two nodes leaves a file of each,
    // whole, and nothing else but its log. Then a step of a job by its user.
    void everyJobByPrologAndEpilog_data() {
        const auto row = test::columns<bool>("isDaemon");
        row("Prolog and Epilog", true);
        row("task prolog and epilog", false);
    }
    void everyJobByPrologAndEpilog() {
        if (!isSlurmInstalled())
            QSKIP("Slurm (Debian: slurm-wlm) or /sys/fs/cgroup is absent: nothing was tested.");
        QFETCH(bool, isDaemon);
        QTemporaryDir folder;
        const QString scripts = packaging() + QStringLiteral("/slurm");
        QProcessEnvironment environment = environmentOf("4");
        environment.insert(QStringLiteral("TRAINSCOPE_FOLDER"), folder.path());
        // The daemon gives its scripts none of this environment but what they find themselves.
        QDir().mkpath(folder.filePath(QStringLiteral("slurm")));
        for (const char* name : {"prolog.sh", "epilog.sh", "folder.sh", "settings.sh"})
            QFile::copy(scripts + QLatin1Char('/') + QString::fromUtf8(name),
                folder.filePath(QStringLiteral("slurm/") + QString::fromUtf8(name)));
        QFile settings(folder.filePath(QStringLiteral("slurm/settings.sh")));
        QVERIFY(settings.open(QIODevice::WriteOnly));
        for (const char* name : {"TRAINSCOPE_FOLDER", "TRAINSCOPE_NODE", "TRAINSCOPE_NVML",
                 "TRAINSCOPE_AMDSMI", "TRAINSCOPE_FAKE_GPUS"})
            settings.write(
                (QStringLiteral("export %1='%2'\n")
                        .arg(QString::fromUtf8(name), environment.value(QString::fromUtf8(name))))
                    .toUtf8());
        settings.write("TRAINSCOPE_OPTIONS=\n");
        settings.close();
        const QString own = folder.filePath(QStringLiteral("slurm"));
        if (isDaemon)
            environment.insert(QStringLiteral("SLURM_CONF_LINES"),
                QStringLiteral("Prolog=%1/prolog.sh\nEpilog=%1/epilog.sh").arg(own));
        const QString options = isDaemon
            ? QString()
            : QStringLiteral("--task-prolog=%1/prolog.sh --task-epilog=%1/epilog.sh ").arg(own);
        QProcess process;
        process.setProcessEnvironment(environment);
        process.setWorkingDirectory(folder.path());
        process.setProcessChannelMode(QProcess::MergedChannels);
        // Slurm says that a job is over before its epilogs have ended.
        process.start(scripts + QStringLiteral("/cluster.sh"),
            {QStringLiteral("bash"), QStringLiteral("-c"),
                QStringLiteral(
                    "srun -N2 --ntasks-per-node 1 %1sh -c 'sleep 1.5; exit 4'; status=$?; "
                    "for i in $(seq 200); do [ -z \"$(ls .*.pid 2>/dev/null)\" ] && "
                    "! ls *-wal >/dev/null 2>&1 && break; sleep 0.1; done; "
                    "cat *.log; exit $status")
                    .arg(options)});
        QVERIFY(process.waitForFinished(120'000));
        const QByteArray said = process.readAll();
        QVERIFY2(process.exitCode() == 4, said.constData());
        const QStringList files
            = QDir(folder.path())
                  .entryList({QStringLiteral("*.trainscope*")}, QDir::Files, QDir::Name);
        QVERIFY2(files.size() == 2, said.constData());
        for (int node = 0; node < 2; ++node) {
            QVERIFY2(files[node].endsWith(QStringLiteral("-%1.trainscope").arg(node)),
                qPrintable(files.join(QLatin1Char(' '))));
            compareJob(folder.filePath(files[node]), node, said);
        }
    }

    // A node without Slurm: the loop begins a recorder again that ends, and brings a job's file to
    // its end when it is stopped.
    void loopOfANode() {
        QTemporaryDir folder;
        const QString list = folder.filePath(QStringLiteral("processes"));
        QProcess job;
        job.start(QStringLiteral("sleep"), {QStringLiteral("600")});
        QVERIFY(job.waitForStarted());
        QVERIFY(test::writeContent(list, QStringLiteral("0 %1\n").arg(job.processId()).toUtf8()));
        QProcessEnvironment environment = environmentOf("1");
        environment.insert(QStringLiteral("TRAINSCOPE_FAKE_PROCESSES"), list);
        environment.insert(QStringLiteral("NODE_NAME"), QStringLiteral("gpu7"));
        QProcess process;
        process.setProcessEnvironment(environment);
        process.setProcessChannelMode(QProcess::MergedChannels);
        const QString recordings = folder.filePath(QStringLiteral("recordings"));
        process.start(packaging() + QStringLiteral("/kubernetes/loop.sh"), {recordings});
        QByteArray said;
        const auto hasSaid = [&](const char* text) {
            said += process.readAll();
            return said.contains(text);
        };
        QVERIFY2(QTest::qWaitFor([&] { return hasSaid("is recorded into"); }, 30'000), said);
        process.terminate();
        QVERIFY(process.waitForFinished(30'000));
        QVERIFY2(process.exitCode() == 0, (said + process.readAll()).constData());
        job.kill();
        job.waitForFinished();
        const QStringList files = QDir(recordings).entryList(QDir::Files, QDir::Name);
        QCOMPARE(files.size(), 1);
        VERIFY_SAYS(files.front(), "-gpu7-");
        const auto store = store::Store::open(
            QDir(recordings).filePath(files.front()).toStdString(), store::OpenMode::ReadOnly);
        QVERIFY(store.hasValue());
        QVERIFY(runIn(store.value()).status == RunStatus::Ok);
    }

    // A job of two nodes with four GPUs each becomes a run of eight; traces of two ranks, imported
    // by a node each, become one run.
    void recordAndImportOnTwoNodes() {
        if (!isSlurmInstalled())
            QSKIP("Slurm (Debian: slurm-wlm) or /sys/fs/cgroup is absent: nothing was tested.");
        QTemporaryDir folder;
        const QString source = QString::fromUtf8(qgetenv("TRAINSCOPE_SOURCE"));
        QProcessEnvironment environment = environmentOf("4");
        environment.insert(QStringLiteral("NODES"), QStringLiteral("2"));
        const QString scripts = source + QStringLiteral("/packaging/slurm");
        const QString traces = source + QStringLiteral("/tests/standins/data/kineto/pair");
        QProcess process;
        process.setProcessEnvironment(environment);
        process.setWorkingDirectory(folder.path());
        process.setProcessChannelMode(QProcess::MergedChannels);
        process.start(scripts + QStringLiteral("/cluster.sh"),
            {QStringLiteral("bash"), QStringLiteral("-ec"),
                QStringLiteral("status=0\n"
                               "%1/record.sh job.trainscope sh -c 'sleep 1; exit 5' || status=$?\n"
                               "%1/import.sh traces.trainscope pair %2/rank0.json %2/rank1.json\n"
                               "exit $status")
                    .arg(scripts, traces)});
        QVERIFY(process.waitForFinished(120'000));
        const QByteArray said = process.readAll();
        QVERIFY2(process.exitCode() == 5, said.constData()); // the command's

        const auto job
            = store::Store::open(test::pathIn(folder, "job.trainscope"), store::OpenMode::ReadOnly);
        QVERIFY2(job.hasValue(), said.constData());
        const Run recorded = runIn(job.value());
        QVERIFY(recorded.name.starts_with("Slurm "));
        QVERIFY(recorded.status == RunStatus::Ok);
        QCOMPARE(recorded.gpuCount, 8);
        QCOMPARE(recorded.nodeCount, 2);
        QCOMPARE(recorded.worldSize, 8);
        std::vector<double> watts; // by rank: 100·(g+1) W for GPU g of each node
        for (const Series& series : job.value().series(recorded.id).value()) {
            if (series.description.metric.name == metric::kGpuPower)
                watts.push_back(series.mean);
        }
        std::sort(watts.begin(), watts.end());
        QCOMPARE(watts, (std::vector<double>{100, 100, 200, 200, 300, 300, 400, 400}));

        const auto imported = store::Store::open(
            test::pathIn(folder, "traces.trainscope"), store::OpenMode::ReadOnly);
        QVERIFY2(imported.hasValue(), said.constData());
        const Run pair = runIn(imported.value());
        QCOMPARE(pair.name, std::string("pair"));
        QCOMPARE(imported.value().sources().value().size(), 2U);
        std::vector<int> ranks;
        for (const Track& track : imported.value().tracks(pair.id).value())
            ranks.push_back(track.description.rank);
        QVERIFY(std::count(ranks.begin(), ranks.end(), 0) > 0);
        QVERIFY(std::count(ranks.begin(), ranks.end(), 1) > 0);
    }
};

TRAINSCOPE_TEST(tst_Slurm)
#include "tst_Slurm.moc"
