// Training logs without dates, and with dates of a zone that nobody says, beside telemetry: joined,
// placed by the power, and said so.

#include "app/importing/Logs.h"
#include "core/analysis/energy/Efficiency.h"
#include "core/analysis/iterations/LogPlacement.h"
#include "support/TestFiles.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::test;

namespace {

constexpr double kFirst = 120.0; // s: when training begins in the recording
constexpr int kIterations = 400; // 0.5 s each

// One GPU, a reading a second for ten minutes.
std::string gpuLog() {
    std::string text = "timestamp, index, power.draw [W]\n";
    for (int s = 0; s < 600; ++s) {
        const bool isBusy = s >= kFirst && s < kFirst + kIterations * 0.5;
        text += QStringLiteral("2026/04/22 00:%1:%2.000, 0, %3 W\n")
                    .arg(s / 60, 2, 10, QLatin1Char('0'))
                    .arg(s % 60, 2, 10, QLatin1Char('0'))
                    .arg(isBusy ? 690 + s % 7 : 115 + s % 3)
                    .toStdString();
    }
    return text;
}

std::string trainingLog() {
    std::string text;
    for (int i = 1; i <= kIterations; ++i)
        text += "step " + std::to_string(i) + "/400 | loss: 2.5 | dt: 500.00ms | tok/sec: 1,000\n";
    return text;
}

// The same in unix time.
std::string unixGpuLog() {
    std::string text = "timestamp,index,power.draw [W]\n";
    for (int s = 0; s < 600; ++s) {
        const bool isBusy = s >= kFirst && s < kFirst + kIterations * 0.5;
        text += std::to_string(1'776'816'000 + s) + ",0," + (isBusy ? "690" : "115") + "\n";
    }
    return text;
}

// Ends of iterations, stamped at UTC+02:00.
std::string stampedLog() {
    std::string text;
    for (int i = 1; i <= kIterations / 2; ++i) {
        const int second = static_cast<int>(kFirst) + i;
        text += QStringLiteral("[2026-04-22 02:%1:%2] iteration %3/ 400 | elapsed time per "
                               "iteration (ms): 1000.0 | lm loss: 2.5 |\n")
                    .arg(second / 60, 2, 10, QLatin1Char('0'))
                    .arg(second % 60, 2, 10, QLatin1Char('0'))
                    .arg(i)
                    .toStdString();
    }
    return text;
}

constexpr std::int64_t kRecordBegin = 1'776'816'000; // 2026-04-22 00:00 UTC

store::Store opened(const QString& path) {
    return store::Store::open(path.toStdString(), store::OpenMode::ReadOnly).value();
}

const ImportReport& logReport(const std::vector<store::Source>& sources) {
    const auto found = std::find_if(sources.begin(), sources.end(),
        [](const store::Source& one) { return one.report.importer == "trainlog 1"; });
    return found->report;
}

} // namespace

class tst_UndatedLogs : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void placedByPower() {
        QTemporaryDir folder;
        const QString database = folder.filePath(QStringLiteral("db.trainscope"));
        // The log sorts before the telemetry, which it needs.
        QVERIFY(writeFile(folder.filePath(QStringLiteral("job/a_train.log")), trainingLog()));
        QVERIFY(writeFile(folder.filePath(QStringLiteral("job/gpus.csv")), gpuLog()));
        const auto outcomes = importFolder(folder.filePath(QStringLiteral("job")), database);
        QCOMPARE(outcomes.value().size(), std::size_t{2});
        const auto store = opened(database);
        const auto runs = store.runs().value();
        QCOMPARE(runs.size(), std::size_t{1});
        const auto iterations = store.iterations(runs.front().id).value();
        QCOMPARE(iterations.size(), std::size_t{kIterations});
        const double begin = static_cast<double>(iterations.front().range.begin.ns) * 1e-9
            - static_cast<double>(kRecordBegin);
        const auto facts = logReport(store.sources().value()).facts;
        const double within = std::stod(facts.at("placed_within_s"));
        QVERIFY2(std::abs(begin - kFirst) <= within, qPrintable(QString::number(begin)));
        QVERIFY(within <= 3.0);
        QCOMPARE(facts.at("placed_ambiguously"), std::string("false"));
        VERIFY_SAYS(facts.at("clock"), "from the edges of the power");
        // Half a second at 690 to 696 W, and 1,000 tokens/s as the log says.
        const auto efficiency = analysis::efficiencyOf({store, runs.front()}).value();
        QVERIFY(std::abs(efficiency.stepTimeS.value() - 0.5) < 1e-6);
        QVERIFY(std::abs(efficiency.tokensPerS.value() - 1000.0) < 1e-6);
        QVERIFY(std::abs(efficiency.tokensPerJ.value() - 1000.0 / 693.0) < 0.02);
    }
    void alone() {
        QTemporaryDir folder;
        const QString database = folder.filePath(QStringLiteral("db.trainscope"));
        QVERIFY(writeFile(folder.filePath(QStringLiteral("job/train.log")), trainingLog()));
        QVERIFY(importFolder(folder.filePath(QStringLiteral("job")), database).hasValue());
        const auto store = opened(database);
        const auto facts = logReport(store.sources().value()).facts;
        VERIFY_SAYS(facts.at("clock"), "relative");
        QVERIFY(!facts.contains("placed_within_s"));
    }
    // Its values stand beside the ten minutes of the readings, whichever comes first.
    void aTableWithoutTimes() {
        for (const bool isFirst : {false, true}) {
            QTemporaryDir folder;
            const QString database = folder.filePath(QStringLiteral("db.trainscope"));
            std::string table = "epoch,step,loss\n";
            for (int step = 1; step <= 12; ++step)
                table += "1," + std::to_string(100 * step) + "," + std::to_string(3.0 - 0.1 * step)
                    + "\n";
            const QString log = folder.filePath(QStringLiteral("job/train_log.csv"));
            QVERIFY(writeFile(log, table));
            const QString job = folder.filePath(QStringLiteral("job"));
            if (isFirst)
                QVERIFY(importFolder(job, database).hasValue());
            QVERIFY(writeFile(folder.filePath(QStringLiteral("job/gpus.csv")), gpuLog()));
            const auto outcomes = importFolder(job, database);
            const auto store = opened(database);
            const auto runs = store.runs().value();
            const Run& run = runs.back();
            QCOMPARE(run.range.begin.ns, kRecordBegin * 1'000'000'000);
            QCOMPARE(std::round(run.range.length().seconds()), 599.0);
            const auto& warnings = logReport(store.sources().value()).warnings;
            QVERIFY(std::any_of(warnings.begin(), warnings.end(), [](const auto& one) {
                return one.text.find("do not lengthen it") != std::string::npos;
            }));
        }
    }
    void asTheUserSays() {
        QTemporaryDir folder;
        const QString database = folder.filePath(QStringLiteral("db.trainscope"));
        QVERIFY(writeFile(folder.filePath(QStringLiteral("job/gpus.csv")), gpuLog()));
        QVERIFY(writeFile(folder.filePath(QStringLiteral("job/train.log")), trainingLog()));
        const auto tree
            = importers::openDiskTree(folder.filePath(QStringLiteral("job")).toStdString()).value();
        auto plan = importers::planImport(*tree, {}).value();
        const TimeNs said{(kRecordBegin + 30) * 1'000'000'000};
        for (auto& unit : plan.units) {
            if (unit.importer == "trainlog")
                unit.saidStart = said;
        }
        QVERIFY(app::runImport(*tree, plan, database.toStdString(), {}).hasValue());
        const auto store = opened(database);
        const auto run = store.runs().value().front();
        QCOMPARE(store.iterations(run.id).value().front().range.begin.ns, said.ns);
        const auto facts = logReport(store.sources().value()).facts;
        VERIFY_SAYS(facts.at("clock"), "as the user says");
    }
    // Eight H100, recorded from 00:03:09.407 on. From the raw rows, summed over the GPUs: their
    // power rises to 5.5 kW 345 s later and falls 816 s after the begin, for the 471.7 s that the
    // log gives its first 4,000 iterations; after a validation it is back at 5.5 kW from 854 s to
    // 979 s, for the 124.4 s of the others.
    void realPair() {
        if (realFiles().empty())
            QSKIP("the real files are not here (TRAINSCOPE_SHARED)");
        QTemporaryDir folder;
        const auto real = QString::fromStdString(realFiles()) + QStringLiteral("/data/");
        QVERIFY(QDir(folder.path()).mkdir(QStringLiteral("job")));
        for (const char* name : {"nvidia_smi/pgolf_8xH100_019b_diag_nvsmi.csv",
                 "train_logs/pgolf_8xH100_019b_train.txt"}) {
            const QString file = real + QLatin1String(name);
            QVERIFY(QFile::copy(file,
                folder.filePath(QStringLiteral("job/") + file.section(QLatin1Char('/'), -1))));
        }
        const QString database = folder.filePath(QStringLiteral("db.trainscope"));
        QVERIFY(importFolder(folder.filePath(QStringLiteral("job")), database).hasValue());
        const auto store = opened(database);
        const auto runs = store.runs().value();
        QCOMPARE(runs.size(), std::size_t{1});
        const auto iterations = store.iterations(runs.front().id).value();
        QCOMPARE(iterations.size(), std::size_t{4872});
        const auto facts = logReport(store.sources().value()).facts;
        const double within = std::stod(facts.at("placed_within_s"));
        QVERIFY(within <= 3.0);
        const double begin
            = static_cast<double>(iterations.front().range.begin.ns - 1'776'816'189'407'000'000)
            * 1e-9;
        QVERIFY2(std::abs(begin - 345.0) <= within, qPrintable(QString::number(begin)));
        const double pause = (iterations[4000].range.begin - iterations[3999].range.end).seconds();
        QVERIFY2(std::abs(pause - (854.0 - 816.7)) <= 2.0, qPrintable(QString::number(pause)));
        const auto efficiency = analysis::efficiencyOf({store, runs.front()}).value();
        QVERIFY(std::abs(efficiency.stepTimeS.value() - 0.141502) < 1e-5);
        QVERIFY(std::abs(efficiency.tokensPerS.value() / 5557728.8 - 1.0) < 1e-4);
        QVERIFY(efficiency.tokensPerJ.has_value());
    }
    void localStamps_data() {
        const auto row = columns<bool>("isSaid");
        row("found", false);
        row("said", true);
    }
    void localStamps() {
        QFETCH(bool, isSaid);
        QTemporaryDir folder;
        const QString job = folder.filePath(QStringLiteral("job"));
        const QString database = folder.filePath(QStringLiteral("db.trainscope"));
        QVERIFY(writeFile(job + QStringLiteral("/a_train.log"), stampedLog()));
        QVERIFY(writeFile(job + QStringLiteral("/gpus.csv"), unixGpuLog()));
        const auto tree = importers::openDiskTree(job.toStdString()).value();
        auto plan = importers::planImport(*tree, {}).value();
        for (auto& unit : plan.units) {
            if (unit.importer == "trainlog" && isSaid)
                unit.utcOffsetSeconds = 3600;
        }
        QVERIFY(app::runImport(*tree, plan, database.toStdString(), {}).hasValue());
        const auto store = opened(database);
        QCOMPARE(store.runs().value().size(), std::size_t{1});
        const auto run = store.runs().value().front();
        // The first ends one second behind the begin of training, to the second.
        const double end
            = static_cast<double>(store.iterations(run.id).value().front().range.end.ns) * 1e-9
            - static_cast<double>(kRecordBegin);
        const auto facts = logReport(store.sources().value()).facts;
        const double wanted = kFirst + 1.0 + (isSaid ? 3600.0 : 0.0);
        QVERIFY2(std::abs(end - wanted) <= 1.0, qPrintable(QString::number(end)));
        QCOMPARE(facts.contains("utc_offset_s"), !isSaid);
        if (!isSaid) {
            QCOMPARE(facts.at("utc_offset_s"), std::string("7200"));
            QVERIFY(facts.at("clock").starts_with("local time; UTC+02:00, by the power"));
        }
    }
    // A launcher's log of a job: lines of the library, then of the program.
    void linesOfNcclWithin() {
        QTemporaryDir folder;
        const QString job = folder.filePath(QStringLiteral("job"));
        const QString database = folder.filePath(QStringLiteral("db.trainscope"));
        std::string text = "node-1:77:77 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.1<0>\n"
                           "NCCL version 2.21.5+cuda12.4\n"
                           "node-1:77:78 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/IPC\n"
                           "node-1:77:78 [0] NCCL INFO Connected all rings\n";
        QVERIFY(writeFile(job + QStringLiteral("/train.log"), text + trainingLog()));
        for (int again = 0; again < 2; ++again)
            QVERIFY(importFolder(job, database).hasValue());
        const auto store = opened(database);
        QCOMPARE(store.runs().value().size(), std::size_t{1});
        const auto sources = store.sources().value();
        QCOMPARE(sources.size(), std::size_t{2});
        const auto nccl = std::find_if(sources.begin(), sources.end(),
            [](const store::Source& one) { return one.report.importer == "nccl 1"; });
        QVERIFY(nccl != sources.end());
        QVERIFY(nccl->path.ends_with("train.log (NCCL log)"));
        QCOMPARE(nccl->report.counts.at("lines of NCCL"), std::int64_t{3});
        // There is no telemetry in which the log could be looked for.
        QCOMPARE(logReport(sources).warningCount, std::int64_t{0});
        QCOMPARE(store.iterations(store.runs().value().front().id).value().size(),
            std::size_t{kIterations});
    }
};

TRAINSCOPE_TEST(tst_UndatedLogs)
#include "tst_UndatedLogs.moc"
