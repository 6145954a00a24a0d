// Recording and importing on the nodes of a Slurm job: the scripts of packaging/slurm on a cluster
// of two daemons on this machine, with a fake of NVIDIA's library on each node.

#include "core/store/Store.h"
#include "support/TestProgram.h"

#include <QDir>
#include <QObject>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <string>
#include <vector>

using namespace trainscope;

namespace {

bool isSlurmInstalled() {
    const QStringList folders{QStringLiteral("/usr/sbin"), QStringLiteral("/sbin")};
    const QStringList programs{QStringLiteral("slurmctld"), QStringLiteral("slurmd"),
        QStringLiteral("munged"), QStringLiteral("srun")};
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

private Q_SLOTS:
    // A job of two nodes with four GPUs each becomes a run of eight; traces of two ranks, imported
    // by a node each, become one run.
    void recordAndImportOnTwoNodes() {
        if (!isSlurmInstalled())
            QSKIP("Slurm is not installed (Debian: slurm-wlm): nothing was tested.");
        if (!QDir(QStringLiteral("/sys/fs/cgroup")).exists())
            QSKIP("There is no /sys/fs/cgroup, without which slurmd does not start.");
        QTemporaryDir folder;
        const QString binary = QString::fromUtf8(qgetenv("TRAINSCOPE_BINARY"));
        const QString source = QString::fromUtf8(qgetenv("TRAINSCOPE_SOURCE"));
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("PATH"),
            binary + QStringLiteral("/bin:") + environment.value(QStringLiteral("PATH")));
        environment.insert(
            QStringLiteral("TRAINSCOPE_NVML"), binary + QStringLiteral("/bin/fakes/fake_nvml.so"));
        environment.insert(QStringLiteral("TRAINSCOPE_AMDSMI"), QStringLiteral("/nowhere"));
        environment.insert(QStringLiteral("TRAINSCOPE_FAKE_GPUS"), QStringLiteral("4"));
        environment.insert(QStringLiteral("TMPDIR"), QStringLiteral("/tmp"));
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
            = store::Store::open(folder.filePath(QStringLiteral("job.trainscope")).toStdString(),
                store::OpenMode::ReadOnly);
        QVERIFY2(job.hasValue(), said.constData());
        const Run recorded = runIn(job.value());
        QVERIFY(recorded.name.starts_with("Slurm "));
        QVERIFY(recorded.status == RunStatus::Ok);
        QCOMPARE(recorded.gpuCount, 8);
        QCOMPARE(recorded.nodeCount, 2);
        QCOMPARE(recorded.worldSize, 8);
        std::vector<double> watts; // of rank 0, 1, …: 100·(g+1) W of GPU g of each node
        for (const Series& series : job.value().series(recorded.id).value()) {
            if (series.description.metric.name == metric::kGpuPower)
                watts.push_back(series.mean);
        }
        std::sort(watts.begin(), watts.end());
        QCOMPARE(watts, (std::vector<double>{100, 100, 200, 200, 300, 300, 400, 400}));

        const auto imported
            = store::Store::open(folder.filePath(QStringLiteral("traces.trainscope")).toStdString(),
                store::OpenMode::ReadOnly);
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
