// Kept and dropped parts of a job's environment and command.

#include "importers/record/JobDescription.h"
#include "importers/record/MarkPipe.h"
#include "support/TestProgram.h"

#include <QObject>
#include <QTemporaryDir>
#include <QtTest>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>

using namespace trainscope;
using namespace trainscope::record;

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
        QTest::addColumn<QStringList>("words");
        QTest::addColumn<QString>("shown");
        const auto row = [](const char* name, const QStringList& words, const char* shown) {
            QTest::newRow(name) << words << QString::fromUtf8(shown);
        };
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
};

TRAINSCOPE_TEST(tst_Job)
#include "tst_Job.moc"
