// Kept and dropped parts of a job's environment and command.

#include "importers/record/HostProbe.h"
#include "importers/record/JobDescription.h"
#include "importers/record/MarkPipe.h"
#include "importers/record/PciTree.h"
#include "importers/record/ProbeReading.h"
#include "support/Content.h"
#include "support/TestProgram.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace trainscope::record;
using layout::PathKind;
using test::writeText;

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
        QVERIFY(test::writeContent(path, bytes));
    }
    QTemporaryDir m_root;
};

template <std::size_t N>
QByteArray texts(const char (&literal)[N]) {
    return {literal, static_cast<qsizetype>(N - 1)};
}

class FakeTree {
public:
    // A device of PCI, with its address as the kernel writes it.
    QString device(const char* way, int numa) {
        const QString folder = path("sys/devices/") + QString::fromUtf8(way);
        writeText(folder + QStringLiteral("/numa_node"), QByteArray::number(numa).constData());
        const QString links = path("sys/bus/pci/devices");
        QDir().mkpath(links);
        QFile::link(folder, links + QLatin1Char('/') + QFileInfo(folder).fileName());
        return folder;
    }
    void card(const char* name, const QString& device) {
        QDir().mkpath(path(name));
        QFile::link(device, path(name) + QStringLiteral("/device"));
    }
    void text(const char* at, const char* text) const { writeText(path(at), text); }
    [[nodiscard]] QString path(const char* at) const {
        return m_root.filePath(QString::fromUtf8(at));
    }
    [[nodiscard]] std::string root() const { return m_root.path().toStdString(); }

private:
    QTemporaryDir m_root;
};

layout::Topology twoGpus(PathKind between) {
    layout::TopologyDevice first;
    first.name = "GPU0";
    first.busId = "00000000:43:00.0"; // as NVML writes it
    layout::TopologyDevice second;
    second.index = 1;
    second.name = "GPU1";
    second.busId = "00000000:47:00.0";
    layout::Topology topology({first, second});
    topology.setPath(0, 1, {between, 0, false, std::nullopt});
    return topology;
}

void growTree(FakeTree& tree) {
    tree.device("pci0000:40/0000:40:01.0/0000:41:00.0/0000:42:00.0/0000:43:00.0", 0);
    tree.device(
        "pci0000:40/0000:40:01.0/0000:41:00.0/0000:42:02.0/0000:45:00.0/0000:46:00.0/0000:47:00.0",
        0);
    const QString near
        = tree.device("pci0000:40/0000:40:01.0/0000:41:00.0/0000:42:01.0/0000:44:00.0", 0);
    const QString port = tree.device("pci0000:40/0000:40:02.0/0000:48:00.0", 0);
    const QString other = tree.device("pci0000:50/0000:50:01.0/0000:51:00.0", 0);
    const QString far = tree.device("pci0000:c0/0000:c0:01.0/0000:c1:00.0", 1);
    tree.card("sys/class/infiniband/mlx5_0", near);
    tree.card("sys/class/infiniband/mlx5_1", port);
    tree.card("sys/class/infiniband/mlx5_2", other);
    tree.text("sys/class/infiniband/mlx5_0/ports/1/rate", "400 Gb/sec (4X NDR)\n");
    tree.text("sys/class/infiniband/mlx5_1/ports/1/rate", "200 Gb/sec (4X HDR)\n");
    tree.card("sys/class/net/ib1", port); // the same card
    tree.card("sys/class/net/eth1", far);
    tree.text("sys/class/net/eth1/speed", "25000\n");
    tree.text("sys/class/net/docker0/speed", "10000\n"); // made of software
}

} // namespace

class tst_Job : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void slurm() {
        const Environment environment{{"SLURM_JOB_ID", "4711"}, {"SLURM_NODEID", "3"},
            {"SLURM_NNODES", "4"}, {"SLURM_LOCALID", "0"}, {"SLURM_JWT", "eyJ"},
            {"NCCL_ALGO", "Ring"}, {"WANDB_API_KEY", "0123"}, {"HOME", "/root"},
            {"PBS_JOBCOOKIE", "1A2B"}, {"OMPI_ARGV", "--lr 1 --token abc"}};
        const JobDescription job = describeJob({"python", "train.py"}, environment, "node3");
        QCOMPARE(job.launcher, std::string("Slurm"));
        QCOMPARE(job.job, std::string("4711"));
        QCOMPARE(job.node, 3);
        QCOMPARE(job.nodes, 4);
        QCOMPARE(job.environment.size(), 6U);
        QCOMPARE(job.environment.count("PBS_JOBCOOKIE"), 0U);
        QCOMPARE(job.environment.at("OMPI_ARGV"), std::string("--lr 1 --token …"));
        QCOMPARE(job.environment.count("SLURM_JWT"), 0U);
        QCOMPARE(job.environment.count("WANDB_API_KEY"), 0U);
        QCOMPARE(job.environment.at("NCCL_ALGO"), std::string("Ring"));
    }

    // 16 processes, 8 on each node: the tenth is on the second.
    void mpi() {
        const JobDescription job = describeJob({"train"},
            {{"OMPI_COMM_WORLD_RANK", "10"}, {"OMPI_COMM_WORLD_SIZE", "16"},
                {"OMPI_COMM_WORLD_LOCAL_RANK", "2"}, {"OMPI_COMM_WORLD_LOCAL_SIZE", "8"},
                {"PMIX_NAMESPACE", "prterun-1"}},
            "b");
        QCOMPARE(job.launcher, std::string("Open MPI"));
        QCOMPARE(job.job, std::string("prterun-1"));
        QCOMPARE(job.node, 1);
        QCOMPARE(job.nodes, 2);
        QCOMPARE(job.localProcess, 2);
    }

    void torchrunAsCommand() {
        const JobDescription job = describeJob(
            {"torchrun", "--nnodes=1:4", "--node_rank", "2", "--rdzv-id=abc", "train.py"}, {}, "c");
        QCOMPARE(job.node, 2);
        QCOMPARE(job.nodes, 4);
        QCOMPARE(job.job, std::string("abc"));
        QVERIFY(job.launcher.empty());
    }

    void secrets_data() {
        const auto row = test::columns<QStringList, QString>("words", "shown");

        const auto text = [](std::initializer_list<const char*> words) {
            QStringList list;
            for (const char* word : words)
                list << QString::fromUtf8(word);
            return list;
        };
        row("plain", text({"python", "a b.py", "--lr", "1e-4"}), "python 'a b.py' --lr 1e-4");
        row("option", text({"x", "--api-key", "abc", "--out", "d"}), "x --api-key … --out d");
        row("equals", text({"x", "--hf_token=abc"}), "x --hf_token=…");
        row("variable", text({"env", "HF_TOKEN=abc", "x"}), "env HF_TOKEN=… x");
        row("by its look", text({"x", "--id", "hf_AbCdEfGhIjKlMnOpQr01"}), "x --id …");
        row("in a shell's text", text({"bash", "-c", "x --api-key KEY"}),
            "bash -c 'x --api-key …'");
        row("no secrets", text({"x", "--tokenizer-model", "m", "--max-tokens", "9"}),
            "x --tokenizer-model m --max-tokens 9");
        row("quote", text({"sh", "-c", "it's"}), "sh -c 'it'\\''s'");
    }
    void secrets() {
        QFETCH(QStringList, words);
        QFETCH(QString, shown);
        std::vector<std::string> command;
        for (const QString& word : words)
            command.push_back(word.toStdString());
        QCOMPARE(QString::fromStdString(shownCommand(command)), shown);
    }

    void marks() {
        QTemporaryDir folder;
        auto made = MarkPipe::create(folder.path().toStdString());
        QVERIFY(made.hasValue());
        MarkPipe& pipe = made.value();
        const int script = ::open(pipe.path().c_str(), O_WRONLY | O_NONBLOCK);
        QVERIFY(script >= 0);
        const auto say = [script](std::string_view line) {
            QCOMPARE(::write(script, line.data(), line.size()), static_cast<ssize_t>(line.size()));
        };
        say("1\n");
        QVERIFY(pipe.take({100}).ended.empty());
        say("2\n7 3\nnonsense\n");
        auto ended = pipe.take({200}).ended;
        QCOMPARE(ended.size(), 1U);
        QCOMPARE(ended[0].index, 1);
        QCOMPARE(ended[0].rank, -1);
        QVERIFY((ended[0].range == TimeRange{{100}, {200}}));
        say("8 3\nen");
        ended = pipe.take({300}).ended;
        QCOMPARE(ended.size(), 1U);
        QCOMPARE(ended[0].rank, 3);
        QCOMPARE(ended[0].index, 7);
        say("d\n");
        ended = pipe.take({400}).ended;
        QCOMPARE(ended.size(), 1U);
        QCOMPARE(ended[0].index, 2);
        QVERIFY((ended[0].range == TimeRange{{200}, {400}}));
        QCOMPARE(pipe.notUnderstood(), 1);
        QCOMPARE(pipe.firstNotUnderstood(), std::string("nonsense"));
        // Ranks that no cluster has are not another one, of their lower bits, say.
        say("5 4294967296\n6 -1\n");
        QVERIFY(pipe.take({500}).ended.empty());
        say("6 0\n7\n");
        QVERIFY(pipe.take({600}).ended.empty());
        QCOMPARE(pipe.notUnderstood(), 3);
        ::close(script);
    }

    // Facts of steps, of whole lines and of single ranks; what cannot be understood is counted, and
    // takes nothing else with it.
    void markedFacts() {
        QTemporaryDir folder;
        auto made = MarkPipe::create(folder.path().toStdString());
        MarkPipe& pipe = made.value();
        const int script = ::open(pipe.path().c_str(), O_WRONLY | O_NONBLOCK);
        const auto take = [&](std::string_view lines, std::int64_t now) {
            [[maybe_unused]] const auto size = ::write(script, lines.data(), lines.size());
            return pipe.take({now});
        };
        Marks marks = take("12 tokens=65536 samples=64, loss=2.31\n", 100);
        QVERIFY(marks.ended.empty());
        QCOMPARE(marks.values.size(), 3U);
        QCOMPARE(marks.values[0].key, std::string("tokens"));
        QCOMPARE(marks.values[0].value, 65536.0);
        QCOMPARE(marks.values[1].value, 64.0);
        QCOMPARE(marks.values[2].value, 2.31);
        QCOMPARE(marks.values[2].rank, -1);
        // The step under way has tokens from where it began, and a loss from where it was told.
        marks = take("12 tokens=60000\nloss=nan val/acc=0.5\n", 150);
        QVERIFY(marks.ended.empty());
        QCOMPARE(marks.values.size(), 3U);
        QCOMPARE(marks.values[0].time.ns, 100);
        QCOMPARE(marks.values[1].time.ns, 150);
        QVERIFY(std::isnan(marks.values[1].value));
        QCOMPARE(marks.values[2].key, std::string("val/acc"));
        marks = take("13 2 loss=1e-1\n13\n", 200);
        QCOMPARE(marks.ended.size(), 1U);
        QCOMPARE(marks.ended[0].index, 12);
        QCOMPARE(marks.values.size(), 1U);
        QCOMPARE(marks.values[0].rank, 2);
        QCOMPARE(pipe.notUnderstood(), 0);
        marks = take("14 loss=much tokens=7\n\n15 tokens=-1\n=3\n1x=2\n", 300);
        QCOMPARE(marks.ended.size(), 2U);
        QCOMPARE(marks.values.size(), 1U);
        QCOMPARE(marks.values[0].value, 7.0);
        QCOMPARE(pipe.notUnderstood(), 4);
        QCOMPARE(pipe.firstNotUnderstood(), std::string("14 loss=much tokens=7"));
        ::close(script);
    }

    void markedPhases() {
        QTemporaryDir folder;
        auto made = MarkPipe::create(folder.path().toStdString());
        MarkPipe& pipe = made.value();
        const int script = ::open(pipe.path().c_str(), O_WRONLY | O_NONBLOCK);
        const auto take = [&](std::string_view lines, std::int64_t now) {
            [[maybe_unused]] const auto size = ::write(script, lines.data(), lines.size());
            return pipe.take({now});
        };
        QVERIFY(take("phase warm up\n1\n", 100).phases.empty());
        QCOMPARE(pipe.phase()->name, std::string("warm up"));
        const Marks second = take("phase eager-4\n", 200);
        QVERIFY(second.ended.empty()); // a phase may lie within a step
        QVERIFY((second.phases == std::vector<NamedPhase>{{"warm up", {{100}, {200}}}}));
        const Marks end = take("end\n", 300);
        QCOMPARE(end.ended.size(), 1U);
        QVERIFY((end.phases == std::vector<NamedPhase>{{"eager-4", {{200}, {300}}}}));
        QVERIFY(!pipe.phase());
        take("phase x\n", 400);
        QVERIFY(take("end 3\n", 500).phases.empty());
        QVERIFY((take("phase\n", 600).phases == std::vector<NamedPhase>{{"x", {{400}, {600}}}}));
        QCOMPARE(pipe.notUnderstood(), 0);
        ::close(script);
    }

    // Pipes of killed recorders go, and nobody else's.
    void stalePipesGo() {
        QTemporaryDir folder;
        const auto path = [&folder](const std::string& name) {
            return folder.path().toStdString() + "/trainscope-marks-" + name;
        };
        const pid_t ended = ::fork();
        if (ended == 0)
            ::_exit(0);
        QCOMPARE(::waitpid(ended, nullptr, 0), ended);
        const std::string stale = path(std::to_string(ended));
        const std::string ofParent = path(std::to_string(::getppid()));
        const std::string noNumber = path("mine");
        for (const std::string& name : {stale, ofParent, noNumber})
            QCOMPARE(::mkfifo(name.c_str(), 0600), 0);
        // Still open in a script that outlived its recorder.
        const int script = ::open(stale.c_str(), O_RDWR | O_NONBLOCK);
        QVERIFY(MarkPipe::create(folder.path().toStdString()).hasValue());
        QCOMPARE(::access(stale.c_str(), F_OK), 0);
        ::close(script);
        QVERIFY(MarkPipe::create(folder.path().toStdString()).hasValue());
        QCOMPARE(::access(stale.c_str(), F_OK), -1);
        QCOMPARE(::access(ofParent.c_str(), F_OK), 0);
        QCOMPARE(::access(noNumber.c_str(), F_OK), 0);
    }

    // Jobs by the processes that work on GPUs, from a folder that stands in for the kernel's.

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

    // Network cards and their ways to the GPUs, from a tree that stands in for the kernel's.
    //
    //   root complex pci0000:40, node 0        pci0000:50, node 0      pci0000:c0, node 1
    //     port 40:01.0                           port 50:01.0            port c0:01.0
    //       switch 41:00.0                         mlx5_2                  eth1
    //         42:00.0 GPU0   42:01.0 mlx5_0
    //         42:02.0 switch 45:00.0
    //           46:00.0 GPU1
    //     port 40:02.0
    //       mlx5_1, whose interface is ib1
    void cards() {
        FakeTree tree;
        growTree(tree);
        const layout::Topology topology = withNetworkCards(twoGpus(PathKind::NvLink), tree.root());
        QCOMPARE(topology.gpuCount(), 2U);
        QCOMPARE(topology.devices().size(), 6U);
        constexpr std::array names{"GPU0", "GPU1", "mlx5_0", "mlx5_1", "mlx5_2", "eth1"};
        for (std::size_t i = 0; i < names.size(); ++i)
            QCOMPARE(topology.devices()[i].name, std::string(names[i]));
        QCOMPARE(topology.devices()[2].busId, std::string("0000:44:00.0"));
        QCOMPARE(topology.devices()[2].bandwidth, 50e9); // 400 Gb/s
        QCOMPARE(topology.devices()[3].bandwidth, 25e9);
        QVERIFY(!topology.devices()[4].bandwidth);
        QCOMPARE(topology.devices()[5].bandwidth, 3.125e9); // 25 Gb/s
        QCOMPARE(topology.devices()[5].numa, 1);
        QCOMPARE(topology.devices()[0].numa, 0);
    }

    void ways() {
        FakeTree tree;
        growTree(tree);
        const layout::Topology topology = withNetworkCards(twoGpus(PathKind::NvLink), tree.root());
        QVERIFY(topology.path(0, 1).kind == PathKind::NvLink); // as the library says
        QVERIFY(topology.path(0, 2).kind == PathKind::Pix); // ports of one switch
        QVERIFY(topology.path(1, 2).kind == PathKind::Pxb); // behind a second switch
        QVERIFY(topology.path(0, 3).kind == PathKind::Phb); // another port of the processor
        QVERIFY(topology.path(0, 4).kind == PathKind::Node); // another root complex, the same node
        QVERIFY(topology.path(0, 5).kind == PathKind::Sys);
        QVERIFY(topology.path(5, 0).kind == PathKind::Sys);
        QCOMPARE(topology.nearestNic(0), std::optional<std::size_t>(2));
    }

    // Between GPUs it fills in what the library leaves open.
    void unknownWays() {
        FakeTree tree;
        growTree(tree);
        const layout::Topology topology = withNetworkCards(twoGpus(PathKind::Unknown), tree.root());
        QVERIFY(topology.path(0, 1).kind == PathKind::Pxb);
    }

    // Without a tree there are the GPUs alone.
    void noTree() {
        const layout::Topology topology = withNetworkCards(twoGpus(PathKind::NvLink), "/nowhere");
        QCOMPARE(topology.devices().size(), 2U);
        QVERIFY(topology.path(0, 1).kind == PathKind::NvLink);
    }

    void addresses() {
        FakeTree tree;
        growTree(tree);
        const PciTree pci(tree.root());
        QCOMPARE(pci.find("00000000:C1:00.0").value().address(), std::string("0000:c1:00.0"));
        QCOMPARE(pci.find("0000:c1:00.0").value().way.size(), 3U);
        QVERIFY(!pci.find("0000:c2:00.0"));
        QVERIFY(!pci.find(""));
        QVERIFY(!pci.find("no address"));
    }
};

TRAINSCOPE_TEST(tst_Job)
#include "tst_Job.moc"
