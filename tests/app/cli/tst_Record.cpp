// `trainscope-cli record` as it is called, on a fake of NVIDIA's library.

#include "app/cli/CommandLine.h"
#include "core/analysis/energy/Efficiency.h"
#include "core/analysis/iterations/AnnotatedIterations.h"
#include "core/layout/Topology.h"
#include "core/store/Store.h"
#include "support/Content.h"
#include "support/TestProgram.h"

#include <unistd.h>

#include <csignal>

namespace {

QString program() {
    return QString::fromUtf8(qgetenv("TRAINSCOPE_BINARY") + "/bin/trainscope-cli");
}

struct Ended {
    int status = 0;
    QString err;
};

Ended record(const QStringList& arguments) {
    QProcess process;
    process.start(program(), test::texts("record") + arguments);
    process.waitForFinished();
    return {process.exitCode(), QString::fromUtf8(process.readAllStandardError())};
}

store::Store opened(const QString& path) {
    return store::Store::open(path.toStdString(), store::OpenMode::ReadOnly).value();
}

Run onlyRun(const store::Store& store) {
    const auto runs = store.runs().value();
    return runs.size() == 1 ? runs.front() : Run{};
}

Series seriesOf(const store::Store& store, RunId run, const std::string& metric, int rank) {
    for (const Series& series : store.series(run).value()) {
        if (series.description.metric.name == metric && series.description.subject.rank == rank)
            return series;
    }
    return {};
}

// True when a recording that goes on has committed so many samples of each GPU, of 20 in a second.
bool hasBegun(const QString& path, std::int64_t samples = 20) {
    return QTest::qWaitFor(
        [&] {
            const auto store = store::Store::open(path.toStdString(), store::OpenMode::ReadOnly);
            return store.hasValue() && !store.value().runs().value().empty()
                && seriesOf(store.value(), onlyRun(store.value()).id, "gpu_power", 0).count
                >= samples;
        },
        30'000);
}

} // namespace

class tst_Record : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() {
        m_folder = std::make_unique<QTemporaryDir>();
        m_database = m_folder->filePath(QStringLiteral("a.trainscope"));
        qputenv("TRAINSCOPE_NVML", qgetenv("TRAINSCOPE_BINARY") + "/bin/fakes/fake_nvml.so");
        qputenv("TRAINSCOPE_AMDSMI", "/nowhere");
        qputenv("TRAINSCOPE_FAKE_FAULTS", "");
        qputenv("TRAINSCOPE_FAKE_GPUS", "4");
    }

    void samplesWhileACommandRuns() {
        const Ended ended = record(test::texts("--into", m_database, "--", "sh", "-c",
            "for i in 1 2 3; do echo $i > $TRAINSCOPE_MARKS; sleep 0.5; done; "
            "echo end > $TRAINSCOPE_MARKS; sleep 0.2; exit 7"));
        QCOMPARE(ended.status, 7);
        const auto store = opened(m_database);
        const Run run = onlyRun(store);
        QVERIFY(run.status == RunStatus::Ok);
        QCOMPARE(run.gpuCount, 4);
        QCOMPARE(run.gpuModel, std::string("NVIDIA H100 80GB HBM3"));
        const Series power = seriesOf(store, run.id, "gpu_power", 2);
        QCOMPARE(power.mean, 300.0);
        QVERIFY2(power.count >= 25 && power.count <= 45, qPrintable(QString::number(power.count)));
        QVERIFY(std::abs(power.period.seconds() - 0.05) < 0.002);
        // 1 GB/s and GPU, by a counter of 32 bits that wraps once at least.
        const Series bytes = seriesOf(store, run.id, "pcie_tx", 3);
        const auto rates = store.rateBuckets(bytes.id, bytes.range, 1).value();
        QVERIFY(std::abs(rates[0].mean - 4e9F) < 4e7F);
        const auto iterations = store.iterations(run.id).value();
        QCOMPARE(iterations.size(), 3U);
        for (const Iteration& iteration : iterations)
            QVERIFY(std::abs(iteration.range.length().seconds() - 0.5) < 0.1);
        QVERIFY(seriesOf(store, run.id, "sampling_delay", -1).count > 0);
        VERIFY_SAYS(ended.err, "% of a core");
    }

    // Behind calls that cost what a real driver's cost, of which that for the energy takes longer
    // than an interval: it is asked for at begin and end, and no round waits for it.
    void slowCallsDelayNoRound() {
        qputenv("TRAINSCOPE_FAKE_COSTS", "1");
        record(test::texts("--into", m_database, "--interval", "10ms", "--", "sleep", "2"));
        qunsetenv("TRAINSCOPE_FAKE_COSTS");
        const auto store = opened(m_database);
        const RunId run = onlyRun(store).id;
        const Series energy = seriesOf(store, run, "gpu_energy", 1);
        QCOMPARE(energy.count, std::int64_t{2});
        const Series power = seriesOf(store, run, "gpu_power", 1);
        QVERIFY(std::abs(power.range.length().seconds() - energy.range.length().seconds()) < 0.2);
        // GPU 1 draws 200 W: joules are watts times the seconds between the two.
        const double joules = energy.last - energy.first;
        QVERIFY2(std::abs(joules - 200.0 * energy.range.length().seconds()) < 8.0,
            qPrintable(QString::number(joules)));
        const ImportReport report = store.sources().value().front().report;
        QVERIFY2(power.count + report.skipped >= 195, qPrintable(QString::number(power.count)));
        QVERIFY2(report.skipped <= 10, qPrintable(QString::number(report.skipped)));
    }

    // The driver's own samples every 20 ms, where they tell more than readings; else readings.
    void powerOfTheDriversOwn_data() {
        const auto row = test::columns<QByteArray, double, QString>("kind", "period", "words");
        row("finer", "ring", 0.02, "the driver's own");
        row("repeated", "repeating", 0.05, "readings; ");
        row("mean", "smooth", 0.05, "readings; ");
    }
    void powerOfTheDriversOwn() {
        QFETCH(QByteArray, kind);
        QFETCH(double, period);
        QFETCH(QString, words);
        qputenv("TRAINSCOPE_FAKE_POWER", kind);
        record(test::texts("--into", m_database, "--", "sleep", "3"));
        qunsetenv("TRAINSCOPE_FAKE_POWER");
        const auto store = opened(m_database);
        const Series power = seriesOf(store, onlyRun(store).id, "gpu_power", 2);
        QVERIFY2(std::abs(power.period.seconds() - period) < 0.002,
            qPrintable(QString::number(power.period.seconds())));
        QVERIFY2(power.range.length().seconds() > 2.7,
            qPrintable(QString::number(power.range.length().seconds())));
        QVERIFY(power.min >= 300.0 && power.max <= 396.0);
        const auto facts = store.sources().value().front().report.facts;
        QVERIFY2(QString::fromStdString(facts.at("GPU 2 power")).startsWith(words),
            facts.at("GPU 2 power").c_str());
    }

    // A plain script, without a launch file: five steps of 0.4 s with 4 samples of 1024 tokens on a
    // GPU that draws 100 W, in two phases.
    void marksSayTheWork() {
        qputenv("TRAINSCOPE_FAKE_GPUS", "1");
        const Ended ended
            = record(test::texts("--into", m_database, "--model", "llama3-8b", "--", "sh", "-c",
                "exec 3>$TRAINSCOPE_MARKS; say() { echo \"$*\" >&3; }; "
                "say phase warm up; "
                "for i in 1 2; do say $i tokens=4096 samples=4 loss=3.$i; sleep 0.4; done; "
                "say phase training; say what is this; "
                "for i in 3 4 5; do say $i tokens=4096 samples=4; sleep 0.4; "
                "say loss=2.$i gate/share=0.5 mem_used=7; done; say end; sleep 0.3"));
        QCOMPARE(ended.status, 0);
        VERIFY_SAYS(ended.err,
            "1 line in the pipe for marks could not be "
            "understood; the first: \"what is this\"");
        const auto store = opened(m_database);
        const Run run = onlyRun(store);
        const auto made = analysis::efficiencyOf({store, run}).value();
        const auto isAbout = [](const std::optional<double>& value, double expected) {
            return value && std::abs(*value / expected - 1.0) < 0.1;
        };
        QVERIFY(isAbout(made.stepTimeS, 0.4));
        QVERIFY(isAbout(made.samplesPerS, 10.0));
        QVERIFY(isAbout(made.tokensPerS, 10'240.0));
        QVERIFY(isAbout(made.tokensPerJ, 102.4)); // 4096 / (100 W · 0.4 s)
        QVERIFY(made.samplesPerSPerMj.has_value());
        // 32 layers of 4096 with 1024 for keys, 3 matrices of 14336, 128256 words; a token's
        // forward pass: projections 2.684, scores of 1024 positions 0.537, feed-forward 11.27,
        // logits 1.051 GFLOP. Three times that for 4096 tokens in 0.4 s, of 989 TFLOP/s.
        QVERIFY(isAbout(made.mfu, 3.0 * 15.544e9 * 4096 / 0.4 / 989e12));
        const Series loss = seriesOf(store, run.id, "loss", -1);
        QCOMPARE(loss.count, std::int64_t{5});
        QCOMPARE(loss.first, 3.1);
        QCOMPARE(loss.last, 2.5);
        QCOMPARE(seriesOf(store, run.id, "gate/share", -1).mean, 0.5);
        QCOMPARE(seriesOf(store, run.id, "marked_mem_used", -1).mean, 7.0);
        QCOMPARE(seriesOf(store, run.id, "mem_used", -1).count, std::int64_t{0});
        const auto phases = analysis::namedPhasesOf(store, store.tracks(run.id).value()).value();
        QCOMPARE(phases.size(), 2U);
        QCOMPARE(phases[0].name, std::string("warm up"));
        QCOMPARE(phases[1].name, std::string("training"));
        QVERIFY(isAbout(phases[0].range.length().seconds(), 0.8));
        QVERIFY(isAbout(phases[1].range.length().seconds(), 1.2));
        QVERIFY(store.check().value().damage.empty());
    }

    // The same said once, of a shape; the phase under way when the program ends, ends there.
    void optionsSayTheWork() {
        qputenv("TRAINSCOPE_FAKE_GPUS", "1");
        const Ended ended = record(test::texts("--into", m_database, "--model",
            "layers=12,hidden=1024,heads=16,vocabulary=50304", "--tokens-per-step", "65536",
            "--global-batch", "64", "--", "sh", "-c",
            "echo phase all > $TRAINSCOPE_MARKS; for i in 1 2 3 4; do echo $i > "
            "$TRAINSCOPE_MARKS; sleep 0.4; done"));
        QCOMPARE(ended.status, 0);
        const auto store = opened(m_database);
        const Run run = onlyRun(store);
        QCOMPARE(run.launch.globalBatch, std::optional(64));
        QCOMPARE(run.launch.sequenceLength, std::optional(1024));
        const auto made = analysis::efficiencyOf({store, run}).value();
        QVERIFY(made.stepTimeS.has_value());
        QCOMPARE(*made.tokensPerS, 65536.0 / *made.stepTimeS);
        QCOMPARE(*made.samplesPerS, 64.0 / *made.stepTimeS);
        // 72·B·s·l·h²·(1 + s/6h + V/12lh)
        const double flop = 72.0 * 64 * 1024 * 12 * 1024.0 * 1024.0
            * (1.0 + 1.0 / 6.0 + 50304.0 / (12.0 * 12 * 1024));
        QVERIFY(std::abs(*made.flopPerStep / flop - 1.0) < 1e-9);
        const auto phases = analysis::namedPhasesOf(store, store.tracks(run.id).value()).value();
        QCOMPARE(phases.size(), 1U);
        QVERIFY(std::abs(phases[0].range.length().seconds() - 1.6) < 0.2);
    }

    // Killed in the middle: all but the last second is there, and nothing is damaged.
    void isKilled() {
        QProcess process;
        process.start(program(), test::texts("record", "--into", m_database, "--", "sleep", "60"));
        QVERIFY(hasBegun(m_database, 40));
        process.kill();
        process.waitForFinished();
        const auto store = opened(m_database);
        const Run run = onlyRun(store);
        QVERIFY(run.status == RunStatus::Partial);
        const Series power = seriesOf(store, run.id, "gpu_power", 0);
        QVERIFY2(power.range.length().seconds() > 1.5,
            qPrintable(QString::number(power.range.length().seconds())));
        QVERIFY(store.check().value().damage.empty());
    }

    // By a backup, say: it stays as it is, and nobody is told that the run is in it.
    void fileIsReplaced() {
        const QString backup = m_folder->filePath(QStringLiteral("b.trainscope"));
        record(test::texts("--into", backup, "--", "true"));
        const QByteArray bytes = test::contentOf(backup);
        QVERIFY(!bytes.isEmpty());
        QProcess process;
        process.start(program(), test::texts("record", "--into", m_database, "--", "sleep", "60"));
        QVERIFY(hasBegun(m_database));
        QCOMPARE(::rename(backup.toLocal8Bit(), m_database.toLocal8Bit()), 0);
        QString told;
        QVERIFY(QTest::qWaitFor(
            [&] {
                told += QString::fromUtf8(process.readAllStandardError());
                return told.contains(QStringLiteral("goes on in memory"));
            },
            30'000));
        process.terminate();
        QVERIFY(process.waitForFinished(10'000));
        told += QString::fromUtf8(process.readAllStandardError());
        VERIFY_SAYS(told, "but could not write all of it into");
        QVERIFY2(!told.contains(QStringLiteral("Recorded")), qPrintable(told));
        QCOMPARE(test::contentOf(m_database), bytes);
    }

    void signalsArePassedOn() {
        QProcess process;
        process.start(program(), test::texts("record", "--into", m_database, "--", "sleep", "60"));
        QVERIFY(hasBegun(m_database));
        process.terminate();
        QVERIFY(process.waitForFinished(10'000));
        QCOMPARE(process.exitCode(), 128 + SIGTERM);
        const auto store = opened(m_database);
        QVERIFY(onlyRun(store).status == RunStatus::Ok);
    }

    // Two nodes of a job, each into a file of its own, become one run of eight ranks.
    void nodesOfAJobJoin() {
        QStringList files;
        std::array<QProcess, 2> nodes;
        for (std::size_t node = 0; node < nodes.size(); ++node) {
            QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
            environment.insert(QStringLiteral("SLURM_JOB_ID"), QStringLiteral("4711"));
            environment.insert(QStringLiteral("SLURM_NODEID"), QString::number(node));
            environment.insert(QStringLiteral("SLURM_NNODES"), QStringLiteral("2"));
            nodes[node].setProcessEnvironment(environment);
            files << m_folder->filePath(QStringLiteral("%1.trainscope").arg(node));
            nodes[node].start(program(),
                test::texts("record", "--into", m_folder->filePath(QStringLiteral("%n.trainscope")),
                    "--", "sleep", "1.2"));
        }
        for (QProcess& node : nodes) {
            node.waitForFinished();
            QCOMPARE(node.exitCode(), 0);
        }
        const QString all = m_folder->filePath(QStringLiteral("all.trainscope"));
        for (int again = 0; again < 2; ++again) {
            QProcess process;
            process.start(program(), test::texts("import") + files + test::texts("--into", all));
            process.waitForFinished();
            QCOMPARE(process.exitCode(), 0);
            const auto store = opened(all);
            const Run run = onlyRun(store);
            QCOMPARE(run.name, std::string("Slurm 4711"));
            QCOMPARE(run.gpuCount, 8);
            QCOMPARE(run.nodeCount, 2);
            QCOMPARE(run.worldSize, 8);
            QCOMPARE(seriesOf(store, run.id, "gpu_power", 1).mean, 200.0);
            QCOMPARE(seriesOf(store, run.id, "gpu_power", 7).mean, 400.0);
            QVERIFY(store.check().value().damage.empty());
        }
    }

    // Two commands of one job, recorded into one database: two runs.
    void twiceInOneJob() {
        for (const char* seconds : {"0.3", "0.4"})
            record(
                {QStringLiteral("--into"), m_database, QStringLiteral("--job"), QStringLiteral("x"),
                    QStringLiteral("--"), QStringLiteral("sleep"), QString::fromUtf8(seconds)});
        const auto store = opened(m_database);
        const auto runs = store.runs().value();
        QCOMPARE(runs.size(), 2U);
        QCOMPARE(runs[0].name, std::string("job x"));
        QVERIFY(runs[1].name.starts_with("job x 20"));
        const QString all = m_folder->filePath(QStringLiteral("all.trainscope"));
        for (int again = 0; again < 2; ++again) {
            QProcess process;
            process.start(program(), test::texts("import", m_database, "--into", all));
            process.waitForFinished();
            QCOMPARE(opened(all).runs().value().size(), 2U);
        }
    }

    // The same command again, after the recorder was killed and after it ended: one run, with
    // holes that belong to nobody.
    void goesOnAfterARestart() {
        QFile stays(m_folder->filePath(QStringLiteral("stays")));
        QVERIFY(stays.open(QIODevice::WriteOnly));
        const QStringList all = test::texts("--into", m_database, "--job", "x", "--", "sh", "-c",
            QStringLiteral("while [ -e %1 ]; do sleep 0.1; done; sleep 0.8").arg(stays.fileName()));
        {
            QProcess process;
            process.start(program(), test::texts("record") + all);
            QVERIFY(hasBegun(m_database));
            // Meanwhile another one may not write the same run: its command runs without.
            QProcess second;
            second.start(program(), test::texts("record") + all);
            QString told;
            QVERIFY(QTest::qWaitFor(
                [&] {
                    told += QString::fromUtf8(second.readAllStandardError());
                    return told.contains(QStringLiteral("is being recorded into this run already"));
                },
                30'000));
            second.terminate();
            QVERIFY(second.waitForFinished());
            QCOMPARE(second.exitCode(), 128 + SIGTERM);
            process.kill();
            process.waitForFinished();
            QVERIFY(stays.remove());
        }
        for (int again = 0; again < 2; ++again) {
            const Ended ended = record(all);
            QCOMPARE(ended.status, 0);
            VERIFY_SAYS(ended.err, "Goes on with the run \"job x\"");
        }
        const auto store = opened(m_database);
        const Run run = onlyRun(store);
        QVERIFY(run.status == RunStatus::Ok);
        QCOMPARE(run.gpuCount, 4);
        const Series power = seriesOf(store, run.id, "gpu_power", 2);
        QCOMPARE(power.missing, std::int64_t{2});
        QCOMPARE(power.mean, 300.0);
        // 1 s at least of the part that was killed, and two of 0.8 s.
        QVERIFY2(power.count >= 45 && power.count <= 80, qPrintable(QString::number(power.count)));
        const auto sources = store.sources().value();
        QCOMPARE(sources.size(), 1U);
        VERIFY_SAYS(sources.front().report.facts.at("resumed"), "; ");
        QVERIFY(sources.front().report.samples > 45);
        QVERIFY(store.check().value().damage.empty());
    }

    // Traces that the command leaves join its run; those that lay there before would stretch it.
    void tracesFromBeforeAreLeftOut() {
        const QString traces = m_folder->filePath(QStringLiteral("traces"));
        const QString standIns = QString::fromUtf8(qgetenv("TRAINSCOPE_SOURCE"))
            + QStringLiteral("/tests/standins/data/kineto/pair/");
        QDir().mkpath(traces);
        QFile::copy(standIns + QStringLiteral("rank0.json"), traces + QStringLiteral("/old.json"));
        const QStringList recorded
            = test::texts("--into", m_database, "--kineto", traces, "--", "sh", "-c");
        const Ended without = record(QStringList(recorded) << QStringLiteral("sleep 0.3"));
        VERIFY_SAYS(without.err, "1 file in");
        QVERIFY(without.err.contains(QStringLiteral("The command left no trace")));
        QVERIFY(onlyRun(opened(m_database)).range.length().seconds() < 5.0);
        const QString other = m_folder->filePath(QStringLiteral("b.trainscope"));
        QStringList again = recorded;
        again[1] = other;
        const Ended with
            = record(again << QStringLiteral("cp %1rank0.json %2/new.json; mkdir %2/sub; "
                                             "cp %1rank1.json %2/sub/new.json; sleep 0.3")
                                  .arg(standIns, traces));
        VERIFY_SAYS(with.err, "2 traces from");
        const auto store = opened(other);
        QCOMPARE(store.runs().value().size(), 1U);
        const auto sources = store.sources().value();
        QCOMPARE(sources.size(), 3U);
        QCOMPARE(std::count_if(sources.begin(), sources.end(),
                     [](const store::Source& source) { return source.path.ends_with("new.json"); }),
            2);
    }

    // A process worked on GPU 1 of two, and says no rank: its kernels stand beside the
    // power of GPU 1, or of GPU 0 if it saw the GPUs in another order.
    void tracesStandWithTheirGpu_data() {
        const auto row = test::columns<QByteArray, int>("visible", "rank");
        row("all", QByteArray(), 1);
        row("turned", "1,0", 1);
        row("UUIDs", "GPU-00001,GPU-00000", 1);
    }
    void tracesStandWithTheirGpu() {
        QFETCH(QByteArray, visible);
        QFETCH(int, rank);
        const QString traces = m_folder->filePath(QStringLiteral("traces"));
        QDir().mkpath(traces);
        const qint64 now = QDateTime::currentMSecsSinceEpoch() * 1000; // µs
        QFile trace(m_folder->filePath(QStringLiteral("worker.json")));
        QVERIFY(trace.open(QIODevice::WriteOnly));
        trace.write(
            QStringLiteral(R"({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "H100"},
 {"id": 1, "name": "H100"}], "traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "pid": 1, "tid": 7,
 "ts": %1, "dur": 100000, "args": {"device": 1, "stream": 7, "correlation": 1}}]})")
                .arg(now)
                .toUtf8());
        trace.close();
        qputenv("TRAINSCOPE_FAKE_GPUS", "2");
        if (!visible.isEmpty())
            qputenv("CUDA_VISIBLE_DEVICES", visible);
        const Ended ended = record(test::texts(
            "--into", m_database, "--kineto", traces, "--", "cp", trace.fileName(), traces));
        qunsetenv("CUDA_VISIBLE_DEVICES");
        QCOMPARE(ended.status, 0);
        VERIFY_SAYS(ended.err, QStringLiteral("is of rank %1").arg(rank));
        const auto store = opened(m_database);
        const Run run = onlyRun(store);
        QCOMPARE(run.gpuCount, 2);
        const auto tracks = store.tracks(run.id).value();
        const auto stream = std::find_if(tracks.begin(), tracks.end(),
            [](const Track& track) { return track.description.kind == TrackKind::Stream; });
        QVERIFY(stream != tracks.end());
        QCOMPARE(stream->description.rank, rank);
    }

    // Files change every second: each is whole, has steps of the script, and no moment is in
    // two of them; what lies between is short.
    void filesChange() {
        qputenv("TRAINSCOPE_FAKE_GPUS", "1");
        const Ended ended
            = record(test::texts("--into", m_database, "--rotate", "1s", "--", "sh", "-c",
                "exec 3>$TRAINSCOPE_MARKS; for i in $(seq 1 14); do echo $i >&3; sleep "
                "0.25; done; echo end >&3; sleep 0.2; exit 9"));
        QCOMPARE(ended.status, 9);
        const QStringList files = QDir(m_folder->path()).entryList(QDir::Files, QDir::Name);
        QVERIFY2(files.size() >= 2, qPrintable(files.join(QLatin1Char(' '))));
        QCOMPARE(files.front(), QStringLiteral("a-0001.trainscope"));
        std::int64_t steps = 0;
        TimeNs before;
        for (const QString& file : files) {
            const auto store = opened(m_folder->filePath(file));
            const Run run = onlyRun(store);
            QVERIFY(run.status == RunStatus::Ok);
            steps += static_cast<std::int64_t>(store.iterations(run.id).value().size());
            const Series power = seriesOf(store, run.id, "gpu_power", 0);
            QVERIFY(power.count > 0);
            QVERIFY(power.range.begin > before);
            if (before.ns > 0) {
                const double hole = (power.range.begin - before).seconds();
                QVERIFY2(hole < 1.0, qPrintable(QString::number(hole)));
            }
            before = power.range.end;
            QVERIFY(store.check().value().damage.empty());
        }
        QCOMPARE(steps, std::int64_t{14});
    }

    // Without a command, until it is stopped. Files older than they are kept go, one that somebody
    // has open when it is closed.
    void oldFilesGo() {
        qputenv("TRAINSCOPE_FAKE_GPUS", "1");
        const QString first = m_folder->filePath(QStringLiteral("a-0001.trainscope"));
        QProcess process;
        process.start(program(),
            test::texts("record", "--into", m_database, "--rotate", "1s", "--keep", "2s"));
        const QString second = m_folder->filePath(QStringLiteral("a-0002.trainscope"));
        {
            std::optional<store::Store> reader;
            QVERIFY(QTest::qWaitFor(
                [&] {
                    auto store = store::Store::open(first.toStdString(), store::OpenMode::ReadOnly);
                    if (store.hasValue() && onlyRun(store.value()).gpuCount == 1)
                        reader.emplace(std::move(store.value()));
                    return reader.has_value();
                },
                30'000));
            QVERIFY(QTest::qWaitFor([&] { return QFile::exists(second); }, 60'000));
            QVERIFY(QTest::qWaitFor([&] { return !QFile::exists(second); }, 60'000));
            QVERIFY(onlyRun(*reader).status == RunStatus::Ok);
            QVERIFY(reader->check().value().damage.empty());
        }
        QVERIFY(QTest::qWaitFor([&] { return !QFile::exists(first); }, 60'000));
        process.terminate();
        QVERIFY(process.waitForFinished(20'000));
        QCOMPARE(process.exitCode(), 0);
        const QStringList left = QDir(m_folder->path()).entryList(QDir::Files, QDir::Name);
        QVERIFY2(!left.isEmpty() && left.filter(QStringLiteral("-wal")).isEmpty(),
            qPrintable(left.join(QLatin1Char(' '))));
        for (const QString& file : left)
            QVERIFY(onlyRun(opened(m_folder->filePath(file))).status == RunStatus::Ok);
    }

    // A job that Slurm names has a file of its own, with the GPUs that its process works on alone,
    // from its first moment there to its last. The file is its user's, and nobody else may read it.
    void aFileOfEachJob() {
        const QString list = m_folder->filePath(QStringLiteral("processes"));
        const auto compute = [&list](const QString& lines) {
            QFile file(list + QStringLiteral(".new"));
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(lines.toUtf8());
            file.close();
            QCOMPARE(::rename(file.fileName().toLocal8Bit(), list.toLocal8Bit()), 0);
        };
        compute({});
        qputenv("TRAINSCOPE_FAKE_PROCESSES", list.toUtf8());
        QProcess named;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("SLURM_JOB_ID"), QStringLiteral("4711"));
        named.setProcessEnvironment(environment);
        const bool isRoot = ::geteuid() == 0;
        const uint user = isRoot ? 65534 : ::geteuid();
        if (isRoot)
            named.start(QStringLiteral("setpriv"),
                test::texts("--reuid=65534", "--clear-groups", "sleep", "600"));
        else
            named.start(QStringLiteral("sleep"), {QStringLiteral("600")});
        QVERIFY(named.waitForStarted());
        QProcess process;
        process.start(program(),
            test::texts("record", "--per-job", "--into",
                m_folder->filePath(QStringLiteral("%j-%n.trainscope"))));
        qunsetenv("TRAINSCOPE_FAKE_PROCESSES");
        QVERIFY(process.waitForStarted());
        compute(QStringLiteral("1 %1\n3 %1\n").arg(named.processId()));
        const QString file = m_folder->filePath(QStringLiteral("4711-0.trainscope"));
        QVERIFY(QTest::qWaitFor([&] { return QFile::exists(file) && hasBegun(file, 1); }, 30'000));
        compute({});
        QString told;
        const auto isTold = [&](const QString& text) {
            told += QString::fromUtf8(process.readAllStandardError());
            return told.contains(text);
        };
        QVERIFY(QTest::qWaitFor(
            [&] { return isTold(QStringLiteral("Recorded \"Slurm 4711\"")); }, 30'000));
        named.kill();
        named.waitForFinished();
        process.terminate();
        QVERIFY(process.waitForFinished(20'000));
        QCOMPARE(process.exitCode(), 0);
        const auto store = opened(file);
        const Run run = onlyRun(store);
        QVERIFY(run.status == RunStatus::Ok);
        QCOMPARE(run.gpuCount, 2);
        QCOMPARE(seriesOf(store, run.id, "gpu_power", 0).mean, 200.0); // GPU 1 draws 200 W
        QCOMPARE(seriesOf(store, run.id, "gpu_power", 1).mean, 400.0);
        const std::string command = store.sources().value().front().report.facts.at("command");
        QVERIFY2(command.ends_with("sleep 600"), command.c_str());
        QCOMPARE(QFileInfo(file).ownerId(), user);
        QVERIFY(!(QFile::permissions(file)
            & (QFile::ReadGroup | QFile::WriteGroup | QFile::ReadOther | QFile::WriteOther)));
        QVERIFY(store.check().value().damage.empty());
    }

    // A node with cards, from a tree that stands in for the kernel's.
    void networkCardsAreKept() {
        const QString root = m_folder->filePath(QStringLiteral("root"));
        const QString card
            = root + QStringLiteral("/sys/devices/pci0000:00/0000:00:02.0/0000:01:00.1");
        QDir().mkpath(card);
        QDir().mkpath(root + QStringLiteral("/sys/bus/pci/devices"));
        QDir().mkpath(root + QStringLiteral("/sys/class/infiniband/mlx5_0"));
        const QString gpu = QFileInfo(card).path() + QStringLiteral("/0000:01:00.0");
        QDir().mkpath(gpu);
        QFile::link(gpu, root + QStringLiteral("/sys/bus/pci/devices/0000:01:00.0"));
        QFile::link(card, root + QStringLiteral("/sys/class/infiniband/mlx5_0/device"));
        qputenv("TRAINSCOPE_SYSTEM_ROOT", root.toUtf8());
        record(test::texts("--into", m_database, "--", "true"));
        qunsetenv("TRAINSCOPE_SYSTEM_ROOT");
        const auto store = opened(m_database);
        const auto machine = store.machine(onlyRun(store).id).value();
        QVERIFY(machine.has_value());
        const auto facts = layout::machineFromJson(*machine);
        QVERIFY(facts.hasValue());
        const layout::Topology& topology = *facts.value().topology;
        QCOMPARE(topology.gpuCount(), 4U);
        QCOMPARE(topology.devices().back().name, std::string("mlx5_0"));
        QVERIFY(topology.path(1, 4).kind == layout::PathKind::Pix);
        QVERIFY(topology.path(0, 4).kind == layout::PathKind::Unknown);
    }

    void missingLibraryIsTold() {
        qputenv("TRAINSCOPE_NVML", "/nowhere");
        const Ended ended = record(test::texts("--into", m_database, "--", "true"));
        QCOMPARE(ended.status, 0);
        QVERIFY(ended.err.contains(
            QStringLiteral("NVIDIA's management library, which comes with the driver, cannot be "
                           "loaded")));
    }

    // Nothing that the recorder lacks stops the job.
    void theCommandRunsAnyway_data() {
        // variable: NAME=VALUE
        // limit: the shell's
        // steps: recorded ones; -1: there is no run
        const auto row = test::columns<QStringList, QByteArray, QString, QString, int>(
            "arguments", "variable", "limit", "told", "steps");
        const QStringList into = test::texts("--into", "F");
        row("folder of temporary files", into, "TMPDIR=/nonexistent", QString(), QString(), 1);
        row("folder of the database", test::texts("--into", "/nowhere/a.trainscope"), QByteArray(),
            QString(), "Nothing is recorded while the command runs", -1);
        row("a device for the database", test::texts("--into", "/dev/full"), QByteArray(),
            QString(), "Nothing is recorded while the command runs", -1);
        row("files", into, QByteArray(), "exec 3>&- 4>&- 5>&- 6>&-; ulimit -n 4; ",
            "Nothing is recorded while the command runs", -1);
        row("the kernel's files", into, "TRAINSCOPE_SYSTEM_ROOT=/nonexistent", QString(), QString(),
            1);
        row("a GPU", (into + test::texts("--gpus", "1,9")), QByteArray(), QString(),
            "There is no GPU 9 on", 1);
        row("the driver, of GPUs that are named", into + test::texts("--gpus", "0"),
            "TRAINSCOPE_NVML=/nowhere", QString(), "There is no GPU 0 on", 1);
    }
    void theCommandRunsAnyway() {
        QFETCH(QStringList, arguments);
        QFETCH(QByteArray, variable);
        QFETCH(QString, limit);
        QFETCH(QString, told);
        QFETCH(int, steps);
        arguments.replaceInStrings(QRegularExpression(QStringLiteral("^F$")), m_database);
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        if (const auto equals = variable.indexOf('='); equals > 0)
            environment.insert(QString::fromUtf8(variable.left(equals)),
                QString::fromUtf8(variable.mid(equals + 1)));
        QProcess process;
        process.setProcessEnvironment(environment);
        process.start(QStringLiteral("sh"),
            test::texts("-c", limit + QStringLiteral("exec \"$0\" record \"$@\""), program())
                + arguments
                + test::texts("--", "sh", "-c",
                    QStringLiteral("marks=${TRAINSCOPE_MARKS:-/dev/null}; echo 1 > $marks; "
                                   "sleep 0.3; echo 2 > $marks; touch %1; exit 7")
                        .arg(m_folder->filePath(QStringLiteral("ran")))));
        QVERIFY(process.waitForFinished());
        const QString err = QString::fromUtf8(process.readAllStandardError());
        QVERIFY2(QFile::exists(m_folder->filePath(QStringLiteral("ran"))), qPrintable(err));
        QCOMPARE(process.exitCode(), 7);
        VERIFY_SAYS(err, told);
        if (steps < 0) {
            QVERIFY(!QFile::exists(m_database));
            return;
        }
        const auto store = opened(m_database);
        const Run run = onlyRun(store);
        QVERIFY(run.status == RunStatus::Ok);
        QCOMPARE(store.iterations(run.id).value().size(), static_cast<std::size_t>(steps));
    }

    void refusals_data() {
        const auto row = test::columns<QStringList, int>("arguments", "status");
        row("no command", test::texts("--into", "F"), 2);
        row("no database", test::texts("--", "true"), 2);
        row("interval", test::texts("--interval", "0", "--into", "F", "--", "true"), 2);
        row("size of files", test::texts("--rotate", "1MB", "--into", "F", "--", "true"), 2);
        row("age of files", test::texts("--keep", "7", "--into", "F", "--", "true"), 2);
        row("jobs and a command", test::texts("--per-job", "--into", "F", "--", "true"), 2);
        row("command", test::texts("--into", "F", "--", "/no/such"), 2);
        row("model", test::texts("--model", "nobody-1b", "--into", "F", "--", "true"), 2);
        row("shape", test::texts("--model", "layers=many", "--into", "F", "--", "true"), 2);
        row("part of a shape", test::texts("--model", "layers=4", "--into", "F", "--", "true"), 2);
    }
    void refusals() {
        QFETCH(QStringList, arguments);
        QFETCH(int, status);
        arguments.replaceInStrings(QStringLiteral("F"), m_database);
        const Ended ended = record(arguments);
        QCOMPARE(ended.status, status);
        QVERIFY(!ended.err.isEmpty());
    }

private:
    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_database;
};

TRAINSCOPE_TEST(tst_Record)
#include "tst_Record.moc"
