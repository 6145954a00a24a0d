// Jobs by the processes that work on GPUs, from a folder that stands in for the kernel's.

#include "importers/record/GpuJobs.h"
#include "support/TestProgram.h"

#include <QDir>
#include <QFile>
#include <QObject>
#include <QTemporaryDir>
#include <QtTest>

#include <unistd.h>

using namespace trainscope;
using namespace trainscope::record;

namespace {

class Processes {
public:
    void add(int process, int parent, const char* name, const QByteArray& command,
        const QByteArray& environment) {
        const QString folder = m_root.filePath(QStringLiteral("proc/%1/").arg(process));
        QDir().mkpath(folder);
        write(folder + QStringLiteral("stat"),
            QStringLiteral("%1 (%2) S %3 1 1 0 -1")
                .arg(process)
                .arg(QString::fromUtf8(name))
                .arg(parent)
                .toUtf8());
        write(folder + QStringLiteral("cmdline"), command);
        write(folder + QStringLiteral("environ"), environment);
    }
    [[nodiscard]] std::string root() const { return m_root.path().toStdString(); }

private:
    static void write(const QString& path, const QByteArray& bytes) {
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(bytes);
    }
    QTemporaryDir m_root;
};

template <std::size_t N>
QByteArray texts(const char (&literal)[N]) {
    return {literal, static_cast<qsizetype>(N - 1)};
}

} // namespace

class tst_GpuJobs : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Two ranks of a Slurm job on GPUs 1 and 0; two workers of a torchrun that nobody named, below
    // a shell; and a process that has ended.
    void jobs() {
        Processes all;
        all.add(1, 0, "systemd", texts("init\0"), {});
        all.add(10, 1, "slurmstepd", texts("slurmstepd\0"), {});
        all.add(
            11, 10, "python", texts("python\0a.py\0"), texts("SLURM_JOB_ID=42\0SLURM_NODEID=3\0"));
        all.add(
            12, 10, "python", texts("python\0a.py\0"), texts("SLURM_JOB_ID=42\0SLURM_NODEID=3\0"));
        all.add(20, 1, "bash", texts("bash\0"), {});
        all.add(21, 20, "torchrun (x)",
            texts("torchrun\0--nproc-per-node\0"
                  "2\0b.py\0"),
            {});
        all.add(22, 21, "pt_main", texts("python\0b.py\0"), texts("TORCHELASTIC_RUN_ID=none\0"));
        all.add(23, 21, "pt_main", texts("python\0b.py\0"), texts("TORCHELASTIC_RUN_ID=none\0"));
        const auto found
            = gpuJobs({{1, 12}, {0, 11}, {2, 22}, {3, 23}, {3, 22}, {5, 99}}, all.root());
        const std::string user = std::to_string(::getuid());
        QCOMPARE(found.size(), 2U);
        QCOMPARE(found[0].key, user + " Slurm 42");
        QCOMPARE(found[0].user, static_cast<std::int64_t>(::getuid()));
        QCOMPARE(found[0].name, std::string("42"));
        QCOMPARE(found[0].gpus, (std::vector<int>{0, 1}));
        QCOMPARE(found[0].environment.at("SLURM_NODEID"), std::string("3"));
        QCOMPARE(found[1].key, user + " process 21");
        QCOMPARE(found[1].name, std::string("torchrun (x)-21"));
        QCOMPARE(found[1].gpus, (std::vector<int>{2, 3}));
        QCOMPARE(found[1].command,
            (std::vector<std::string>{"torchrun", "--nproc-per-node", "2", "b.py"}));
    }

    // An environment that may not be read: the process stands for its job.
    void withoutEnvironment() {
        Processes all;
        all.add(30, 1, "python", texts("python\0c.py\0"), {});
        const auto found = gpuJobs({{0, 30}}, all.root());
        QCOMPARE(found.size(), 1U);
        QCOMPARE(found[0].key, std::to_string(::getuid()) + " process 30");
        QVERIFY(found[0].environment.empty());
        QVERIFY(gpuJobs({}, all.root()).empty());
    }

    // One of another user whose environment claims the same job, and one with three megabytes of
    // environment: neither is taken for the job, nor read to its end.
    void environmentsAreTheirOwnersChoice() {
        if (::geteuid() != 0)
            QSKIP("SKIPPED: only root can make processes of two users");
        Processes all;
        all.add(40, 1, "python", texts("a\0"), texts("SLURM_JOB_ID=42\0"));
        all.add(41, 1, "python", texts("b\0"), texts("SLURM_JOB_ID=42\0"));
        const std::string other = all.root() + "/proc/41";
        QCOMPARE(::chown(other.c_str(), 65534, 65534), 0);
        all.add(42, 1, "python", texts("c\0"),
            texts("NCCL_ALGO=Ring\0") + "X=" + QByteArray(3 << 20, 'x')
                + texts("\0SLURM_JOB_ID=42\0"));
        const auto found = gpuJobs({{0, 40}, {1, 41}, {2, 42}}, all.root());
        QCOMPARE(found.size(), 3U);
        QCOMPARE(found[0].key, std::string("0 Slurm 42"));
        QCOMPARE(found[0].gpus, std::vector<int>{0});
        QCOMPARE(found[1].key, std::string("0 process 42"));
        QCOMPARE(found[1].environment, (Environment{{"NCCL_ALGO", "Ring"}}));
        QCOMPARE(found[2].key, std::string("65534 Slurm 42"));
        QCOMPARE(found[2].user, std::int64_t{65534});
    }
};

TRAINSCOPE_TEST(tst_GpuJobs)
#include "tst_GpuJobs.moc"
